// Figures of the same case with several seeds, which its scenario names "CASE 1", "CASE 2" and so on, three at least.
#pragma once

#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "study/claims/flow_goodput.h"
#include "study/claims/readings.h"

namespace weft::study::claims {

struct OverSeeds {
  double mean = 0;
  double least = 0;
  double most = 0;
};

/// Names of the cases of all seeds, as many as there are. Fewer than three: noted as missing.
[[nodiscard]] std::vector<std::string> seeds_of(Readings& runs, std::string_view name);

/// Of what `value` gives for each of the cases.
template <std::invocable<const std::string&> Value>
[[nodiscard]] OverSeeds over_seeds(Readings& runs, std::string_view name, const Value& value) {
  const std::vector<std::string> cases = seeds_of(runs, name);
  OverSeeds seeds;
  for (const std::string& one : cases) {
    const double found = value(one);
    seeds.mean += found / static_cast<double>(cases.size());
    seeds.least = &one == &cases.front() ? found : std::min(seeds.least, found);
    seeds.most = &one == &cases.front() ? found : std::max(seeds.most, found);
  }
  return seeds;
}

/// Goodput of flows in steady state as a share of the line; each figure of a spread over the seeds.
struct SteadyShares {
  OverSeeds mean;
  OverSeeds p10;
  OverSeeds slowest;
};
[[nodiscard]] SteadyShares steady_shares(Readings& runs, std::string_view name, const FlowChoice& choice);

/// "54 (50 to 58)", in percent.
[[nodiscard]] std::string percent(const OverSeeds& seeds);
/// "54 (50 to 58), 33 and 25 (21 to 31) %": mean, 10th percentile and slowest flow.
[[nodiscard]] std::string percent(const SteadyShares& shares);

}  // namespace weft::study::claims
