#include "study/run/flow_calibration.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/format_quantity.h"
#include "study/run/calibration_worlds.h"
#include "study/run/flow_simulation.h"

namespace weft::study::run {
namespace {

using flow::Corrections;

/// A residual that falls by less than this part is no reason for a correction.
constexpr double kLeastGain = 0.05;
/// Of the least residual: values that do as well.
constexpr double kAsGood = 1.1;

struct Trial {
  std::vector<double> errors{};  // log(flows / packets) of each message, world by world
  [[nodiscard]] double residual() const {
    double sum = 0;
    for (const double error : errors) {
      sum += error * error;
    }
    return errors.empty() ? 0 : std::sqrt(sum / static_cast<double>(errors.size()));
  }
};

struct MeasuredWorld {
  SmallWorld world{};
  std::vector<double> packets{};  // of its measured messages
};

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) {
    sum += std::log(value);
  }
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

/// What runs of the small worlds have in common.
class Fit {
 public:
  Fit(std::vector<MeasuredWorld> worlds, const std::function<bool()>& keep_going)
      : worlds_(std::move(worlds)), keep_going_(keep_going) {}

  Result<Trial> try_out(const Corrections& corrections) const {
    Trial trial;
    for (const MeasuredWorld& world : worlds_) {
      Result<std::vector<double>> flows = flow_times(world.world, corrections, keep_going_);
      if (!flows) {
        return pass_on(flows);
      }
      for (std::size_t i = 0; i < flows->size(); ++i) {
        trial.errors.push_back(std::log((*flows)[i] / world.packets[i]));
      }
    }
    return trial;
  }

  /// The value of the grid with the least residual, with the interval of those as good; `best` becomes it.
  template <class Value>
  Result<FittedValue> search(const char* name, std::span<const Value> grid, Value Corrections::*member,
                             Corrections& best) const {
    std::vector<double> residuals;
    for (const Value& value : grid) {
      Corrections tried = best;
      tried.*member = value;
      Result<Trial> trial = try_out(tried);
      if (!trial) {
        return pass_on(trial);
      }
      residuals.push_back(trial->residual());
    }
    const auto least = std::ranges::min_element(residuals);
    const auto chosen = static_cast<std::size_t>(least - residuals.begin());
    best.*member = grid[chosen];
    FittedValue made{.name = name, .value = number_of(grid[chosen])};
    made.low = made.high = made.value;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      if (residuals[i] <= *least * kAsGood) {
        made.low = std::min(made.low, number_of(grid[i]));
        made.high = std::max(made.high, number_of(grid[i]));
      }
    }
    return made;
  }

  Result<std::vector<CalibrationWorld>> compare(const Corrections& before, const Corrections& after) const {
    std::vector<CalibrationWorld> rows;
    for (const MeasuredWorld& world : worlds_) {
      Result<std::vector<double>> without = flow_times(world.world, before, keep_going_);
      Result<std::vector<double>> with = without ? flow_times(world.world, after, keep_going_) : pass_on(without);
      if (!with) {
        return pass_on(with);
      }
      rows.push_back({.name = world.world.name,
                      .messages = world.packets.size(),
                      .packets = geometric_mean(world.packets),
                      .before = geometric_mean(*without),
                      .after = geometric_mean(*with)});
    }
    return rows;
  }

 private:
  static double number_of(Bytes bytes) { return static_cast<double>(bytes.count()); }
  static double number_of(double factor) { return factor; }

  std::vector<MeasuredWorld> worlds_;
  const std::function<bool()>& keep_going_;
};

/// From `first` on, each larger by the square root of two, in whole bytes.
std::vector<Bytes> grid_of_bytes(Bytes first, int steps) {
  std::vector<Bytes> grid;
  for (int i = 0; i < steps; ++i) {
    grid.emplace_back(std::llround(static_cast<double>(first.count()) * std::pow(2.0, 0.5 * i)));
  }
  return grid;
}

Result<Fit> measure(std::vector<SmallWorld> worlds, const std::function<bool()>& keep_going) {
  std::vector<MeasuredWorld> measured;
  for (SmallWorld& world : worlds) {
    Result<std::vector<double>> packets = packet_times(world, keep_going);
    if (!packets) {
      return pass_on(packets);
    }
    measured.push_back({.world = std::move(world), .packets = std::move(*packets)});
  }
  return Fit(std::move(measured), keep_going);
}

