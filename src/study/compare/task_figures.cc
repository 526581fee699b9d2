#include "study/compare/task_figures.h"

#include <utility>
#include <variant>

#include "study/report/comparison_tables.h"
#include "study/report/member_json.h"

namespace weft::study::report {

template <>
const RecordTable& record_table<compare::TaskFigures>() {
  using compare::TaskFigures;
  static const RecordTable kTable = table_of<TaskFigures>({
      {"failed", member<&TaskFigures::failed>},
      {"time_s", member<&TaskFigures::time>},
      {"run", member<&TaskFigures::run>},
      {"small_message", member<&TaskFigures::small_message>},
      {"jitter_us", member<&TaskFigures::jitter_us>},
      {"cdf_small_message", member<&TaskFigures::small_message_cdf>},
      {"fault", member<&TaskFigures::fault>},
      {"failures", member<&TaskFigures::failures>},
  });
  return kTable;
}

}  // namespace weft::study::report

namespace weft::study::compare {

std::string task_figures_text(const TaskFigures& figures) { return report::json_text({report::object_ref(figures)}); }

std::optional<TaskFigures> parse_task_figures(std::string_view text) {
  std::optional<report::UntypedValue> read = report::parse_untyped(text);
  auto* members = read ? std::get_if<report::UntypedValue::Object>(&read->value) : nullptr;
  if (members == nullptr) {
    return std::nullopt;
  }
  TaskFigures figures;
  report::read_record(report::record_table<TaskFigures>(), &figures, std::move(*members));
  return figures;
}

}  // namespace weft::study::compare
