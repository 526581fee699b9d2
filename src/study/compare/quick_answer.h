// The first answer of `weft compare --quick`: step times of shorter slices under one seed, with an interval that covers
// what the whole comparison makes of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "study/report/comparison.h"
#include "study/run/path_study.h"

namespace weft::study::compare {

/// What such an answer is, and what it leaves out.
inline constexpr std::string_view kQuickNote =
    "A quick answer: step times are continued from shorter slices than usual, under one seed. Left out: causes of\n"
    "lost time, tuning risk, small messages, jitter, a failed link, further seeds. The same command without --quick\n"
    "measures them, and uses what has been run where it is the same.";

/// What each fabric's figures carry of that.
inline constexpr std::string_view kQuickCaution = "quick: shorter slices, one seed; without --quick it is measured";

struct QuickInterval {
  double low = 0;  // s
  double high = 0;
  std::string caution{};  // why it reaches further up than down; empty: it does not
};

/// Around a step of `seconds`, beside what its run knows of itself (with_run_doubts). An operation whose flows share
/// links, that has not settled and takes what its paths allow as far as its slices tell, shows nothing of what it takes
/// beyond that. With one, the interval reaches up as if all operations of its purpose grew by as much as lifts it to
/// `excess` above its paths' bound (run::settled_excess), and none of that were hidden. One whose flows share none may
/// take as little as its paths' bound, if it is continued from a slice. Other shares are empirical too: docs/compare.md
/// has quick answers beside whole comparisons. Where one seed stands for all, `hashes` says what others make of its
/// operations.
[[nodiscard]] QuickInterval quick_interval(const report::RunFigures& run, double seconds, double excess,
                                           std::span<const run::HashReach> hashes = {});

/// The least that the step of `run` can take: computing, and what is left of exposed operations if they take no longer
/// than their paths allow, by as much less as that bound may be off. Operations without such a bound count nothing.
/// 0: nothing is known.
[[nodiscard]] double least_step(const report::RunFigures& run, std::span<const run::HashReach> hashes = {});

/// Its step is a first answer's.
[[nodiscard]] bool is_quick(const report::ComparedFabric& fabric);

}  // namespace weft::study::compare
