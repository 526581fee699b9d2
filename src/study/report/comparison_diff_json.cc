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

}  // namespace

Json diff_json(const ComparisonDiff& diff) {
  Json json{{"fabrics_only_in_a", diff.only_in_a}, {"fabrics_only_in_b", diff.only_in_b},
            {"settings", Json::array()},           {"figures", Json::array()},
            {"statements", Json::array()},         {"figures_equal", diff.same}};
  for (const TextDifference& setting : diff.settings) {
    json["settings"].push_back(text_json(setting));
  }
  for (const TextDifference& statement : diff.statements) {
    json["statements"].push_back(text_json(statement));
  }
  for (const FigureDifference& figure : diff.figures) {
    Json made{{"fabric", figure.fabric}, {"name", figure.name}};
    const auto add = [&made](const char* key, const std::optional<double>& value) {
      if (value) {
        made[key] = *value;
      }
    };
    add("a", figure.a);
    add("b", figure.b);
    add("relative_change", figure.change);
    made["difference"] = to_string(figure.verdict);
    json["figures"].push_back(made);
  }
  return json;
}

}  // namespace weft::study::report
