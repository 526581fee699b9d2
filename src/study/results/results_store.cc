#include "study/results/results_store.h"

#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <vector>

#include "base/file.h"
#include "study/results/results_database.h"
#include "study/results/results_schema.h"

namespace weft::study::results {
namespace {

// Tables whose rows are fields: the field's name, and its value.
void write_fields(Statement& insert, const RecordTable& table, const RunResults& results) {
  table.rows.each(results, [&](const Place&, const void* row) {
    for (const Field& field : table.fields) {
      insert.run(std::array<Cell, 3>{std::string_view(results.run.key), field.column, field.access.get(row)});
    }
  });
}

void write_table(Database& database, const RecordTable& table, const RunResults& results) {
  Statement insert = database.prepare(insert_statement(table));
  if (table.layout == Layout::kRowPerField) {
    write_fields(insert, table, results);
    return;
  }
  std::vector<Cell> cells;
  table.rows.each(results, [&](const Place& place, const void* row) {
    cells.assign(1, std::string_view(results.run.key));
    for (std::size_t i = 0; i < table.places.size(); ++i) {
      cells.emplace_back(std::int64_t{place[i]});
    }
    for (const Field& field : table.fields) {
      if (!field.column.empty()) {
        cells.push_back(field.access.get(row));
      }
    }
    insert.run(cells);
  });
}

Result<void> write_new(const std::string& path, const std::vector<RunResults>& runs) {
  Result<Database> database = Database::open(path, Database::Open::kCreate);
  if (!database) {
    return pass_on(database);
  }
  // Nobody sees the file before it is complete: it needs no journal.
  database->execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  database->execute(
      fmt::format("PRAGMA user_version = {}; PRAGMA application_id = {}", kResultsFormat, kResultsFileId));
  database->execute("BEGIN");
  for (const RecordTable* table : record_tables()) {
    database->execute(create_statement(*table));
    for (const RunResults& results : runs) {
      write_table(*database, *table, results);
    }
  }
  database->execute("COMMIT");
  return database->close();
}

}  // namespace

Result<void> write_results(const std::string& path, const std::vector<RunResults>& runs) {
  if (Result<void> possible = check_writable(path); !possible) {
    return possible;
  }
  const std::string draft = draft_name(path);
  std::remove(draft.c_str());
  if (Result<void> written = write_new(draft, runs); !written) {
    std::remove(draft.c_str());
    // Nobody knows the draft: "draft: database or disk is full" is about the file that it was to become.
    const std::string& why = written.error().message;
    return fail("cannot write '{}'{}", path, why.starts_with(draft) ? why.substr(draft.size()) : ": " + why);
  }
  return publish_draft(path);
}

Result<void> merge_results(const MergeFiles& files) {
  // Reading checks that both are what they should be.
  for (const std::string& path : {files.into, files.from}) {
    Result<Database> opened = Database::open(path, Database::Open::kReadOnly);
    if (!opened) {
      return pass_on(opened);
    }
    Statement format = opened->prepare("SELECT user_version FROM pragma_user_version");
    if (!format.next() || format.integer() != kResultsFormat) {
      return fail("{}: not a results file of format {}", path, kResultsFormat);
    }
  }
  Result<Database> database = Database::open(files.into, Database::Open::kReadWrite);
  if (!database) {
    return pass_on(database);
  }
  database->prepare("ATTACH DATABASE ? AS other").run(std::array<Cell, 1>{std::string_view(files.from)});
  database->execute("BEGIN");
  for (const RecordTable* table : record_tables()) {
    database->execute(fmt::format("DELETE FROM main.{0} WHERE run IN (SELECT run FROM other.run)", table->name));
    database->execute(fmt::format("INSERT INTO main.{0} SELECT * FROM other.{0}", table->name));
  }
  database->execute("COMMIT");
  database->execute("DETACH DATABASE other");
  return database->close();
}

}  // namespace weft::study::results
