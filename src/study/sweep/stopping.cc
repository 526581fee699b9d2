#include "study/sweep/stopping.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace weft::study::sweep {
namespace {

double mean_of(const SeedValues& values) { return mean_of_seeds(values).mean; }

/// Half as many again: few rounds, each long enough for all cores, and few looks at what chance makes of the interval.
std::size_t next_count(std::size_t have, const StopRule& rule) {
  return std::clamp(have + std::max<std::size_t>(have / 2, 1), have, std::max(have, rule.most));
}

class Needs {
 public:
  Needs(std::span<const SeedValues> points, const StopRule& rule) : points_(points), rule_(rule) {
    for (const SeedValues& own : points) {
      counts_.push_back(own.size());
    }
  }

  std::vector<std::size_t> take() {
    const std::vector<std::size_t> order = ranked(points_, rule_.better);
    if (rule_.question == Question::kPrecision) {
      for (const std::size_t point : order) {
        const MeanOfSeeds own = mean_of_seeds(points_[point]);
        if (own.mean != 0 && own.relative_half().value_or(rule_.precision + 1) > rule_.precision) {
          more(point);
        }
      }
    } else if (rule_.question != Question::kNone) {
      for (std::size_t i = 1; i < order.size(); ++i) {
        const std::size_t before = rule_.question == Question::kBest ? order.front() : order[i - 1];
        const Difference apart = difference_of(
            {.first = points_[before], .second = points_[order[i]], .comparisons = order.size() - 1}, rule_);
        if (apart.standing == Standing::kNotKnown) {
          together(before, order[i]);
        }
      }
    }
    return std::move(counts_);
  }

 private:
  void more(std::size_t point) { counts_[point] = std::max(counts_[point], next_count(points_[point].size(), rule_)); }

  /// Seeds that only one of two has do not tell them apart: the one with fewer comes up first.
  void together(std::size_t a, std::size_t b) {
    const std::size_t fewer = std::min(points_[a].size(), points_[b].size());
    for (const std::size_t point : {a, b}) {
      counts_[point] = std::max(counts_[point], next_count(fewer, rule_));
    }
  }

  std::span<const SeedValues> points_;
  const StopRule& rule_;
  std::vector<std::size_t> counts_;
};

}  // namespace

Difference difference_of(const Comparison& pair, const StopRule& rule) {
  const std::size_t common = std::min(pair.first.size(), pair.second.size());
  WEFT_ASSERT(common > 0);
  const double sign = rule.better == Better::kLower ? 1 : -1;
  std::vector<double> differences;
  double first = 0;
  for (std::size_t i = 0; i < common; ++i) {
    differences.push_back(sign * (pair.second[i] - pair.first[i]));
    first += pair.first[i] / static_cast<double>(common);
  }
  const double together = static_cast<double>(std::max<std::size_t>(pair.comparisons, 1));
  const MeanOfSeeds own = mean_of_seeds(differences, 1 - (1 - kConfidence) / together);
  Difference made{.mean = own.mean, .interval = own.interval};
  if (own.interval) {
    const double same = rule.same * std::abs(first);
    made.standing = own.interval->high <= same && own.interval->low >= -same ? Standing::kSame
                    : own.interval->low > 0                                  ? Standing::kWorse
                                                                             : Standing::kNotKnown;
  }
  return made;
}

std::vector<std::size_t> ranked(std::span<const SeedValues> points, Better better) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].empty()) {
      order.push_back(i);
    }
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const double mean = mean_of(points[i]);
    return better == Better::kLower ? mean : -mean;
  });
  return order;
}

std::vector<std::size_t> seeds_needed(std::span<const SeedValues> points, const StopRule& rule) {
  return Needs(points, rule).take();
}

BestPoints best_points(std::span<const SeedValues> points, const StopRule& rule) {
  const std::vector<std::size_t> order = ranked(points, rule.better);
  BestPoints made;
  for (const std::size_t point : order) {
    if (point == order.front()) {
      made.alike.push_back(point);
      continue;
    }
    const Difference apart =
        difference_of({.first = points[order.front()], .second = points[point], .comparisons = order.size() - 1}, rule);
    if (apart.standing == Standing::kSame) {
      made.alike.push_back(point);
    } else if (apart.standing == Standing::kNotKnown) {
      made.not_known.push_back(point);
    }
  }
  return made;
}

}  // namespace weft::study::sweep
