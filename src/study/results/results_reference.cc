#include "study/results/results_reference.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "study/results/record_table.h"
#include "study/results/results_csv.h"
#include "study/results/results_schema.h"

namespace weft::study::results {
namespace {

std::string code(std::string_view name) { return name.empty() ? "—" : fmt::format("`{}`", name); }

/// The columns of a reference table that have anything to show.
struct Shown {
  bool column = false;
  bool json = false;
  bool csv = false;
};

Shown shown_of(const RecordTable& table) {
  const auto any = [&table](auto of) {
    return std::ranges::any_of(table.fields, [&](const Field& field) { return !of(field).empty(); });
  };
  return {.column = any([](const Field& field) { return field.column; }),
          .json = any(
              [](const Field& field) { return field.forms.json.empty() ? field.forms.total.json : field.forms.json; }),
          .csv = any([](const Field& field) { return field.forms.csv; })};
}

/// The files that have the table's fields.
std::string files_of(const RecordTable& table) {
  std::vector<std::string> files;
  for (const CsvLayout& layout : csv_layouts()) {
    if (layout.inner == &table || layout.outer == &table) {
      files.push_back(fmt::format("`{}`", layout.file));
    }
  }
  return fmt::format("{}", fmt::join(files, ", "));
}

std::string heading(const Shown& shown, const RecordTable& table) {
  std::string names = shown.column ? "| column " : "";
  names += shown.json ? "| JSON " : "";
  names += shown.csv ? fmt::format("| {} ", files_of(table)) : "";
  names += "| unit | meaning |";
  const auto columns = std::ranges::count(names, '|') - 1;
  std::string text = names + "\n|";
  for (std::ptrdiff_t i = 0; i < columns; ++i) {
    text += "---|";
  }
  return text + "\n";
}

struct Line {
  std::string column;
  std::string json;
  std::string csv;
  std::string_view unit;
  std::string_view about;
};

std::string line_text(const Shown& shown, const Line& line) {
  std::string text = shown.column ? fmt::format("| {} ", line.column) : "";
  text += shown.json ? fmt::format("| {} ", line.json) : "";
  text += shown.csv ? fmt::format("| {} ", line.csv) : "";
  return text + fmt::format("| {} | {} |\n", line.unit, line.about);
}

std::string json_of(const Field& field) {
  return field.forms.total.json.empty() ? code(field.forms.json)
                                        : fmt::format("sum: `network.{}`", field.forms.total.json);
}

std::string fields_text(const RecordTable& table) {
  const Shown shown = shown_of(table);
  std::string text = heading(shown, table);
  if (table.layout == Layout::kColumnPerField) {
    for (const PlaceColumn& place : table.places) {
      text += line_text(
          shown,
          {.column = code(place.name), .json = "—", .csv = code(place.csv), .unit = "number", .about = place.about});
    }
  }
  for (const Field& field : table.fields) {
    text += line_text(shown, {.column = code(field.column),
                              .json = json_of(field),
                              .csv = code(field.forms.csv),
                              .unit = field.unit(),
                              .about = field.about});
  }
  return text + "\n";
}

std::string table_text(const RecordTable& table) {
  std::string text = fmt::format("### `{}`\n\nOne row per {}.", table.name, table.one_per);
  if (table.layout == Layout::kRowPerField) {
    text += fmt::format(" Columns: `{}` ({}) and `{}`; the causes are:", table.places[0].name, "text",
                        table.places[1].name);
  }
  return text + "\n\n" + fields_text(table);
}

}  // namespace

std::string results_reference() {
  std::string text;
  for (const RecordTable* table : record_tables()) {
    text += table_text(*table);
    text += table == &run_table() ? table_text(machine_table()) : std::string();
  }
  text += table_text(job_summary_table());
  text += "### CSV files\n\n| file | one row per | columns |\n|---|---|---|\n";
  for (const CsvLayout& layout : csv_layouts()) {
    text += fmt::format("| `{}` | {} | `{}` |\n", layout.file, layout.inner->one_per,
                        fmt::join(csv_columns(layout), "`, `"));
  }
  return text;
}

}  // namespace weft::study::results
