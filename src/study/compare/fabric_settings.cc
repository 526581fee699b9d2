#include "study/compare/fabric_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "study/scenario/congestion/congestion_table.h"
#include "study/scenario/scenario_listing.h"

namespace weft::study::compare {
namespace {

enum class Where : std::uint8_t { kEverywhere, kSwitches, kNics, kHosts, kManager };

struct Group {
  std::string_view prefix;
  Where where;
};

/// Of Ethernet, switch by switch and NIC by NIC.
constexpr std::array<Group, 4> kLossless = {{{"ethernet.priority.", Where::kEverywhere},
                                             {"ethernet.watchdog_detect", Where::kSwitches},
                                             {"qos.data_", Where::kEverywhere},
                                             {"qos.cnp_", Where::kEverywhere}}};
/// Of Ultra Ethernet: nothing is lossless, so pauses and their headroom are no concern.
constexpr std::array<Group, 5> kUltraEthernet = {{{"ethernet.priority.", Where::kEverywhere},
                                                  {"ethernet.trimming.", Where::kSwitches},
                                                  {"qos.data_", Where::kEverywhere},
                                                  {"uet.path", Where::kNics},
                                                  {"uet.trimming", Where::kNics}}};
/// Of InfiniBand, at the subnet manager, which tells the devices.
constexpr std::array<Group, 3> kManaged = {{{"infiniband.vls", Where::kManager},
                                            {"infiniband.sl2vl", Where::kManager},
                                            {"infiniband.vl_arbitration_", Where::kManager}}};
constexpr std::array<Group, 3> kStreams = {{{"tcp.congestion_control", Where::kHosts},
                                            {"tcp.receive_buffer", Where::kHosts},
                                            {"tcp.send_buffer", Where::kHosts}}};

/// Parameters are set in NICs, and in switches too if they write telemetry; the subnet manager sets those of
/// InfiniBand.
Where place_of(scenario::CongestionFeedback feedback) {
  switch (feedback) {
    case scenario::CongestionFeedback::kFecn:
      return Where::kManager;
    case scenario::CongestionFeedback::kTelemetry:
      return Where::kEverywhere;
    case scenario::CongestionFeedback::kNone:
    case scenario::CongestionFeedback::kEcn:
    case scenario::CongestionFeedback::kTimestamps:
    case scenario::CongestionFeedback::kUetState:
      break;
  }
  return Where::kNics;
}

std::vector<Group> with_congestion_control(std::span<const Group> groups) {
  std::vector<Group> all(groups.begin(), groups.end());
  for (const scenario::CongestionEntry& entry : scenario::congestion_table()) {
    if (!entry.section.empty()) {
      all.push_back({entry.section, place_of(entry.feedback)});
    }
  }
  return all;
}

std::string_view text_of(Where where) {
  switch (where) {
    case Where::kEverywhere:
      return "switches and NICs";
    case Where::kSwitches:
      return "switches";
    case Where::kNics:
      return "NICs";
    case Where::kHosts:
      return "hosts";
    case Where::kManager:
      return "subnet manager";
  }
  return "";
}

class Collected {
 public:
  Collected(const scenario::Scenario& scenario, const fabric::Graph& graph)
      : scenario_(scenario), rows_(scenario::list_values(scenario, scenario::Listing::kRelevant)) {
    switches_ = graph.switches();
    nics_ = graph.host_endpoints();
    const scenario::TopologySettings& topology = scenario.topology;
    hosts_ = nics_ / std::max<std::int64_t>(topology.nics_per_host * topology.ports_per_nic, 1);
  }

  void add(std::span<const Group> groups) {
    for (const scenario::ListedValue& row : rows_) {
      const auto group =
          std::ranges::find_if(groups, [&](const Group& own) { return row.path.starts_with(own.prefix); });
      if (group != groups.end() && of_a_class_in_use(row)) {
        made_.push_back({.key = row.path,
                         .value = row.value,
                         .where = std::string(text_of(group->where)),
                         .devices = devices(group->where)});
      }
    }
  }

  std::vector<FabricSetting> take() { return std::move(made_); }

 private:
  /// Priorities that carry nothing are of no concern; what folds to "*" are those that nothing was set for, but for
  /// values that all of them share.
  [[nodiscard]] bool of_a_class_in_use(const scenario::ListedValue& row) const {
    if (!row.path.starts_with("ethernet.priority.")) {
      return true;
    }
    const auto data = static_cast<std::size_t>(scenario_.qos.data_priority);
    const bool all = row.path.starts_with("ethernet.priority.*.");
    if (!all && !row.path.starts_with(fmt::format("ethernet.priority.{}.", data))) {
      return false;
    }
    const std::string_view key = std::string_view(row.path).substr(row.path.rfind('.') + 1);
    const scenario::PrioritySettings& own = scenario_.devices.ethernet.priorities[data];
    if (all && std::ranges::any_of(rows_, [&](const scenario::ListedValue& other) {
          return other.path == fmt::format("ethernet.priority.{}.{}", data, key);
        })) {
      return false;
    }
    const bool of_marks = key == "kmin" || key == "kmax" || key == "pmax" || key == "ecn";
    const bool of_pauses = key == "headroom" || key == "xon_offset" || key == "lossless" || key == "alpha";
    return (of_marks && own.ecn) || (of_pauses && own.lossless) || key == "weight";
  }

  [[nodiscard]] std::int64_t devices(Where where) const {
    switch (where) {
      case Where::kEverywhere:
        return switches_ + nics_;
      case Where::kSwitches:
        return switches_;
      case Where::kNics:
        return nics_;
      case Where::kHosts:
        return hosts_;
      case Where::kManager:
        return 1;
    }
    return 0;
  }

  const scenario::Scenario& scenario_;
  std::vector<scenario::ListedValue> rows_;
  std::vector<FabricSetting> made_;
  std::int64_t switches_ = 0;
  std::int64_t nics_ = 0;
  std::int64_t hosts_ = 0;
};

}  // namespace

std::vector<FabricSetting> settings_to_get_right(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  if (scenario.fabric.tuning_entry == "untuned") {
    return {};
  }
  Collected collected(scenario, graph);
  if (scenario::is_infiniband(scenario.fabric.family)) {
    collected.add(with_congestion_control(kManaged));
  } else if (scenario::engine_of(scenario.fabric.family) == scenario::FamilyEngine::kUet) {
    collected.add(with_congestion_control(kUltraEthernet));
  } else if (scenario::has_ib_transport(scenario.fabric.family)) {
    collected.add(with_congestion_control(kLossless));
  } else {
    collected.add(kStreams);
  }
  return collected.take();
}

std::int64_t devices_touched(const std::vector<FabricSetting>& settings) {
  std::int64_t most = 0;
  for (const FabricSetting& own : settings) {
    most = std::max(most, own.devices);
  }
  return most;
}

}  // namespace weft::study::compare
