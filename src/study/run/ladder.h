// The latency ladder: one small message on each family, stage by stage, beside kernel TCP.
//
// Each run whose scenario has `output.ladder = "PROFILE/FABRIC"` gives one rung: the latency of its last message, as
// measured, and the stages it is made of, which add up to it exactly.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "study/results/results.h"
#include "study/run/simulation.h"

namespace weft::study::run {

/// Fills in `stages` of a run on the ladder, from its messages; otherwise does nothing.
void take_stages(const Simulation& simulation, results::RunResults& results);

/// An array of {profile, fabric, latency_us, ratio_to_tcp, stages: [{name, us, mark}]}, in the order of the runs. The
/// ratio is to the rung "tcp" of the same profile, and absent if there is none.
[[nodiscard]] nlohmann::ordered_json ladder_json(std::span<const results::RunResults> runs);

/// A table per profile; empty if no run is on the ladder.
[[nodiscard]] std::string ladder_text(std::span<const results::RunResults> runs);

}  // namespace weft::study::run
