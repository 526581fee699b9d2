// What a figure of a comparison is called wherever it is shown: tables of the terminal, headline of a difference, page.
//
// One line per figure: its name in comparison_figures.h (`fct_us.p99`) and its label. C++ asks with `figure_label`,
// which does not compile for a name that is not here; web/build.mjs reads the lines, and the page imports a label by
// the name with `_` for each dot from 'weft:labels' (`fct_us_p99`), which does not build either if it is not here.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace weft::study::report {

struct FigureLabel {
  std::string_view name;
  std::string_view label;
};

// clang-format off
inline constexpr std::array kFigureLabels = std::to_array<FigureLabel>({
    {"step_time_s", "Step time"},
    {"step_time_interval", "95 % interval"},
    {"ratio_to_best", "Against the best"},
    {"tokens_per_second", "Tokens a second"},
    {"model_flops_utilisation", "Use of the GPUs (model FLOPs)"},
    {"compute_s", "Computing"},
    {"jobs", "Steps of all jobs"},
    {"exposed_communication_s", "Exposed communication"},
    {"bus_bandwidth_gbytes_per_s", "Bus bandwidth"},
    {"longest_operation", "Longest operation"},
    {"interval", "Interval of slices"},
    {"slice_caution", "Caution"},
    {"composition_error", "Composition error"},
    {"fct_us.p50", "FCT p50"},
    {"fct_us.p99", "FCT p99"},
    {"fct_us.p999", "FCT p99.9"},
    {"small_message.idle_us", "Small message, idle network"},
    {"small_message.loaded_p50_us", "Small message under load, p50"},
    {"small_message.loaded_p99_us", "Small message under load, p99"},
    {"small_message.loaded_p999_us", "Small message under load, p99.9"},
    {"jitter_us", "Jitter"},
    {"drops", "Dropped packets"},
    {"retransmissions", "Retransmitted packets"},
    {"marks", "Marked packets"},
    {"pause_s", "Paused (PFC), all ports"},
    {"credit_stall_s", "Credit stalls, all ports"},
    {"cpu_cores_per_host", "CPU per host"},
    {"left_out", "Without"},
    {"work_cost.usd", "Cost of the work"},
    {"work_cost.to_recommended", "Against the recommended"},
    {"work_cost.total_usd", "Cluster over its years"},
    {"cost_usd", "Price of the network"},
    {"power_w", "Power of the network"},
    {"tuning_risk.sum", "Tuning risk, all settings"},
    {"tuning_risk.median", "Tuning risk, median"},
    {"tuning_risk.worst", "Tuning risk, worst"},
});
// clang-format on

/// Names of figures that code asks for.
namespace figure_names {
inline constexpr std::string_view kStepTime = "step_time_s";
inline constexpr std::string_view kExposedCommunication = "exposed_communication_s";
inline constexpr std::string_view kCost = "cost_usd";
inline constexpr std::string_view kPause = "pause_s";
inline constexpr std::string_view kPower = "power_w";
}  // namespace figure_names

[[nodiscard]] consteval std::string_view figure_label(std::string_view name) {
  const auto* const found = std::ranges::find(kFigureLabels, name, &FigureLabel::name);
  if (found == kFigureLabels.end()) {
    throw "no figure has this name";  // in a constant expression: does not compile
  }
  return found->label;
}

}  // namespace weft::study::report
