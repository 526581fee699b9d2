#include "study/results/results_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "study/results/results_database.h"
#include "study/results/results_schema.h"
#include "study/results/results_test_run.h"

namespace weft::study::results {
namespace {

using testing::full_run;
using testing::small_run;

/// A name in the temporary folder that is gone afterwards.
class File {
 public:
  explicit File(const std::string& name)
      : path_(::testing::TempDir() + "weft_store_" + std::to_string(getpid()) + "_" + name) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Everything that a table has of a run, row by row: places and fields.
std::vector<std::vector<Cell>> rows_of(const RecordTable& table, const RunResults& results) {
  std::vector<std::vector<Cell>> rows;
  table.rows.each(results, [&](const Place& place, const void* row) {
    std::vector<Cell>& cells = rows.emplace_back();
    for (std::size_t i = 0; i < table.places.size(); ++i) {
      cells.emplace_back(std::int64_t{place[i]});
    }
    for (const Field& field : table.fields) {
      const Cell cell = field.access.get(row);
      cells.push_back(field.access.kind == CellKind::kText ? Cell(std::string(text_of(cell))) : cell);
    }
  });
  return rows;
}

void expect_equal(const RunResults& a, const RunResults& b) {
  EXPECT_EQ(a.run.key, b.run.key);
  for (const RecordTable* table : record_tables()) {
    const auto rows = rows_of(*table, a);
    EXPECT_FALSE(rows.empty()) << table->name;
    EXPECT_EQ(rows, rows_of(*table, b)) << table->name;
  }
}

/// A run with a row in every table, in which every figure of a row is another one.
RunResults every_figure() {
  RunResults results = testing::full_run();
  std::int64_t number = 1;
  for (const RecordTable* table : record_tables()) {
    table->rows.each(results, [&](const Place&, const void* row) {
      for (std::size_t i = table->own_keys; i < table->fields.size(); ++i) {
        const Field& field = table->fields[i];
        if (!field.column.empty() && field.access.kind != CellKind::kText && field.access.kind != CellKind::kFlag) {
          field.access.set(const_cast<void*>(row), number++ % 256);
        }
      }
    });
  }
  return results;
}

TEST(ResultsStore, GivesBackWhatWasWritten) {
  const File file("round_trip");
  ASSERT_TRUE(write_results(file.path(), {full_run()}));
  const auto read = read_results(file.path());
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1U);
  expect_equal(read->front(), full_run());
}

TEST(ResultsStore, EveryColumnIsWrittenAndReadAtItsOwnPlace) {
  const File file("every_figure");
  ASSERT_TRUE(write_results(file.path(), {every_figure()}));
  const auto read = read_results(file.path());
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(read->front(), every_figure());
}

TEST(ResultsStore, AColumnThatIsNotThereKeepsItsDefault) {
  const File file("older");
  ASSERT_TRUE(write_results(file.path(), {full_run()}));
  {
    auto database = Database::open(file.path(), Database::Open::kReadWrite);
    ASSERT_TRUE(database);
    database->execute("ALTER TABLE nic DROP COLUMN timeouts");
    ASSERT_TRUE(database->close());
  }
  const auto read = read_results(file.path());
  ASSERT_TRUE(read) << read.error().message;
  RunResults expected = full_run();
  expected.nics[0].timeouts = 0;
  expect_equal(read->front(), expected);
}

TEST(ResultsStore, ReplacesAFileAndLeavesNothingElseBehind) {
  const std::filesystem::path folder = ::testing::TempDir() + "weft_folder_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  RunResults second = small_run();
  second.run.seed = 8;
  ASSERT_TRUE(write_results(folder / "a.weft", {small_run()}));
  ASSERT_TRUE(write_results(folder / "a.weft", {second}));
  const auto read = read_results(folder / "a.weft");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1U);
  EXPECT_EQ(read->front().run.seed, 8);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(ResultsStore, MergesRunsAndReplacesThoseThatAreThereAlready) {
  const File into("into");
  const File from("from");
  RunResults partial = full_run();
  partial.run.end = RunEnd::kInterrupted;
  partial.messages.pop_back();
  RunResults other = full_run();
  other.run.key = "ffffffffffffffff";
  other.run.seed = 8;
  ASSERT_TRUE(write_results(into.path(), {partial}));
  ASSERT_TRUE(write_results(from.path(), {full_run(), other}));
  const auto merged = merge_results({.into = into.path(), .from = from.path()});
  ASSERT_TRUE(merged) << merged.error().message;
  const auto read = read_results(into.path());
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  expect_equal((*read)[0], full_run());
  expect_equal((*read)[1], other);
}

TEST(ResultsStore, RefusesWhatIsNoResultsFile) {
  const File file("text");
  std::ofstream(file.path()) << std::string(4096, 'x');
  const auto text = read_results(file.path());
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find(file.path()), std::string::npos);
  const File missing("missing");
  EXPECT_FALSE(read_results(missing.path()));
  EXPECT_FALSE(merge_results({.into = missing.path(), .from = file.path()}));
  EXPECT_FALSE(std::filesystem::exists(missing.path()));
}

TEST(ResultsStore, TheRunsKeyIsPartOfEveryKey) {
  for (const RecordTable* table : record_tables()) {
    EXPECT_NE(create_statement(*table).find("(run TEXT"), std::string::npos) << table->name;
    EXPECT_TRUE(primary_key(*table).starts_with("run")) << table->name;
  }
}

TEST(ResultsStore, AFailureIsToldAtTheEnd) {
  EXPECT_FALSE(write_results("/nowhere/at/all.weft", {small_run()}));
  const File file("twice");
  EXPECT_FALSE(write_results(file.path(), {small_run(), small_run()})) << "the same key twice";
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

}  // namespace
}  // namespace weft::study::results
