#include "study/compare/recommendation_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace weft::study::compare {

std::string joined_names(std::span<const std::string> names, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? last : ", ") + names[i];
  }
  return text;
}

std::optional<std::string> caution_of(std::span<const report::ComparedFabric* const> fabrics) {
  std::vector<std::string> reasons;
  for (const report::ComparedFabric* own : fabrics) {
    if (const auto& reason = own->work_cost->uncertain) {
      reasons.push_back(fmt::format("{}: {}.", own->name, *reason));
    }
  }
  return reasons.empty() ? std::nullopt : std::optional(fmt::format("{}", fmt::join(reasons, " ")));
}

std::string prices_text(const report::WorkCost& cost) {
  const std::vector<std::string> given = cost.given_prices.value_or(std::vector<std::string>());
  std::size_t parts = 0;  // that cost something; what running costs is the scenario's own
  for (const double usd : {cost.network_usd, cost.hosts_usd.value_or(0), cost.gpus_usd.value_or(0)}) {
    parts += usd > 0 ? 1 : 0;
  }
  if (given.size() >= parts) {
    return "all prices are the scenario's own";
  }
  return given.empty() ? "prices are indicative"
                       : fmt::format("prices are indicative, but for those of {}", joined_names(given, " and "));
}

}  // namespace weft::study::compare
