#include "study/run/collector_controller.h"

#include <cmath>

#include "fabric/ethernet/ethernet_fabric.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::run {
namespace {

/// The mean in millionths; nothing happened: zero.
std::uint32_t mean(double sum, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<std::uint32_t>(std::llround(1e6 * sum / static_cast<double>(count)));
}

}  // namespace

std::optional<results::ControllerRow> controller_row(const Simulation& simulation) {
  const world::TrafficController* const controller = simulation.controller();
  if (controller == nullptr) {
    return std::nullopt;
  }
  const world::ControllerCounters& counters = controller->counters();
  results::ControllerRow row{
      .algorithm = std::string(scenario::word_of(simulation.scenario().routing.controller_algorithm)),
      .rounds = counters.rounds,
      .placed = counters.placed,
      .entries = counters.entries,
      .peak_entries = counters.peak_entries,
      .overflows = counters.overflows,
      .moved = counters.moved,
      .stale = counters.stale,
      .conflicts = counters.conflicts,
      .planned_load = mean(counters.planned, counters.rounds),
      .measured_load = mean(counters.measured, counters.readings)};
  for (const fabric::PinnedCounters& own :
       simulation.world().fabric().get_if<fabric::EthernetFabric>()->pinned()->counters) {
    row.pinned_packets += own.pinned;
    row.hashed_packets += own.hashed;
    row.fallback_packets += own.fallbacks;
  }
  return row;
}

}  // namespace weft::study::run
