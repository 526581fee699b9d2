#include "study/compare/work_cost.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "study/compare/bill_marks.h"

namespace weft::study::compare {
namespace {

constexpr double kSecondsPerYear = 8'760.0 * 3'600;

double usd(scenario::Money value) { return static_cast<double>(value.count) / 1e3; }

std::optional<double> usd(const std::optional<scenario::Money>& value) {
  return value ? std::optional(usd(*value)) : std::nullopt;
}

double share_of(Probability probability) {
  return static_cast<double>(probability.raw()) / static_cast<double>(Probability::kOne);
}

struct Unit {
  const char* name;
  double per_step;
};

Unit unit_of(const scenario::Scenario& scenario, double tokens) {
  if (tokens > 0) {
    return {.name = "million tokens", .per_step = tokens / 1e6};
  }
  const bool steps =
      std::ranges::any_of(scenario.jobs, [](const scenario::JobSettings& job) { return job.runs_steps(); });
  return steps ? Unit{.name = "thousand steps", .per_step = 1e-3} : Unit{.name = "million runs", .per_step = 1e-6};
}

/// Of what costs something, that of which the scenario gives all prices.
std::vector<std::string> given_prices(const report::ComparedFabric& fabric, const cost::TotalCost& total) {
  std::vector<std::string> given;
  if (total.network != scenario::Money{} && !has_indicative_price(fabric)) {
    given.emplace_back("network");
  }
  const auto add = [&](const std::optional<cost::CostItem>& item, const char* name) {
    if (item && item->price != scenario::Money{} && item->mark == "given") {
      given.emplace_back(name);
    }
  };
  add(total.hosts, "hosts");
  add(total.gpus, "GPUs");
  return given;
}

void set_parts(report::WorkCost& made, const report::ComparedFabric& fabric, const cost::TotalCost& total) {
  made.total_usd = usd(total.total());
  made.network_usd = usd(total.network);
  if (total.other != scenario::Money{}) {
    made.other_usd = usd(total.other);
  }
  if (total.hosts) {
    made.hosts = total.hosts->count;
    made.hosts_usd = usd(total.hosts->price);
  }
  if (total.gpus) {
    made.gpus = total.gpus->count;
    made.gpus_usd = usd(total.gpus->price);
    made.gpu_price_usd = usd(total.gpus->unit_price);
  }
  const auto given = given_prices(fabric, total);
  if (!given.empty()) {
    made.given_prices = given;
  }
  made.energy_usd = usd(total.energy);
  made.upkeep_usd = usd(total.upkeep);
  made.staff_usd = usd(total.staff);
  made.power = static_cast<double>(total.power.count) / 1e3;
  made.years = total.years;
  made.years_assumed = total.years_assumed;
  made.availability = total.availability;
  made.not_counted = total.not_counted;
}

}  // namespace

std::optional<double> loss_of_settings(const report::TuningRisk& risk) {
  struct Losses {
    double sum = 0;
    double count = 0;
  };
  const auto counts = [](const report::MisconfigurationCase& own) {
    return own.of && !own.fault.value_or(false) && !own.unmeasured.value_or(false);
  };
  double never_ends = 1;
  for (const report::MisconfigurationCase& own : risk.cases) {
    never_ends = counts(own) ? std::max(never_ends, own.loss.value_or(0)) : never_ends;
  }
  std::map<std::string, Losses> settings;
  for (const report::MisconfigurationCase& own : risk.cases) {
    if (counts(own)) {
      Losses& losses = settings[*own.of];
      losses.sum += std::max(own.loss.value_or(never_ends), 0.0);
      losses.count += 1;
    }
  }
  if (settings.empty() || risk.figures.reason) {
    return std::nullopt;
  }
  double sum = 0;
  for (const auto& [setting, losses] : settings) {
    sum += losses.sum / losses.count;
  }
  return sum;
}

Estimate known_step(const report::ComparedFabric& fabric) {
  return {.mean = fabric.step.mean.value_or(0), .low = fabric.step.low, .high = fabric.step.high};
}

Estimate with_run_doubts(Estimate step, const report::RunFigures& run) {
  const double mean = step.mean;
  const double slices = mean * std::abs(run.interval.value_or(0));
  const double composition = mean * std::abs(run.composition_error.value_or(0));
  if (!step.low && !run.interval && !run.composition_error) {
    return step;
  }
  const double below = std::hypot(mean - step.low.value_or(mean), slices, composition);
  const double above = std::hypot(step.high.value_or(mean) - mean, slices, composition);
  step.low = std::max(mean - below, 0.0);
  step.high = mean + above;
  return step;
}

/// Why the interval of the step, or the price, may not hold.
std::vector<std::string> doubts_of(const report::ComparedFabric& fabric, const scenario::Scenario& scenario) {
  constexpr double kFarOff = 0.05;
  std::vector<std::string> doubts;
  if (fabric.run.slice_caution) {
    doubts.push_back(*fabric.run.slice_caution);
  } else if (!fabric.step.low || (fabric.step.each && fabric.step.each->size() == 1)) {
    doubts.emplace_back("one seed: how much seeds differ is not known");
  }
  if (const double off = fabric.run.composition_error.value_or(0); std::abs(off) > kFarOff) {
    doubts.push_back(
        fmt::format("its step is put together, and that of a smaller job with every packet simulated was {:.0f} % {} "
                    "than the one put together like this",
                    std::abs(1 / (1 + off) - 1) * 100, off < 0 ? "longer" : "shorter"));
  }
  if (fabric.left_out) {
    doubts.push_back(*fabric.left_out);
    if (!scenario.cost.other) {
      doubts.emplace_back("what else carries it is not in the price (cost.other)");
    }
  }
  return doubts;
}

report::WorkCost work_cost_of(const report::ComparedFabric& fabric, const scenario::Scenario& scenario,
                              const cost::TotalCost& total, double tokens) {
  const Unit unit = unit_of(scenario, tokens);
  report::WorkCost made;
  made.unit = unit.name;
  made.price_uncertainty = share_of(scenario.cost.price_uncertainty);
  set_parts(made, fabric, total);
  double lost = 0;
  if (const auto& probability = scenario.cost.misconfiguration_probability) {
    const auto loss = fabric.tuning_risk ? loss_of_settings(*fabric.tuning_risk) : std::nullopt;
    if (loss) {
      lost = *loss * share_of(*probability);
      made.misconfiguration = lost;
    } else {
      made.not_counted.emplace_back("misconfigurations: their losses were not measured");
    }
  }
  if (fabric.failures && fabric.failures->goodput) {
    made.availability *= *fabric.failures->goodput;
  }
  const double seconds = static_cast<double>(total.years) * kSecondsPerYear * made.availability;
  const double usd_per_step_second =
      seconds > 0 && unit.per_step > 0 ? made.total_usd / seconds * (1 + lost) / unit.per_step : 0;
  const Estimate step = known_step(fabric);
  made.usd = usd_per_step_second * step.mean;
  if (step.low) {
    made.low = usd_per_step_second * *step.low;
    made.high = usd_per_step_second * *step.high;
  }
  const std::vector<std::string> doubts = doubts_of(fabric, scenario);
  if (!doubts.empty()) {
    made.uncertain = fmt::format("{}", fmt::join(doubts, "; "));
  }
  if (fabric.left_out && !scenario.cost.other) {
    made.not_counted.push_back(
        fmt::format("another network for the traffic that is left out (cost.other): {}", *fabric.left_out));
  }
  return made;
}

}  // namespace weft::study::compare
