// How many seeds each point of a sweep needs for the question that is asked, and no more.
//
// Every point has the seeds 0, 1, 2, ... up to a number of its own, so two points have some in common, and are held
// against one another seed by seed: what a seed does to both (the hashes of its switches, the places of its ranks)
// is no difference between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "study/sweep/quantile.h"

namespace weft::study::sweep {

enum class Question : std::uint8_t {
  kNone,       // the first seeds, and no more
  kBest,       // which point is best
  kRanking,    // the order of all points
  kPrecision,  // each point's mean, to a share of it
};

enum class Better : std::uint8_t { kLower, kHigher };

struct StopRule {
  Question question = Question::kNone;
  double precision = 0;   // of kPrecision: half of the interval, relative
  std::size_t first = 5;  // seeds that every point has
  std::size_t most = 30;  // of any point
  double same = 0.005;    // points that differ by less, relative, are alike
  Better better = Better::kLower;
};

/// Values of one point by seed; empty: it cannot be run, and counts for nothing.
using SeedValues = std::vector<double>;

/// How two points stand to one another.
enum class Standing : std::uint8_t { kWorse, kSame, kNotKnown };
struct Difference {
  double mean = 0;                     // how much worse the second is, in units of the figure
  std::optional<Interval> interval{};  // over the seeds that both have
  Standing standing = Standing::kNotKnown;
};
/// The second against the first, which is not worse by its mean. `comparisons`: how many are made together, all of
/// which hold at 95 % (Bonferroni).
struct Comparison {
  const SeedValues& first;
  const SeedValues& second;
  std::size_t comparisons = 1;
};
[[nodiscard]] Difference difference_of(const Comparison& pair, const StopRule& rule);

/// Points that can be run, best mean first; of equal ones the earlier first.
[[nodiscard]] std::vector<std::size_t> ranked(std::span<const SeedValues> points, Better better);

/// How many seeds each point is to have next: as many as now where the question is answered as far as it goes, at most
/// `rule.most`. Of a run that has not begun, `rule.first` each.
[[nodiscard]] std::vector<std::size_t> seeds_needed(std::span<const SeedValues> points, const StopRule& rule);

/// Points that may be the best: the best one, and all that are not known to be worse; those known to be alike come
/// first. Best first.
struct BestPoints {
  std::vector<std::size_t> alike{};      // the best, and those within `same` of it
  std::vector<std::size_t> not_known{};  // that might be better
};
[[nodiscard]] BestPoints best_points(std::span<const SeedValues> points, const StopRule& rule);

}  // namespace weft::study::sweep
