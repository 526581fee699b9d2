// For tests: a scenario run to its end.
#pragma once

#include <gtest/gtest.h>

#include "study/run/collector.h"
#include "study/run/simulation.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {

/// What the run has come to, however it ended; packets and credits must add up.
inline results::RunResults results_of(const Result<scenario::Scenario>& scenario,
                                      world::Division division = world::Division::kWhereItPays) {
  EXPECT_TRUE(scenario) << scenario::message_of(scenario);
  Collector collector;
  auto simulation = Simulation::create(*scenario, collector, Payload::kLengths, division);
  EXPECT_TRUE(simulation) << simulation.error().message;
  collector.watch(**simulation);
  const auto end = (*simulation)->run([](const Progress&) { return true; });
  EXPECT_EQ((*simulation)->world().check_invariants(), "");
  return collector.finish(end, {.key = "key", .version = "test"});
}

}  // namespace weft::study::run
