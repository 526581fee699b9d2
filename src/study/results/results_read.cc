// The reading half of study/results/results_store.h.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "study/results/results_database.h"
#include "study/results/results_schema.h"
#include "study/results/results_store.h"

namespace weft::study::results {
namespace {

/// What one column of a statement's rows is: the run's key, a place, or a field. A column of a later version is none.
struct Column {
  const Field* field = nullptr;
  std::optional<std::size_t> place;
};

std::vector<Column> columns_of(const Statement& rows, const RecordTable& table) {
  std::vector<Column> columns;
  for (int i = 0; i < rows.columns(); ++i) {
    const std::string_view name = rows.column_name(i);
    Column& column = columns.emplace_back();
    const auto place = std::ranges::find(table.places, name, &PlaceColumn::name);
    const auto field = std::ranges::find(table.fields, name, &Field::column);
    if (place != table.places.end()) {
      column.place = static_cast<std::size_t>(place - table.places.begin());
    } else if (field != table.fields.end()) {
      column.field = &*field;
    }
  }
  return columns;
}

/// The present row of a statement.
struct ReadRow {
  Place place{};
  std::vector<Cell> cells;
};

void take_row(Statement& rows, std::span<const Column> columns, ReadRow& into) {
  into.cells.clear();
  for (const Column& column : columns) {
    const Cell& cell = into.cells.emplace_back(rows.cell());
    if (column.place) {
      into.place.at(*column.place) = static_cast<std::uint32_t>(integer_of(cell));
    }
  }
}

void set_fields(std::span<const Column> columns, const ReadRow& row, void* to) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].field != nullptr) {
      columns[i].field->access.set(to, row.cells[i]);
    }
  }
}

// Rows of fields: the field's name stands in the second column, its value in the third.
void read_fields(Statement& rows, const RecordTable& table, RunResults& results) {
  void* const to = table.rows.add(results, {});
  while (rows.next()) {
    (void)rows.cell();
    const std::string name = rows.text();
    const auto field = std::ranges::find(table.fields, name, &Field::column);
    if (field != table.fields.end()) {
      field->access.set(to, rows.cell());
    }
  }
}

/// All rows of a table that belong to the run, in the order of its key.
void read_table(Database& database, const RecordTable& table, RunResults& results) {
  Statement rows =
      database.prepare(fmt::format("SELECT * FROM {} WHERE run = ? ORDER BY {}", table.name, primary_key(table)));
  rows.start(std::array<Cell, 1>{std::string_view(results.run.key)});
  if (table.layout == Layout::kRowPerField) {
    read_fields(rows, table, results);
    return;
  }
  const std::vector<Column> columns = columns_of(rows, table);
  ReadRow row;
  while (rows.next()) {
    take_row(rows, columns, row);
    if (void* const to = table.rows.add(results, row.place); to != nullptr) {
      set_fields(columns, row, to);
    }
  }
}

std::vector<RunResults> read_runs(Database& database) {
  std::vector<RunResults> runs;
  Statement rows = database.prepare("SELECT * FROM run ORDER BY scenario, case_name, family, seed, run");
  const std::vector<Column> columns = columns_of(rows, run_table());
  ReadRow row;
  while (rows.next()) {
    take_row(rows, columns, row);
    RunResults& results = runs.emplace_back();
    results.run.key = text_of(row.cells.front());
    set_fields(columns, row, &results);
  }
  return runs;
}

}  // namespace

Result<std::vector<RunResults>> read_results(const std::string& path) {
  Result<Database> database = Database::open(path, Database::Open::kReadOnly);
  if (!database) {
    return pass_on(database);
  }
  {
    Statement format = database->prepare("SELECT user_version FROM pragma_user_version");
    if (!format.next() || format.integer() != kResultsFormat) {
      Result<void> readable = database->check();
      return readable ? fail("{}: not a results file of format {}", path, kResultsFormat) : pass_on(readable);
    }
  }
  std::vector<RunResults> runs = read_runs(*database);
  for (RunResults& results : runs) {
    for (const RecordTable* table : record_tables().subspan(1)) {  // the first is the run's
      read_table(*database, *table, results);
    }
  }
  if (Result<void> right = database->close(); !right) {
    return pass_on(right);
  }
  return runs;
}

}  // namespace weft::study::results
