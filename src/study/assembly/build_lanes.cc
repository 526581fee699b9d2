#include "study/assembly/build_lanes.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "study/scenario/data_class.h"
#include "study/scenario/vl_tables.h"

namespace weft::study::assembly {
namespace {

/// Priorities of Ethernet that data of jobs and of traffic travel in.
std::set<std::int64_t> data_priorities(const scenario::Scenario& scenario) {
  std::set<std::int64_t> made;
  for (const scenario::TrafficSettings& traffic : scenario.traffic) {
    const scenario::Family family = traffic.family.value_or(scenario.fabric.family);
    made.insert(traffic.priority.value_or(scenario::data_priority_of(scenario.qos, family)));
  }
  if (!scenario.jobs.empty()) {
    made.insert(scenario::data_priority_of(scenario.qos, scenario.fabric.family));
  }
  return made;
}

bool are_alike(const fabric::VlArbitration& tables) {
  return fabric::VlArbitration::lanes_of(tables.high) == 0 &&
         std::ranges::all_of(tables.low, [&](const fabric::VlArbitration::Entry& entry) {
           return entry.weight == tables.low.front().weight;
         });
}

}  // namespace

fabric::VlArbitration vl_arbitration(const scenario::InfinibandSettings& settings) {
  fabric::VlArbitration made;
  const scenario::VlTables tables = scenario::vl_tables(settings);
  for (const scenario::VlWeight& entry : tables.high) {
    made.high.push_back({entry.vl, entry.weight});
  }
  for (const scenario::VlWeight& entry : tables.low) {
    made.low.push_back({entry.vl, entry.weight});
  }
  made.high_limit = static_cast<std::uint8_t>(settings.vl_high_limit);
  return made;
}

std::optional<host::LaneWeights> lane_weights(const scenario::Scenario& scenario,
                                              const scenario::DeviceSettings& devices) {
  if (scenario::is_infiniband(scenario.fabric.family)) {
    fabric::VlArbitration tables = vl_arbitration(devices.infiniband);
    return are_alike(tables) ? std::nullopt : std::optional<host::LaneWeights>(std::move(tables));
  }
  host::PriorityWeights weights;
  for (std::size_t p = 0; p < weights.of.size(); ++p) {
    weights.of[p] = static_cast<std::uint16_t>(devices.ethernet.priorities[p].weight);
  }
  const std::set<std::int64_t> used = data_priorities(scenario);
  const auto weight_of = [&](std::int64_t priority) { return weights.of[static_cast<std::size_t>(priority)]; };
  const bool alike = used.size() < 2 || std::ranges::all_of(used, [&](std::int64_t priority) {
                       return weight_of(priority) != 0 && weight_of(priority) == weight_of(*used.begin());
                     });
  return alike ? std::nullopt : std::optional<host::LaneWeights>(weights);
}

}  // namespace weft::study::assembly
