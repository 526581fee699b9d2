#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "study/assembly/build_fabric.h"
#include "study/assembly/port_needs.h"
#include "study/devices/describe.h"
#include "study/scenario/data_class.h"
#include "study/scenario/vl_tables.h"

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

}  // namespace

Result<Described> describe_manager(const scenario::Scenario& scenario) {
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
    std::ranges::for_each(tables.low, [](scenario::VlWeight& entry) { entry.weight = 64; });
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
  DeviceConfig partitions{.syntax = Syntax::kPartitions, .name = "partitions"};
  partitions.manager.lines = {"Default=0x7fff, ipoib : ALL=full, SELF=full ;"};
  DeviceConfig policy{.syntax = Syntax::kQosPolicy, .name = "qos-policy"};
  policy.manager.lines = {"qos-ulps", fmt::format("    default : {}", scenario.qos.data_sl), "end-qos-ulps"};
  made.devices = {std::move(conf), std::move(partitions), std::move(policy)};
  return made;
}

}  // namespace weft::study::devices