/// Keeps what was fitted if it is better than what was there.
Result<FittedCorrection> judge(const Fit& fit, FittedCorrection made, const Corrections& tried, Corrections& best) {
  Result<Trial> before = fit.try_out(best);
  Result<Trial> after = before ? fit.try_out(tried) : pass_on(before);
  Result<std::vector<CalibrationWorld>> worlds = after ? fit.compare(best, tried) : pass_on(after);
  if (!worlds) {
    return pass_on(worlds);
  }
  made.before = before->residual();
  made.after = after->residual();
  made.worlds = std::move(*worlds);
  made.kept = made.after < made.before * (1 - kLeastGain);
  if (made.kept) {
    best = tried;
  }
  return made;
}

Result<FittedCorrection> fit_start(const scenario::Scenario& scenario, const std::function<bool()>& keep_going,
                                   Corrections& best) {
  Result<Fit> fit = measure(start_worlds(scenario), keep_going);
  if (!fit) {
    return pass_on(fit);
  }
  constexpr int kWindows = 17;
  constexpr std::array kGrowths{1.25, 1.5, 1.75, 2.0};
  const std::vector<Bytes> windows = grid_of_bytes(1_kib, kWindows);
  Corrections tried = best;
  std::optional<double> least;
  FittedCorrection made{.what = "start of streams"};
  for (const double growth : kGrowths) {
    Corrections one = best;
    one.window_growth = growth;
    Result<FittedValue> window = fit->search<Bytes>("start_window", windows, &Corrections::start_window, one);
    Result<Trial> trial = window ? fit->try_out(one) : pass_on(window);
    if (!trial) {
      return pass_on(trial);
    }
    if (!least || trial->residual() < *least) {
      least = trial->residual();
      tried = one;
      made.values = {*window};
    }
  }
  Result<FittedValue> growth = fit->search<double>("window_growth", kGrowths, &Corrections::window_growth, tried);
  if (!growth) {
    return pass_on(growth);
  }
  made.values.push_back(*growth);
  return judge(*fit, std::move(made), tried, best);
}

Result<FittedCorrection> fit_queues(const scenario::Scenario& scenario, const std::function<bool()>& keep_going,
                                    Corrections& best) {
  Result<Fit> fit = measure(queue_worlds(scenario), keep_going);
  if (!fit) {
    return pass_on(fit);
  }
  constexpr int kSizes = 32;
  constexpr int kRounds = 2;
  const std::vector<Bytes> sizes = grid_of_bytes(2_kib, kSizes);
  Corrections tried = best;
  FittedCorrection made{.what = "queues"};
  for (int round = 0; round < kRounds; ++round) {
    Result<FittedValue> one = fit->search<Bytes>("flow_backlog", sizes, &Corrections::flow_backlog, tried);
    Result<FittedValue> all =
        one ? fit->search<Bytes>("link_backlog", sizes, &Corrections::link_backlog, tried) : pass_on(one);
    if (!all) {
      return pass_on(all);
    }
    made.values = {*one, *all};
  }
  return judge(*fit, std::move(made), tried, best);
}

Result<FittedCorrection> fit_answers(const scenario::Scenario& scenario, const std::function<bool()>& keep_going,
                                     Corrections& best) {
  Result<Fit> fit = measure(answer_worlds(scenario), keep_going);
  if (!fit) {
    return pass_on(fit);
  }
  constexpr std::array kShares{0.0, 0.25, 0.5, 0.75, 1.0};
  Corrections tried = best;
  Result<FittedValue> share = fit->search<double>("answer_wait", kShares, &Corrections::answer_wait, tried);
  if (!share) {
    return pass_on(share);
  }
  return judge(*fit, {.what = "acknowledgements", .values = {*share}}, tried, best);
}

}  // namespace

Result<FlowCalibration> calibrate_flow_level(const scenario::Scenario& scenario,
                                             const std::function<bool()>& keep_going) {
  if (!scenario.overrides.empty()) {
    return fail("[[override]]: corrections are of devices that are alike; calibrate without it");
  }
  FlowCalibration made;
  if (has_streams(scenario)) {
    Result<FittedCorrection> start = fit_start(scenario, keep_going, made.corrections);
    if (!start) {
      return pass_on(start);
    }
    made.fitted.push_back(std::move(*start));
  }
  Result<FittedCorrection> queues = fit_queues(scenario, keep_going, made.corrections);
  if (!queues) {
    return pass_on(queues);
  }
  made.fitted.push_back(std::move(*queues));
  if (made.corrections.flow_backlog > Bytes::zero()) {
    Result<FittedCorrection> answers = fit_answers(scenario, keep_going, made.corrections);
    if (!answers) {
      return pass_on(answers);
    }
    made.fitted.push_back(std::move(*answers));
  }
  return made;
}

}  // namespace weft::study::run
