#include "study/results/record_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "study/results/results_schema.h"
#include "study/results/results_test_run.h"

namespace weft::study::results {
namespace {

/// Those of a results file, and those of other forms alone.
std::vector<const RecordTable*> all_tables() {
  std::vector<const RecordTable*> tables(record_tables().begin(), record_tables().end());
  tables.push_back(&machine_table());
  tables.push_back(&job_summary_table());
  return tables;
}

TEST(RecordTable, EveryFieldHasAUnitAndSaysWhatItIs) {
  for (const RecordTable* table : all_tables()) {
    EXPECT_FALSE(table->one_per.empty()) << table->name;
    for (const Field& field : table->fields) {
      const std::string name =
          std::string(table->name) + "." + std::string(field.column) + std::string(field.forms.json);
      EXPECT_FALSE(field.unit().empty()) << name;
      EXPECT_TRUE(field.about.ends_with(".")) << name;
      EXPECT_FALSE(field.column.empty() && field.forms.csv.empty() && field.forms.json.empty()) << name;
    }
    for (const PlaceColumn& place : table->places) {
      EXPECT_TRUE(place.about.ends_with(".")) << table->name << "." << place.name;
    }
  }
}

// Rows are passed as addresses: a member of another struct would be read from the wrong place.
TEST(RecordTable, EveryFieldIsOfItsTablesRow) {
  for (const RecordTable* table : all_tables()) {
    for (const Field& field : table->fields) {
      EXPECT_EQ(field.access.row_type, table->rows.row_type) << table->name << "." << field.column;
    }
  }
}

TEST(RecordTable, NamesAreUniqueInEveryForm) {
  std::set<std::string_view> tables;
  for (const RecordTable* table : all_tables()) {
    EXPECT_TRUE(tables.insert(table->name).second) << table->name;
    std::set<std::string_view> columns = {"run"};
    std::set<std::string_view> members;
    for (const PlaceColumn& place : table->places) {
      EXPECT_TRUE(columns.insert(place.name).second) << table->name << "." << place.name;
    }
    for (const Field& field : table->fields) {
      EXPECT_TRUE(field.column.empty() || columns.insert(field.column).second) << table->name << "." << field.column;
      EXPECT_TRUE(field.forms.json.empty() || members.insert(field.forms.json).second)
          << table->name << "." << field.forms.json;
    }
  }
}

TEST(RecordTable, EveryColumnCanBeReadBack) {
  for (const RecordTable* table : record_tables()) {
    for (const Field& field : table->fields) {
      EXPECT_TRUE(field.column.empty() || field.access.set != nullptr) << table->name << "." << field.column;
    }
  }
}

// Each field gets a value that no other has: a reader that puts it elsewhere is found.
TEST(RecordTable, WhatIsSetIsWhatIsGot) {
  for (const RecordTable* table : record_tables()) {
    RunResults results = testing::full_run();
    void* const row = table->rows.add(results, {});
    ASSERT_NE(row, nullptr) << table->name;
    std::int64_t number = 1;
    for (const Field& field : table->fields) {
      if (field.column.empty() || field.access.kind == CellKind::kText) {
        continue;
      }
      const std::int64_t value = field.access.kind == CellKind::kFlag ? 1 : number++;
      field.access.set(row, value);
      EXPECT_EQ(real_of(field.access.get(row)), static_cast<double>(value)) << table->name << "." << field.column;
    }
    number = 1;
    for (const Field& field : table->fields) {
      if (field.column.empty() || field.access.kind == CellKind::kText) {
        continue;
      }
      const std::int64_t value = field.access.kind == CellKind::kFlag ? 1 : number++;
      EXPECT_EQ(real_of(field.access.get(row)), static_cast<double>(value)) << table->name << "." << field.column;
    }
  }
}

TEST(RecordTable, KeysAreTheFirstColumns) {
  EXPECT_EQ(primary_key(lane_table()), "run, port, lane");
  EXPECT_EQ(primary_key(message_table()), "run, job, source, destination, flow, number");
  EXPECT_EQ(primary_key(dropped_table()), "run, cause");
  EXPECT_EQ(create_statement(late_table()),
            "CREATE TABLE late (run TEXT, nic INTEGER, distance INTEGER, packets INTEGER, "
            "PRIMARY KEY (run, nic, distance)) WITHOUT ROWID;");
  EXPECT_EQ(column_count(late_table()), 4U);
}

TEST(RecordTable, EveryTableHasRowsInTheRunThatTestsUse) {
  const RunResults results = testing::full_run();
  std::set<std::string_view> empty;
  for (const RecordTable* table : record_tables()) {
    bool any = false;
    table->rows.each(results, [&any](const Place&, const void*) { any = true; });
    if (!any) {
      empty.insert(table->name);
    }
  }
  EXPECT_TRUE(empty.empty()) << *empty.begin() << " would not be held by tests of reading and writing";
}

}  // namespace
}  // namespace weft::study::results
