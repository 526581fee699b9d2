#include "study/run/run_description.h"

#include <algorithm>

#include "study/scenario/optional_traffic.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::run {
namespace {

results::Lossless lossless_of(const scenario::Scenario& scenario) {
  if (scenario::is_infiniband(scenario.fabric.family)) {
    return results::Lossless::kCredits;
  }
  const auto& priorities = scenario.devices.ethernet.priorities;
  const bool any = std::ranges::any_of(priorities, [](const scenario::PrioritySettings& own) { return own.lossless; });
  const bool credits =
      std::ranges::any_of(priorities, [](const scenario::PrioritySettings& own) { return own.credits; });
  return any ? results::Lossless::kPause : credits ? results::Lossless::kCredits : results::Lossless::kNo;
}

bool marks(const scenario::Scenario& scenario) {
  if (scenario::is_infiniband(scenario.fabric.family)) {
    return scenario.congestion.algorithm == scenario::CongestionAlgorithm::kIbCc;
  }
  const auto& priorities = scenario.devices.ethernet.priorities;
  return std::ranges::any_of(priorities, [](const scenario::PrioritySettings& own) { return own.ecn; });
}

}  // namespace

results::RunEnd end_of(Simulation::End end) {
  switch (end) {
    case Simulation::End::kFinished:
      return results::RunEnd::kFinished;
    case Simulation::End::kTimeLimit:
      return results::RunEnd::kTimeLimit;
    case Simulation::End::kInterrupted:
      return results::RunEnd::kInterrupted;
    case Simulation::End::kStuck:
      return results::RunEnd::kStuck;
    case Simulation::End::kJobLost:
      return results::RunEnd::kJobLost;
    case Simulation::End::kError:
      break;
  }
  return results::RunEnd::kError;
}

void describe_scenario(const scenario::Scenario& scenario, const fabric::Graph& graph, results::RunInfo& run) {
  run.scenario = scenario.name;
  run.case_name = scenario.case_name;
  run.seed = scenario.seed;
  run.family = scenario::word_of(scenario.fabric.family);
  run.hardware = scenario::word_of(scenario.hardware);
  run.topology = scenario::word_of(scenario.topology.kind);
  run.congestion = scenario::word_of(scenario.congestion.algorithm);
  run.lossless = lossless_of(scenario);
  run.marking = marks(scenario);
  run.endpoints = graph.host_endpoints();
  const auto per_host = static_cast<std::uint32_t>(
      std::max<std::int64_t>(scenario.topology.nics_per_host * scenario.topology.ports_per_nic, 1));
  run.hosts =
      scenario.topology.hosts > 0 ? static_cast<std::uint32_t>(scenario.topology.hosts) : run.endpoints / per_host;
  run.switches = graph.switches();
  run.sample_interval = scenario.output.sample_interval;
  run.percentiles = scenario.output.percentiles;
  run.left_out = scenario::left_out_text(scenario);
  run.settings = scenario::listing_text(scenario);
}

}  // namespace weft::study::run
