// What is lost when a process of a comparison over ranks is killed: the run that it was at, and nothing else.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/test_paths.h"
#include "tests/mpi/run_ranks.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;

/// Runs of about a second, so that there is time to kill one.
constexpr const char* kScenario = R"(name = "long"
[fabric]
family = "infiniband"
[topology]
kind = "fat-tree"
tiers = 2
radix = 8
[[traffic]]
kind = "incast"
fan_in = 8
size = "400 MB"
)";

// Nobody else can go on where the partitions of a rank are gone.
TEST(LostRanksOfOneRun, ARankThatIsKilledEndsItWithAnError) {
  const TestFolder folder;
  const std::string file = folder.write("shared.toml", R"(name = "shared"
[fabric]
family = "infiniband"
[topology]
kind = "fat-tree"
tiers = 3
radix = 8
[link.spine]
propagation = "500 ns"
[[traffic]]
kind = "permutation"
size = "1 GB"
)");
  Ranks ranks({.options = "--enable-recovery -n 2",
               .arguments = fmt::format("run {} --no-results", file),
               .environment = "WEFT_MPI_TIMEOUT=2"});
  const auto other = ranks.find(1, Ranks::Which::kRank);
  ASSERT_TRUE(other);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  ::kill(*other, SIGKILL);
  const RanksOutcome outcome = ranks.wait();
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("rank 1 has not been heard of for 2 s"));
}

class LostRanks : public testing::Test {
 protected:
  [[nodiscard]] std::string compare() const {
    return fmt::format("compare {} --fabrics infiniband --seeds 2 --no-risk --no-explain -j 1 -o {}", file_,
                       folder_ / "ranks.json");
  }
  void expect_same_results() const {
    const std::string alone =
        fmt::format("WEFT_CACHE= {} compare {} --fabrics infiniband --seeds 2 --no-risk --no-explain -q -o {}",
                    weft_binary(), file_, folder_ / "one.json");
    EXPECT_EQ(std::system(alone.c_str()), 0);
    EXPECT_NE(folder_.read("one.json"), "");
    EXPECT_EQ(folder_.read("one.json"), folder_.read("ranks.json"));
  }

  TestFolder folder_;
  std::string file_ = folder_.write("long.toml", kScenario);
};

TEST_F(LostRanks, AKilledTaskBeginsAgain) {
  Ranks ranks({.options = "-n 2", .arguments = compare()});
  const auto task = ranks.find(1, Ranks::Which::kTask);
  ASSERT_TRUE(task);
  ::kill(*task, SIGKILL);
  const RanksOutcome outcome = ranks.wait();
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("a run was lost and begins again: on rank 1"));
  EXPECT_THAT(outcome.err, HasSubstr("ended by signal 9"));
  expect_same_results();
}

TEST_F(LostRanks, WithRecoveryAKilledRankLosesOnlyItsTask) {
  Ranks ranks({.options = "-n 3 --enable-recovery", .arguments = compare(), .environment = "WEFT_MPI_TIMEOUT=2"});
  ASSERT_TRUE(ranks.find(1, Ranks::Which::kTask));
  const auto rank = ranks.find(1, Ranks::Which::kRank);
  ASSERT_TRUE(rank);
  ::kill(*rank, SIGKILL);
  const RanksOutcome outcome = ranks.wait();
  EXPECT_THAT(outcome.err, HasSubstr("has not been heard of for 2 s: it counts as lost"));
  EXPECT_THAT(outcome.err, HasSubstr("a run was lost and begins again: rank 1"));
  expect_same_results();
}

TEST_F(LostRanks, ARankThatStandsStillCountsAsLost) {
  Ranks ranks({.options = "-n 2", .arguments = compare(), .environment = "WEFT_MPI_TIMEOUT=2"});
  ASSERT_TRUE(ranks.find(1, Ranks::Which::kTask));
  const auto rank = ranks.find(1, Ranks::Which::kRank);
  ASSERT_TRUE(rank);
  ::kill(*rank, SIGSTOP);
  const RanksOutcome outcome = ranks.wait();
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("it counts as lost"));
  expect_same_results();
}

TEST_F(LostRanks, WithoutRecoveryTheSameCommandGoesOn) {
  {
    Ranks ranks({.arguments = compare()});
    ASSERT_TRUE(ranks.find(1, Ranks::Which::kTask));
    const auto rank = ranks.find(1, Ranks::Which::kRank);
    ASSERT_TRUE(rank);
    ::kill(*rank, SIGKILL);
    const RanksOutcome outcome = ranks.wait();
    EXPECT_NE(outcome.exit_status, 0);
    EXPECT_THAT(outcome.err, HasSubstr("signal 9")) << outcome.err;
  }
  const RanksOutcome outcome = run_ranks({.arguments = compare()});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  expect_same_results();
}

TEST_F(LostRanks, CtrlCKeepsWhatIsDone) {
  // mpirun waits for a second before it passes the interrupt on: no run may be over by then.
  std::string longer = kScenario;
  longer.replace(longer.find("400 MB"), 6, "2 GB");
  (void)folder_.write("long.toml", longer);
  Ranks ranks({.options = "-n 2", .arguments = compare()});
  ASSERT_TRUE(ranks.find(1, Ranks::Which::kTask));
  ranks.signal(SIGINT);
  const RanksOutcome outcome = ranks.wait();
  EXPECT_NE(outcome.exit_status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("weft compare: interrupted; "));
  EXPECT_THAT(outcome.err, HasSubstr("the same command goes on from there"));
  EXPECT_EQ(folder_.read("ranks.json"), "");
}

}  // namespace
}  // namespace weft::test
