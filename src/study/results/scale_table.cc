#include "study/results/scale_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/text_table.h"
#include "study/results/results_steps.h"
#include "study/results/summary_text.h"

namespace weft::study::results {
namespace {

double seconds(Duration value) { return value.seconds(); }

TextTable::Column column_of(std::string heading, std::size_t least, std::uint8_t rank = 0) {
  return {.heading = std::move(heading),
          .align = TextTable::Align::kRight,
          .least = least,
          .spills = least,
          .gap = 1,
          .rank = rank};
}

std::vector<std::string> cells_of(const ScalePoint& point, const ScaleWhatIf& question) {
  const StepRow& step = *point.step;
  std::vector<std::string> cells = {
      point.fabric,
      fmt::format("{}", point.gpus),
  };
  if (!point.level.empty()) {
    cells.push_back(point.level);
  }
  const std::vector<std::string> figures = {
      short_text(step.time),
      fmt::format("{:.0f}", step.tokens_per_second),
      percent(step.utilisation),
      percent(seconds(step.exposed_communication()) / seconds(step.time)),
      fmt::format("{:.3f}", acceleration_ratio(step)),
  };
  cells.insert(cells.end(), figures.begin(), figures.end());
  if (point.slower) {
    cells.push_back(short_text(*point.slower - step.time));
  }
  if (point.slower && question.job_steps > 0) {
    cells.push_back(fmt::format("{:.2f}", added_hours(point, question)));
  }
  return cells;
}

bool has_levels(const std::vector<ScalePoint>& points) {
  return std::ranges::any_of(points, [](const ScalePoint& point) { return !point.level.empty(); });
}

TextTable scale_rows(const std::vector<ScalePoint>& points, const ScaleWhatIf& question, LineWidth width) {
  constexpr std::size_t kFabric = 16;
  std::vector<TextTable::Column> columns = {{.heading = "fabric", .least = kFabric, .spills = kFabric},
                                            column_of("GPUs", 6)};
  if (has_levels(points)) {
    columns.push_back(column_of("level", 8));
  }
  for (TextTable::Column& column :
       std::vector{column_of("step", 11), column_of("tokens/s", 13, 1), column_of("MFU", 7, 2), column_of("exposed", 9),
                   column_of("accel.", 7)}) {
    columns.push_back(std::move(column));
  }
  if (question.extra_latency > Duration::zero()) {
    columns.push_back(column_of("+" + short_text(question.extra_latency), 11));
    if (question.job_steps > 0) {
      columns.push_back(column_of("hours", 9));
    }
  }
  TextTable table(std::move(columns), width);
  for (const ScalePoint& point : points) {
    if (point.step) {
      table.add(cells_of(point, question));
    } else {
      table.add_span(fmt::format("{:<{}} {:>6}  not possible: {}", point.fabric, kFabric, point.gpus, point.refusal));
    }
  }
  return table;
}

/// Why each line goes on at a level that was chosen for it, and which runs took longer than they were to.
std::string level_text(const std::vector<ScalePoint>& points, Duration budget) {
  std::string text;
  const ScalePoint* last = nullptr;
  for (const ScalePoint& point : points) {
    if (!point.why.empty() && (last == nullptr || last->fabric != point.fabric || last->level != point.level)) {
      text += fmt::format("{}: from {} GPUs on by {}: {}.\n", point.fabric, point.gpus, point.level, point.why);
    }
    last = &point;
  }
  for (const ScalePoint& point : points) {
    if (budget > Duration::zero() && point.real_time > budget) {
      text += fmt::format("{}: {} GPUs took {} of real time, more than --budget {}: {}.\n", point.fabric, point.gpus,
                          short_text(point.real_time), short_text(budget),
                          point.level == "flow" ? "no level takes less" : "the estimate was too low");
    }
  }
  return text;
}

/// Of each line and level the error of the largest size for which it was measured.
std::string error_text(const std::vector<ScalePoint>& points) {
  std::string text;
  const auto is_measured = [](const ScalePoint& point) { return point.step && point.step->composition_error; };
  for (auto point = points.begin(); point != points.end(); ++point) {
    const bool is_last = std::none_of(point + 1, points.end(), [&](const ScalePoint& other) {
      return other.fabric == point->fabric && other.level == point->level && is_measured(other);
    });
    if (is_measured(*point) && is_last) {
      text += fmt::format("{}: {} {:+.2f} % against packet-level simulation (row of {} GPUs), on {}.\n", point->fabric,
                          point->level.empty() ? "composed" : point->level, 100 * *point->step->composition_error,
                          point->gpus, point->step->composition_check);
    }
  }
  return text;
}

}  // namespace

double acceleration_ratio(const StepRow& step) { return seconds(step.compute) / seconds(step.time); }

double added_hours(const ScalePoint& point, const ScaleWhatIf& question) {
  return seconds(*point.slower - point.step->time) * static_cast<double>(question.job_steps) / 3600;
}

std::string scale_text(const ScaleCurves& curves, const ScaleWhatIf& question, LineWidth width) {
  const std::vector<ScalePoint>& points = curves.points;
  std::string text = scale_rows(points, question, width).text();
  text += "exposed: waits for communication, of the step. accel.: speed-up over one GPU that never waits, per GPU.\n";
  text += error_text(points);
  text += level_text(points, question.budget);
  for (const ScaleSeam& seam : curves.seams) {
    text +=
        fmt::format("{}: {} GPUs take {} by {} and {} by {}: {:+.2f} % at this seam.\n", seam.fabric, seam.gpus,
                    short_text(seam.from_time), seam.from, short_text(seam.to_time), seam.to, 100 * seam.difference());
  }
  if (question.extra_latency > Duration::zero()) {
    text += fmt::format("+{}: what that much more latency of every message adds to a step",
                        short_text(question.extra_latency));
    text += question.job_steps > 0 ? fmt::format("; hours: to a job of {} steps.\n", question.job_steps) : ".\n";
  }
  return text;
}

nlohmann::ordered_json scale_json(const ScaleCurves& curves, const ScaleWhatIf& question) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ScalePoint& point : curves.points) {
    nlohmann::ordered_json row{{"fabric", point.fabric}, {"gpus", point.gpus}, {"possible", point.step.has_value()}};
    if (!point.level.empty()) {
      row["level"] = point.level;
    }
    if (!point.why.empty()) {
      row["level_reason"] = point.why;
    }
    if (!point.step) {
      row["reason"] = point.refusal;
    } else {
      row["acceleration_ratio"] = acceleration_ratio(*point.step);
      row["step"] = to_json(*point.step);
    }
    if (point.slower) {
      row["extra_latency_s"] = question.extra_latency.seconds();
      row["step_time_with_extra_latency_s"] = point.slower->seconds();
      if (question.job_steps > 0) {
        row["added_hours"] = added_hours(point, question);
      }
    }
    rows.push_back(std::move(row));
  }
  nlohmann::ordered_json made{{"rows", rows}};
  if (has_levels(curves.points)) {
    nlohmann::ordered_json& seams = made["seams"] = nlohmann::ordered_json::array();
    for (const ScaleSeam& seam : curves.seams) {
      seams.push_back({{"fabric", seam.fabric},
                       {"gpus", seam.gpus},
                       {"from", seam.from},
                       {"to", seam.to},
                       {"from_time_s", seam.from_time.seconds()},
                       {"to_time_s", seam.to_time.seconds()},
                       {"difference", seam.difference()}});
    }
  }
  return made;
}

}  // namespace weft::study::results
