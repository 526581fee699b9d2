// For tests: a scenario run to its end. What goes wrong ends the test with its message.
#pragma once

#include <string>

#include "base/assert.h"
#include "study/run/collector.h"
#include "study/run/simulation.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {

/// What the run has come to, however it ended; packets and credits must add up.
inline results::RunResults results_of(const Result<scenario::Scenario>& scenario,
                                      world::Division division = world::Division::kWhereItPays) {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) {
      assertion_failed(message.c_str(), __FILE__, __LINE__);
    }
  };
  require(scenario.has_value(), scenario::message_of(scenario));
  Collector collector;
  auto simulation = Simulation::create(*scenario, collector, Payload::kLengths, division);
  require(simulation.has_value(), simulation ? "" : simulation.error().message);
  collector.watch(**simulation);
  const auto end = (*simulation)->run([](const Progress&) { return true; });
  const std::string wrong = (*simulation)->world().check_invariants();
  require(wrong.empty(), wrong);
  return collector.finish(end, {.key = "key", .version = "test"});
}

}  // namespace weft::study::run
