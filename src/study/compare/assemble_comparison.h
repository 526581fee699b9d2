// The comparison as one document: what `weft compare --json` prints, its results file holds, and reports are made from
// (study/report/comparison.h). docs/compare.md describes its shape.
//
// A figure that is not known is absent, never zero. Everything in it follows from the scenario, the catalogue, the
// seeds and the version.
#pragma once

#include <span>
#include <string>

#include "study/compare/buyer_weights.h"
#include "study/compare/comparison_plan.h"
#include "study/compare/task_figures.h"
#include "study/report/comparison.h"

namespace weft::study::compare {

struct ComparisonHeader {
  std::string version;
  std::string command;  // that makes it again
  BuyerWeights weights;
  const scenario::Catalogue* catalogue = nullptr;
};

/// `figures[i]` is what run_task gave for the plan's task i.
[[nodiscard]] report::Comparison assemble_comparison(const ComparisonPlan& plan, std::span<const TaskFigures> figures,
                                                     const ComparisonHeader& header);

}  // namespace weft::study::compare
