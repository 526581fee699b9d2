#include "study/plan/plan_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/counted.h"

namespace weft::study::plan {
namespace {

/// Figures that differ by less are alike.
constexpr double kSame = 0.005;

double known(const std::optional<double>& value) { return value.value_or(std::numeric_limits<double>::infinity()); }

}  // namespace

std::string_view to_string(NotRun why) {
  switch (why) {
    case NotRun::kNoReason:
      return "";
    case NotRun::kImpossible:
      return "not possible";
    case NotRun::kBeyondLimits:
      return "beyond what was asked for";
    case NotRun::kNoGain:
      return "no gain by its bound";
  }
  return "";
}

Criteria criteria_of(const PlannedDesign& design) {
  const auto power = static_cast<double>(design.bounds.total.power.count);
  const auto usd = [](scenario::Money money) { return static_cast<double>(money.count); };
  std::optional<double> growth;
  if (design.growth && design.growth->possible) {
    growth = usd(design.growth->cost);
  }
  return {design.measured ? design.cost.usd : known({}),
          design.measured ? design.measured->step : known({}),
          power,
          design.risk ? design.risk->sum + 1 : known({}),
          design.failures ? 2 - design.failures->goodput : known({}),
          known(growth)};
}

void conclude(PlanResult& result) {
  std::ranges::stable_sort(result.designs, [](const PlannedDesign& a, const PlannedDesign& b) {
    const auto rank = [](const PlannedDesign& own) {
      return std::tuple(!own.finalist, !own.measured.has_value(), own.measured ? own.cost.usd : own.bounds.usd);
    };
    return rank(a) < rank(b);
  });
  const bool any = std::ranges::any_of(result.designs, &PlannedDesign::finalist);
  std::vector<Criteria> criteria;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < result.designs.size(); ++i) {
    const PlannedDesign& own = result.designs[i];
    result.designs[i].on_front = false;
    if (own.measured && own.keeps_limits && (own.finalist || !any)) {
      criteria.push_back(criteria_of(own));
      places.push_back(i);
    }
  }
  for (const std::size_t place : pareto_front(criteria, kSame)) {
    result.designs[places[place]].on_front = true;
  }
}

std::string why_no_front(const PlanResult& result) {
  const auto run = std::ranges::count_if(result.designs, [](const auto& own) { return own.measured.has_value(); });
  if (run > 0) {
    return fmt::format("no design keeps to what was asked for: of {} run, none has a step within the deadline",
                       counted(run, {"design", "designs"}));
  }
  const auto failed = std::ranges::find_if(result.designs, [](const auto& own) { return !own.reason.empty(); });
  return fmt::format("no design can be run: {}", failed == result.designs.end() ? "none was tried" : failed->reason);
}

}  // namespace weft::study::plan
