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

void expect_equal(const RunResults& a, const RunResults& b) {
  EXPECT_EQ(a.run.key, b.run.key);
  EXPECT_EQ(a.run.version, b.run.version);
  EXPECT_EQ(a.run.scenario, b.run.scenario);
  EXPECT_EQ(a.run.case_name, b.run.case_name);
  EXPECT_EQ(a.run.seed, b.run.seed);
  EXPECT_EQ(a.run.family, b.run.family);
  EXPECT_EQ(a.run.hardware, b.run.hardware);
  EXPECT_EQ(a.run.topology, b.run.topology);
  EXPECT_EQ(a.run.congestion, b.run.congestion);
  EXPECT_EQ(a.run.lossless, b.run.lossless);
  EXPECT_EQ(a.run.marking, b.run.marking);
  EXPECT_EQ(a.run.hosts, b.run.hosts);
  EXPECT_EQ(a.run.endpoints, b.run.endpoints);
  EXPECT_EQ(a.run.switches, b.run.switches);
  EXPECT_EQ(a.run.end, b.run.end);
  EXPECT_EQ(a.run.error, b.run.error);
  EXPECT_EQ(a.run.ended_at, b.run.ended_at);
  EXPECT_EQ(a.run.packet_hops, b.run.packet_hops);
  EXPECT_EQ(a.run.events, b.run.events);
  EXPECT_EQ(a.run.sample_interval, b.run.sample_interval);
  EXPECT_EQ(a.run.sample_instants, b.run.sample_instants);
  EXPECT_EQ(a.run.percentiles, b.run.percentiles);
  EXPECT_EQ(a.run.settings, b.run.settings);
  EXPECT_EQ(a.machine, b.machine);
  EXPECT_EQ(a.jobs, b.jobs);
  EXPECT_EQ(a.messages, b.messages);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.tiers, b.tiers);
  EXPECT_EQ(a.scale_up, b.scale_up);
  ASSERT_EQ(a.collectives.size(), b.collectives.size());
  for (std::size_t i = 0; i < a.collectives.size(); ++i) {
    EXPECT_EQ(a.collectives[i].job, b.collectives[i].job);
    EXPECT_EQ(a.collectives[i].rank, b.collectives[i].rank);
    EXPECT_EQ(a.collectives[i].iteration, b.collectives[i].iteration);
    EXPECT_EQ(a.collectives[i].size, b.collectives[i].size);
    EXPECT_EQ(a.collectives[i].started, b.collectives[i].started);
    EXPECT_EQ(a.collectives[i].finished, b.collectives[i].finished);
  }
  EXPECT_EQ(a.ports, b.ports);
  EXPECT_EQ(a.nics, b.nics);
  for (const DropCause& cause : drop_causes()) {
    EXPECT_EQ(a.drops.*cause.count, b.drops.*cause.count) << cause.name;
  }
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.events, b.events);
}

TEST(ResultsStore, GivesBackWhatWasWritten) {
  const File file("round_trip");
  ASSERT_TRUE(write_results(file.path(), {small_run()}));
  const auto read = read_results(file.path());
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1U);
  expect_equal(read->front(), small_run());
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
  RunResults partial = small_run();
  partial.run.end = RunEnd::kInterrupted;
  partial.messages.pop_back();
  RunResults other = small_run();
  other.run.key = "ffffffffffffffff";
  other.run.seed = 8;
  ASSERT_TRUE(write_results(into.path(), {partial}));
  ASSERT_TRUE(write_results(from.path(), {small_run(), other}));
  const auto merged = merge_results({.into = into.path(), .from = from.path()});
  ASSERT_TRUE(merged) << merged.error().message;
  const auto read = read_results(into.path());
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2U);
  expect_equal((*read)[0], small_run());
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
  for (const ResultsTable& table : results_tables()) {
    EXPECT_TRUE(table.columns.starts_with("run TEXT")) << table.name;
    EXPECT_TRUE(table.key.starts_with("run")) << table.name;
    EXPECT_EQ(std::count(table.columns.begin(), table.columns.end(), ',') + 1, table.column_count) << table.name;
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
