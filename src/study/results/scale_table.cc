#include "study/results/scale_table.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "study/results/results_steps.h"
#include "study/results/summary_text.h"

namespace weft::study::results {
namespace {

double seconds(Duration value) { return value.seconds(); }

std::string row_text(const ScalePoint& point, const ScaleWhatIf& question) {
  if (!point.step) {
    return fmt::format("{:<16} {:>6}  not possible: {}\n", point.fabric, point.gpus, point.refusal);
  }
  const StepRow& step = *point.step;
  std::string text =
      fmt::format("{:<16} {:>6} {:>11} {:>13.0f} {:>7} {:>9} {:>7.3f}", point.fabric, point.gpus, short_text(step.time),
                  step.tokens_per_second, percent(step.utilisation),
                  percent(seconds(step.exposed_communication()) / seconds(step.time)), acceleration_ratio(step));
  if (point.slower) {
    text += fmt::format(" {:>11}", short_text(*point.slower - step.time));
  }
  if (point.slower && question.job_steps > 0) {
    text += fmt::format(" {:>9.2f}", added_hours(point, question));
  }
  return text + "\n";
}

}  // namespace

double acceleration_ratio(const StepRow& step) { return seconds(step.compute) / seconds(step.time); }

double added_hours(const ScalePoint& point, const ScaleWhatIf& question) {
  return seconds(*point.slower - point.step->time) * static_cast<double>(question.job_steps) / 3600;
}

std::string scale_text(std::span<const ScalePoint> points, const ScaleWhatIf& question) {
  std::string text = fmt::format("{:<16} {:>6} {:>11} {:>13} {:>7} {:>9} {:>7}", "fabric", "GPUs", "step", "tokens/s",
                                 "MFU", "exposed", "accel.");
  if (question.extra_latency > Duration::zero()) {
    text += fmt::format(" {:>11}", "+" + short_text(question.extra_latency));
    text += question.job_steps > 0 ? fmt::format(" {:>9}", "hours") : "";
  }
  text += "\n";
  for (const ScalePoint& point : points) {
    text += row_text(point, question);
  }
  text += "exposed: waits for communication, of the step. accel.: speed-up over one GPU that never waits, per GPU.\n";
  for (const ScalePoint& point : points) {
    if (point.step && point.step->composition_error) {
      text += fmt::format("{}: composed {:+.2f} % against packet-level simulation, on {}.\n", point.fabric,
                          100 * *point.step->composition_error, point.step->composition_check);
    }
  }
  if (question.extra_latency > Duration::zero()) {
    text += fmt::format("+{}: what that much more latency of every message adds to a step",
                        short_text(question.extra_latency));
    text += question.job_steps > 0 ? fmt::format("; hours: to a job of {} steps.\n", question.job_steps) : ".\n";
  }
  return text;
}

nlohmann::ordered_json scale_json(std::span<const ScalePoint> points, const ScaleWhatIf& question) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ScalePoint& point : points) {
    nlohmann::ordered_json row{{"fabric", point.fabric}, {"gpus", point.gpus}, {"possible", point.step.has_value()}};
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
  return {{"rows", rows}};
}

}  // namespace weft::study::results
