#include "study/results/results_csv.h"

#include <fmt/core.h>

#include <map>

#include "base/csv_writer.h"
#include "study/results/summary.h"

namespace weft::study::results {
namespace {

void write(CsvWriter& lines, const Field& field, const RunResults& results, const void* row) {
  if (field.forms.name_of != nullptr) {
    lines.field(field.forms.name_of(results, row));
    return;
  }
  const Cell cell = field.access.get(row);
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    if (field.access.word != nullptr) {
      lines.field(field.access.word(*integer));
    } else if (field.access.kind == CellKind::kMillionths) {
      lines.field(fmt::format("{}", static_cast<double>(*integer) * 1e-6));
    } else {
      lines.field(std::to_string(*integer));
    }
  } else if (const auto* real = std::get_if<double>(&cell)) {
    lines.field(fmt::format("{}", *real));
  } else {
    lines.field(text_of(cell));
  }
}

void write_fields(CsvWriter& lines, const RecordTable& table, Order order, const RunResults& results, const void* row) {
  for (const Field& field : table.fields) {
    if (!field.forms.csv.empty() && field.forms.csv_order == order) {
      write(lines, field, results, row);
    }
  }
}

/// A row of the file: that of the inner record, and of the outer one that it belongs to.
struct CsvRow {
  const void* outer = nullptr;
  Place place{};
  const void* inner = nullptr;
};

void write_row(CsvWriter& lines, const CsvLayout& layout, const RunResults& results, const CsvRow& row) {
  lines.field(results.run.key);
  lines.field(results.run.case_name);
  if (layout.outer != nullptr) {
    write_fields(lines, *layout.outer, Order::kInPlace, results, row.outer);
  }
  for (std::size_t i = 0; i < layout.inner->places.size(); ++i) {
    if (!layout.inner->places[i].csv.empty()) {
      lines.field(std::to_string(row.place.at(i)));
    }
  }
  write_fields(lines, *layout.inner, Order::kInPlace, results, row.inner);
  if (layout.outer != nullptr) {
    write_fields(lines, *layout.outer, Order::kLast, results, row.outer);
  }
  lines.end_line();
}

void write_rows(CsvWriter& lines, const CsvLayout& layout, const RunResults& results) {
  std::map<std::uint32_t, const void*> outer;
  if (layout.outer != nullptr) {
    layout.outer->rows.each(results, [&](const Place& place, const void* row) { outer[place[0]] = row; });
  }
  layout.inner->rows.each(results, [&](const Place& place, const void* row) {
    write_row(lines, layout, results,
              {.outer = layout.outer == nullptr ? nullptr : outer.at(place[0]), .place = place, .inner = row});
  });
}

void write_jobs(CsvWriter& lines, const CsvLayout& layout, const RunResults& results) {
  for (const JobSummary& job : summarise(results).jobs) {
    write_row(lines, layout, results, {.inner = &job});
  }
}

CsvFile file_of(const CsvLayout& layout, std::span<const RunResults> runs) {
  CsvWriter lines;
  for (const std::string_view column : csv_columns(layout)) {
    lines.field(column);
  }
  lines.end_line();
  for (const RunResults& results : runs) {
    layout.inner == &job_summary_table() ? write_jobs(lines, layout, results) : write_rows(lines, layout, results);
  }
  return {std::string(layout.file), lines.take()};
}

}  // namespace

std::span<const CsvLayout> csv_layouts() {
  static const CsvLayout kLayouts[] = {
      {"messages.csv", nullptr, &message_table()},     {"jobs.csv", nullptr, &job_summary_table()},
      {"ports.csv", &port_table(), &lane_table()},     {"paths.csv", &port_choice_table(), &port_grade_table()},
      {"reordering.csv", &nic_table(), &late_table()}, {"samples.csv", nullptr, &sample_table()},
      {"decisions.csv", nullptr, &decision_table()},   {"steps.csv", &step_table(), &step_part_table()}};
  return kLayouts;
}

std::vector<std::string_view> csv_columns(const CsvLayout& layout) {
  std::vector<std::string_view> columns = {"run", "case"};
  const auto add = [&columns](const RecordTable& table, Order order) {
    for (const Field& field : table.fields) {
      if (!field.forms.csv.empty() && field.forms.csv_order == order) {
        columns.push_back(field.forms.csv);
      }
    }
  };
  if (layout.outer != nullptr) {
    add(*layout.outer, Order::kInPlace);
  }
  for (const PlaceColumn& place : layout.inner->places) {
    if (!place.csv.empty()) {
      columns.push_back(place.csv);
    }
  }
  add(*layout.inner, Order::kInPlace);
  if (layout.outer != nullptr) {
    add(*layout.outer, Order::kLast);
  }
  return columns;
}

std::vector<CsvFile> to_csv(std::span<const RunResults> runs) {
  std::vector<CsvFile> files;
  for (const CsvLayout& layout : csv_layouts()) {
    files.push_back(file_of(layout, runs));
  }
  return files;
}

}  // namespace weft::study::results
