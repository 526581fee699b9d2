// For tests: a scenario from its text, and run to its end. What goes wrong ends the test with its message.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "base/assert.h"
#include "study/run/collector.h"
#include "study/run/simulation.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {

inline void require(bool holds, const std::string& message) {
  if (!holds) {
    assertion_failed(message.c_str(), __FILE__, __LINE__);
  }
}

inline scenario::Scenario from_text(const std::string& text) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  auto made = scenario::parse_scenario(text, request, scenario::test_catalogue());
  require(made.has_value(), scenario::message_of(made));
  return std::move(*made);
}

/// What the run has come to, however it ended; packets and credits must add up.
inline results::RunResults results_of(const Result<scenario::Scenario>& scenario,
                                      world::Division division = world::Division::kWhereItPays) {
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

inline bool all_succeeded(const results::RunResults& results) {
  return std::ranges::all_of(
      results.messages, [](const results::MessageRow& row) { return row.record.status == verbs::WcStatus::kSuccess; });
}

/// Until the last message had come.
inline Duration lasted(const results::RunResults& results) {
  Time last;
  for (const results::MessageRow& row : results.messages) {
    last = later(last, row.record.finished);
  }
  return last - Time::zero();
}

}  // namespace weft::study::run
