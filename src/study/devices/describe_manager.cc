#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "study/assembly/build_attacks.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_scale_up.h"
#include "study/assembly/build_subnet.h"
#include "study/assembly/build_traffic.h"
#include "study/assembly/port_partitions.h"
#include "study/devices/describe.h"
#include "study/devices/manager.h"
#include "study/scenario/data_class.h"
#include "study/scenario/vl_tables.h"
#include "subnet/partitions/partition_file.h"

namespace weft::study::devices {
namespace {

std::string weights_text(const std::vector<scenario::VlWeight>& table) {
  std::string text;
  for (const scenario::VlWeight& entry : table) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", entry.vl, entry.weight);
  }
  return text;
}

/// The exponent that OpenSM has for a time: 4.096 us times two to it, the nearest above.
std::uint64_t time_exponent(Duration value) {
  std::uint64_t exponent = 0;
  for (Duration span = Duration::nanoseconds(4'096); span < value && exponent < 19; span = span * 2) {
    ++exponent;
  }
  return exponent;
}

/// OpenSM ends a name at these.
std::string partition_name(std::string name) {
  constexpr std::string_view kEnds = "=,:; \t#";
  std::ranges::replace_if(
      name, [&](char c) { return kEnds.find(c) != std::string_view::npos; }, '_');
  return name;
}

/// A partition of full members for each job, as queue pairs have them in a run, and the manager's, in which hosts reach
/// it alone.
Result<std::vector<subnet::PartitionRule>> partitions_of_jobs(const scenario::Scenario& scenario,
                                                              const fabric::Graph& graph) {
  const auto placed = assembly::place_subnet(graph);
  const auto scale_up = assembly::plan_scale_up(scenario, graph);
  if (!placed || !scale_up) {
    return tl::unexpected<Error>(placed ? scale_up.error() : placed.error());
  }
  const auto plans = assembly::plan_traffic(scenario, graph, scale_up->has_value() ? &**scale_up : nullptr);
  if (!plans) {
    return tl::unexpected<Error>(plans.error());
  }
  using enum subnet::Membership;
  std::vector<subnet::PartitionRule> rules{{.name = "Default",
                                            .p_key = subnet::kDefaultPartition,
                                            .ipoib = true,
                                            .members = {{.kind = subnet::MemberKind::kAll, .membership = kLimited},
                                                        {.kind = subnet::MemberKind::kSelf, .membership = kFull}}}};
  const std::vector<std::uint16_t> keys = assembly::partition_keys(scenario, *plans);
  for (std::size_t i = 0; i < plans->size(); ++i) {
    std::set<std::uint64_t> guids;
    for (const world::MachinePlan& machine : (*plans)[i].machines) {
      for (const EndpointId rail : machine.rails) {
        if (rail.value() < graph.host_endpoints()) {
          guids.insert(placed->subnet.port(placed->places[graph.node_of(rail).value()]).guid.value);
        }
      }
    }
    subnet::PartitionRule rule{.name = partition_name((*plans)[i].job.name),
                               .p_key = static_cast<std::uint16_t>(keys[i] & ~subnet::kFullMember),
                               .ipoib = true};
    for (const std::uint64_t guid : guids) {
      rule.members.push_back({.port = {guid}, .membership = kFull});
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

Result<DeviceConfig> described_partitions(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  DeviceConfig made{.syntax = Syntax::kPartitions, .name = "partitions"};
  if (scenario.keys.partitions == scenario::PartitionRule::kDefault) {
    made.manager.lines = {"Default=0x7fff, ipoib : ALL=full, SELF=full ;"};
    made.manager.partitions = {{.name = "Default",
                                .p_key = subnet::kDefaultPartition,
                                .members = {{.who = "ALL", .full = true}, {.who = "SELF", .full = true}}}};
    return made;
  }
  const bool has_file = scenario.keys.partitions == scenario::PartitionRule::kFile;
  const auto rules = has_file ? assembly::partition_rules(scenario) : partitions_of_jobs(scenario, graph);
  if (!rules) {
    return tl::unexpected<Error>(rules.error());
  }
  made.manager.partitions = partition_settings(*rules, "");
  made.manager.lines = {"# GUIDs are those of weft subnet: write those of your hosts in their places"};
  const std::string text = subnet::write_partitions(*rules);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    made.manager.lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return made;
}

/// Secrets that no scenario holds are placeholders.
void add_keys(const scenario::KeySettings& keys, std::map<std::string, std::string>& options) {
  if (keys.m_key) {
    options["m_key"] = kKeyPlaceholder;
    options["m_key_protection_level"] = "2";
    options["m_key_lease_period"] = "0";  // it never ends
  }
  if (keys.sa_key) {
    options["sa_key"] = kKeyPlaceholder;
  }
  if (keys.cc_key) {
    options["congestion_control"] = "TRUE";  // else OpenSM gives agents no key
    options["cc_key"] = kKeyPlaceholder;
  }
  if (keys.switch_enforcement) {
    options["part_enforce"] = "both";
  }
}

}  // namespace

Result<Described> describe_manager(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  if (!scenario::is_infiniband(scenario.fabric.family)) {
    return fail("fabric.family is {}, which has no subnet manager; use --for sonic, nvue, eos or nic",
                scenario::traits_of(scenario.fabric.family).word);
  }
  const scenario::InfinibandSettings& own = scenario.devices.infiniband;
  Described made;
  DeviceConfig conf{.syntax = Syntax::kOpensm, .name = "opensm"};
  auto& options = conf.manager.options;
  const bool engine =
      scenario::has_manager(scenario.routing) && scenario.routing.engine != scenario::RoutingEngine::kFile;
  static constexpr std::array kEngines = {"ftree", "minhop", "updn", "dnup",   "ftree",
                                          "dor",   "lash",   "sssp", "dfsssp", "nue"};
  options["routing_engine"] = engine ? kEngines[static_cast<std::size_t>(scenario.routing.engine)] : "ftree";
  if (scenario.routing.engine == scenario::RoutingEngine::kFile) {
    options["routing_engine"] = "file";
    options["lfts_file"] = scenario.routing.tables;
  }
  if (!engine && scenario.routing.engine != scenario::RoutingEngine::kFile) {
    made.rounded.emplace_back("routing: no engine of OpenSM is named, and ftree is written, the nearest to d-mod-k");
  }
  if (engine && scenario.routing.engine == scenario::RoutingEngine::kNue) {
    options["nue_max_num_vls"] = fmt::format("{}", scenario.routing.nue_lanes);
  }
  options["lmc"] = fmt::format("{}", scenario.routing.lmc);
  options["qos"] = "TRUE";
  options["partition_config_file"] = "partitions.conf";
  options["qos_policy_file"] = "qos-policy.conf";
  options["qos_max_vls"] = fmt::format("{}", own.vls);
  options["qos_high_limit"] = fmt::format("{}", own.vl_high_limit);
  scenario::VlTables tables = scenario::vl_tables(own);
  if (!scenario::lists_vl_tables(own) && own.vl == scenario::InfinibandSettings().vl) {
    // All VLs alike, which any weight says.
    constexpr std::uint8_t kUsualWeight = 64;
    if (!tables.low.empty() && tables.low.front().weight != kUsualWeight) {
      made.rounded.push_back(
          fmt::format("infiniband.vl.*.weight: {} of every lane is written as {}, which shares a link alike",
                      tables.low.front().weight, kUsualWeight));
    }
    std::ranges::for_each(tables.low, [](scenario::VlWeight& entry) { entry.weight = kUsualWeight; });
  }
  options["qos_vlarb_high"] = tables.high.empty() ? "0:0" : weights_text(tables.high);
  options["qos_vlarb_low"] = tables.low.empty() ? "0:0" : weights_text(tables.low);
  std::string lanes;
  for (const std::uint8_t lane : assembly::lanes_of(scenario, own)) {
    lanes += fmt::format("{}{}", lanes.empty() ? "" : ",", lane);
  }
  options["qos_sl2vl"] = lanes;
  if (own.head_of_queue_lifetime) {
    const std::uint64_t exponent = time_exponent(*own.head_of_queue_lifetime);
    options["head_of_queue_lifetime"] = fmt::format("0x{:02x}", exponent);
    options["leaf_head_of_queue_lifetime"] = fmt::format("0x{:02x}", exponent);
    made.rounded.push_back(fmt::format("infiniband.head_of_queue_lifetime: {} is written as 4.096 us x 2^{}",
                                       *own.head_of_queue_lifetime, exponent));
  } else {
    options["head_of_queue_lifetime"] = "0x14";  // infinite
    options["leaf_head_of_queue_lifetime"] = "0x14";
  }
  add_keys(scenario.keys, options);
  auto partitions = described_partitions(scenario, graph);
  if (!partitions) {
    return pass_on(partitions);
  }
  DeviceConfig policy{.syntax = Syntax::kQosPolicy, .name = "qos-policy"};
  policy.manager.lines = {"qos-ulps", fmt::format("    default : {}", scenario.qos.data_sl), "end-qos-ulps"};
  made.devices = {std::move(conf), *std::move(partitions), std::move(policy)};
  return made;
}

}  // namespace weft::study::devices
