// What wrong settings cost in steady state: goodput of flows that is lost against the same seeds of the same network
// set up right. Cases are named as in over_seeds.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/claims/flow_goodput.h"
#include "study/claims/over_seeds.h"
#include "study/claims/readings.h"

namespace weft::study::claims {

/// Shares of goodput: 0.3 for 30 % less than right, negative for more. Each seed is compared with its own.
struct Loss {
  std::string name{};  // of the mistake
  OverSeeds mean;      // of the mean flow
  OverSeeds slowest;   // of the slowest flow
};

struct RightAndWrong {
  std::string_view right;
  std::string_view wrong;  // the loss is named after it, without "RIGHT, " in front
};
[[nodiscard]] Loss loss_of(Readings& runs, const RightAndWrong& names, const FlowChoice& choice);

/// Of single mistakes and of pairs of them.
struct MistakeLosses {
  std::vector<Loss> single;
  std::vector<Loss> pairs;
};
/// Of all plausible mistakes in setting up `right`, in the order of study/compare/misconfigurations.h.
[[nodiscard]] MistakeLosses losses_of_misconfigurations(Readings& runs, std::string_view right,
                                                        const FlowChoice& choice);

/// By the mean flow; zero for none.
[[nodiscard]] double median_loss(std::span<const Loss> losses);
/// By the mean flow; a loss of nothing for none.
[[nodiscard]] Loss worst_loss(std::span<const Loss> losses);

/// "name 52 (50 to 54) %; name ..." of those whose mean flow loses at least `least`, greatest first; "none" for none.
[[nodiscard]] std::string list_of(std::span<const Loss> losses, double least);

/// How far the mean flow's goodput in the second half of the steady window is from that in the first: 0.05 for 5 %. The
/// mean over seeds, up or down: a network on its way somewhere goes the same way with every seed, one that swings does
/// not.
[[nodiscard]] double unsettled(Readings& runs, std::string_view name, const FlowChoice& choice);

}  // namespace weft::study::claims
