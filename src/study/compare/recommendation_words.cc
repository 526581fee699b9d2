#include "study/compare/recommendation_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "study/compare/quick_answer.h"

namespace weft::study::compare {

std::string joined_names(std::span<const std::string> names, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? last : ", ") + names[i];
  }
  return text;
}

std::vector<std::string> parts_of_caution(std::string_view caution) {
  constexpr std::string_view kBetween = "; ";
  std::vector<std::string> parts;
  if (caution.starts_with(kQuickCaution)) {
    parts.emplace_back(kQuickCaution);
    caution.remove_prefix(kQuickCaution.size());
    caution.remove_prefix(caution.starts_with(kBetween) ? kBetween.size() : 0);
  }
  if (!caution.empty()) {
    parts.emplace_back(caution);
  }
  return parts;
}

void Cautions::add(const std::string& name, std::string_view caution) {
  for (std::string& part : parts_of_caution(caution)) {
    const auto known = std::ranges::find(said_, part, &Said::text);
    if (known == said_.end()) {
      said_.push_back({.text = std::move(part), .names = {name}});
    } else {
      known->names.push_back(name);
    }
  }
}

std::optional<std::string> caution_of(std::span<const report::ComparedFabric* const> fabrics) {
  Cautions cautions;
  for (const report::ComparedFabric* own : fabrics) {
    if (const auto& reason = own->work_cost->uncertain) {
      cautions.add(own->name, *reason);
    }
  }
  std::vector<std::string> reasons;
  for (const Cautions::Said& own : cautions.all()) {
    reasons.push_back(fmt::format("{}: {}.", joined_names(own.names, " and "), own.text));
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
