// The comparison as one JSON document: what `weft compare --json` prints, its results file holds, and reports are made
// from. docs/compare.md describes its shape.
//
// A figure that is not known is absent, never zero. Everything in it follows from the scenario, the catalogue, the
// seeds and the version.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/compare/comparison_plan.h"

namespace weft::study {

/// What a buyer cares for, each weight >= 0 and not all 0.
struct BuyerWeights {
  std::string name;  // of the preset, or "own"
  double speed = 1;
  double budget = 1;
  double tuning = 1;
};
/// "peak-performance", "existing-ethernet", "balanced", or "speed=5,budget=2,tuning=1". Errors say what is right.
[[nodiscard]] Result<BuyerWeights> parse_weights(const std::string& text);

struct ComparisonHeader {
  std::string version;
  std::string command;  // that makes it again
  BuyerWeights weights;
  const Catalogue* catalogue = nullptr;
};

/// `figures[i]` is what run_task gave for the plan's task i.
[[nodiscard]] nlohmann::ordered_json comparison_document(const ComparisonPlan& plan,
                                                         std::span<const nlohmann::ordered_json> figures,
                                                         const ComparisonHeader& header);

/// Mean and 95 % confidence interval of the mean (Student's t); the interval needs two values.
struct Estimate {
  double mean = 0;
  std::optional<double> low;
  std::optional<double> high;
};
[[nodiscard]] Estimate estimate_of(std::span<const double> values);

}  // namespace weft::study
