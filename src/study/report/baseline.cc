#include "study/report/baseline.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "study/report/comparison_diff.h"
#include "study/report/comparison_diff_json.h"
#include "study/report/comparison_tables.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;

Json baseline_fabric(const ComparedFabric& fabric) {
  Json json{{"name", fabric.name}, {"possible", fabric.possible}};
  if (fabric.step.mean) {
    json[name_of<&ComparedFabric::step, &StepTimes::mean>()] = *fabric.step.mean;
  }
  if (fabric.work_cost) {
    json["usd"] = fabric.work_cost->usd;
    json["unit"] = fabric.work_cost->unit;
  }
  return json;
}

}  // namespace

Result<void> check_baseline(const Comparison& comparison, const Baseline& baseline) {
  bool shared = false;
  for (const ComparedFabric& fabric : comparison.fabrics) {
    const auto other = std::ranges::find(baseline.comparison.fabrics, fabric.name, &ComparedFabric::name);
    if (other == baseline.comparison.fabrics.end()) {
      continue;
    }
    shared = true;
    if (fabric.work_cost && other->work_cost && fabric.work_cost->unit != other->work_cost->unit) {
      return fail("{}: the work of {} is counted in {}, that of the report in {}; a baseline has work of the same kind",
                  baseline.file, fabric.name, other->work_cost->unit, fabric.work_cost->unit);
    }
  }
  return shared ? Result<void>()
                : fail("{}: no fabric of the report is in it; a baseline has at least one of them", baseline.file);
}

Json baseline_json(const Comparison& comparison, const Baseline& baseline) {
  const Comparison& before = baseline.comparison;
  Json json{{"file", baseline.file}};
  if (before.version) {
    json["version"] = *before.version;
  }
  if (before.scenario && before.scenario->name) {
    json["scenario"] = *before.scenario->name;
  }
  json["fabrics"] = Json::array();
  for (const ComparedFabric& fabric : before.fabrics) {
    json["fabrics"].push_back(baseline_fabric(fabric));
  }
  json["diff"] = diff_json(diff_comparisons({.a = before, .b = comparison}));
  return json;
}

}  // namespace weft::study::report
