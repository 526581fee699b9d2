// Distributed control by itself: the network of a scenario with its link events and no traffic, until its switches have
// agreed again; beside it what a subnet manager of InfiniBand takes on the same topology.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text_lines.h"
#include "base/time.h"
#include "study/results/results.h"
#include "study/run/manager_study.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

struct ControlStudy {
  std::string scenario{};
  std::uint32_t hosts = 0;  // endpoints
  std::uint32_t switches = 0;
  results::RunResults results;  // the rows of control alone
  Time ended;                   // simulated
  ManagerStudy manager;
  Time stop = Time::never();     // the scenario's
  std::vector<Time> after_stop;  // of link events that come later, and are left out of both studies
};

/// Errors: a scenario without control, and what assembly refuses. It ends at the scenario's stop, or when nothing is
/// under way and every failure has had time to be noticed; `keep_going` is asked now and then, and false ends it.
[[nodiscard]] Result<ControlStudy> study_control(const scenario::Scenario& scenario,
                                                 const std::function<bool(Time)>& keep_going);

[[nodiscard]] std::string control_text(const ControlStudy& study, LineWidth width = {});
[[nodiscard]] nlohmann::ordered_json control_study_json(const ControlStudy& study);

}  // namespace weft::study::run
