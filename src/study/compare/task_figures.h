// What one task of a comparison gives, and its form in the file that keeps it until the comparison is complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/report/comparison.h"

namespace weft::study::compare {

/// A run that went wrong has `failed` alone, which says why.
struct TaskFigures {
  std::optional<std::string> failed{};
  std::optional<double> time{};             // s, of tasks about the job: a step, or the whole run of one without steps
  std::optional<report::RunFigures> run{};  // likewise
  std::optional<report::SmallMessage> small_message{};
  std::optional<double> jitter_us{};
  std::optional<std::vector<report::CurvePoint>> small_message_cdf{};
  std::optional<report::LinkFault> fault{};
  std::optional<report::FailureFigures> failures{};
  report::WrittenForm form{};
};

/// One line of JSON.
[[nodiscard]] std::string task_figures_text(const TaskFigures& figures);
/// None: the text is no such line.
[[nodiscard]] std::optional<TaskFigures> parse_task_figures(std::string_view text);

}  // namespace weft::study::compare
