#include "study/report/comparison_diff_json.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;

Json text_json(const TextDifference& difference) {
  Json json{{"fabric", difference.fabric}, {"name", difference.name}};
  if (difference.a) {
    json["a"] = *difference.a;
  }
  if (difference.b) {
    json["b"] = *difference.b;
  }
  return json;
}

/// What is there of both sides' values and of the change from one to the other.
void add_numbers(Json& json, const std::optional<double>& a, const std::optional<double>& b,
                 const std::optional<double>& change) {
  const std::pair<const char*, const std::optional<double>*> numbers[] = {
      {"a", &a}, {"b", &b}, {"relative_change", &change}};
  for (const auto& [key, value] : numbers) {
    if (*value) {
      json[key] = **value;
    }
  }
}

}  // namespace

Json diff_json(const ComparisonDiff& diff) {
  Json json{{"headline", Json::array()},
            {"fabrics_only_in_a", diff.only_in_a},
            {"fabrics_only_in_b", diff.only_in_b},
            {"settings", Json::array()},
            {"figures", Json::array()},
            {"statements", Json::array()},
            {"figures_equal", diff.same}};
  for (const HeadlineFigure& figure : diff.headline) {
    Json made{{"fabric", figure.fabric}, {"label", figure.label}};
    add_numbers(made, figure.a, figure.b, figure.change);
    made["difference"] = figure.verdict ? to_string(*figure.verdict) : figure.a ? "equal" : "not known";
    json["headline"].push_back(std::move(made));
  }
  for (const TextDifference& setting : diff.settings) {
    json["settings"].push_back(text_json(setting));
  }
  for (const TextDifference& statement : diff.statements) {
    json["statements"].push_back(text_json(statement));
  }
  for (const FigureDifference& figure : diff.figures) {
    Json made{{"fabric", figure.fabric}, {"name", figure.name}};
    add_numbers(made, figure.a, figure.b, figure.change);
    made["difference"] = to_string(figure.verdict);
    json["figures"].push_back(made);
  }
  return json;
}

}  // namespace weft::study::report
