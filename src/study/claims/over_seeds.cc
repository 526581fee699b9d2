#include "study/claims/over_seeds.h"

#include <fmt/core.h>

#include <utility>

namespace weft::study::claims {

std::vector<std::string> seeds_of(Readings& runs, std::string_view name) {
  constexpr std::size_t kLeast = 3;
  std::vector<std::string> found;
  for (const ClaimCase& one : runs.cases()) {
    if (one.name == fmt::format("{} {}", name, found.size() + 1)) {
      found.push_back(one.name);
    }
  }
  if (found.size() < kLeast) {
    runs.miss(fmt::format("no case '{} {}'", name, found.size() + 1));
  }
  return found;
}

SteadyShares steady_shares(Readings& runs, std::string_view name, const FlowChoice& choice) {
  const auto of = [&](double FlowSpread::*figure) {
    return over_seeds(runs, name, [&](const std::string& one) {
      const results::RunResults& results = runs.at(one).results;
      return spread_of_flows(flow_shares(results, choice, steady_window(results))).*figure;
    });
  };
  return {.mean = of(&FlowSpread::mean), .p10 = of(&FlowSpread::p10), .slowest = of(&FlowSpread::slowest)};
}

std::string percent(const OverSeeds& seeds) {
  return fmt::format("{:.0f} ({:.0f} to {:.0f})", 100 * seeds.mean, 100 * seeds.least, 100 * seeds.most);
}

std::string percent(const SteadyShares& shares) {
  return fmt::format("{}, {:.0f} and {} %", percent(shares.mean), 100 * shares.p10.mean, percent(shares.slowest));
}

}  // namespace weft::study::claims
