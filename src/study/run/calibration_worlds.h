// The small networks that corrections of the flow level are fitted from, and the times of their messages at both
// levels.
//
// Devices and settings are those of a scenario, topology and traffic are not: one switch, or two leaves under one
// spine. Nothing is random but hashes, which have one path to choose from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "flow/corrections.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

struct SmallWorld {
  std::string name{};
  scenario::Scenario scenario{};
  std::size_t first_measured = 0;  // of the traffics: those from this one on are what is measured, a message each
};

/// Whether connections of the scenario's network are streams, whose windows grow.
[[nodiscard]] bool has_streams(const scenario::Scenario& scenario);

/// One message on a network that is otherwise idle, of several sizes.
[[nodiscard]] std::vector<SmallWorld> start_worlds(const scenario::Scenario& scenario);
/// Flows that share a link, and short messages that meet them there.
[[nodiscard]] std::vector<SmallWorld> queue_worlds(const scenario::Scenario& scenario);
/// Short messages of the host that flows go to: their acknowledgements meet the queue.
[[nodiscard]] std::vector<SmallWorld> answer_worlds(const scenario::Scenario& scenario);

/// Seconds that each measured message takes, in their order. Errors: those of building the network, a run that does not
/// finish, interrupted.
[[nodiscard]] Result<std::vector<double>> packet_times(const SmallWorld& world,
                                                       const std::function<bool()>& keep_going);
[[nodiscard]] Result<std::vector<double>> flow_times(const SmallWorld& world, const flow::Corrections& corrections,
                                                     const std::function<bool()>& keep_going);

}  // namespace weft::study::run
