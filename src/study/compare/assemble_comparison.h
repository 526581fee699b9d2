// The comparison as one JSON document: what `weft compare --json` prints, its results file holds, and reports are made
// from. docs/compare.md describes its shape.
//
// A figure that is not known is absent, never zero. Everything in it follows from the scenario, the catalogue, the
// seeds and the version.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "study/compare/buyer_weights.h"
#include "study/compare/comparison_plan.h"

namespace weft::study::compare {

struct ComparisonHeader {
  std::string version;
  std::string command;  // that makes it again
  BuyerWeights weights;
  const scenario::Catalogue* catalogue = nullptr;
};

/// `figures[i]` is what run_task gave for the plan's task i.
[[nodiscard]] nlohmann::ordered_json comparison_document(const ComparisonPlan& plan,
                                                         std::span<const nlohmann::ordered_json> figures,
                                                         const ComparisonHeader& header);

}  // namespace weft::study::compare
