// The cache of runs as a user meets it: what is simulated once, what is not, and `weft cache`.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/document_blocks.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kIncast = (fs::path(test_data_dir()) / "../../examples/incast.toml").string();

const std::string kTutorial = (fs::path(test_data_dir()) / "../../examples/tutorial.toml").string();

/// Without what the machine was like.
std::string without_machine(const std::string& text) {
  static const std::regex kMachine(R"(  simulated .*\n|"machine": \{[^}]*\})");
  return std::regex_replace(text, kMachine, "");
}

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("weft_cache_test_{}", ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    ::setenv("WEFT_CACHE", in("cache").c_str(), 1);
    ::unsetenv("WEFT_CACHE_SIZE");
  }
  void TearDown() override {
    ::setenv("WEFT_CACHE", "", 1);
    fs::remove_all(folder_);
  }

  [[nodiscard]] std::string in(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string compare(const std::string& more, int seeds = 2) const {
    return fmt::format("compare {} --seeds {} --no-risk --no-explain --out {} {}", kIncast, seeds, in("result.json"),
                       more);
  }
  [[nodiscard]] std::string result() const { return text_of(in("result.json")); }

  fs::path folder_;
};

TEST_F(Cache, ARepeatedComparisonSimulatesNothingAndGivesTheSame) {
  const Outcome first = run_weft(compare("--fabrics infiniband,rocev2"));
  ASSERT_EQ(first.exit_status, 0) << first.err;
  EXPECT_THAT(first.err, Not(HasSubstr("cache")));
  const std::string simulated = result();
  const Outcome second = run_weft(compare("--fabrics infiniband,rocev2"));
  ASSERT_EQ(second.exit_status, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr("8 of 8 runs were in the cache"));
  EXPECT_EQ(result(), simulated);
  EXPECT_EQ(second.out, first.out);
  const Outcome without = run_weft(compare("--fabrics infiniband,rocev2 --no-cache"));
  ASSERT_EQ(without.exit_status, 0) << without.err;
  EXPECT_THAT(without.err, Not(HasSubstr("cache")));
  EXPECT_EQ(result(), simulated);
  EXPECT_FALSE(fs::exists(in("result.json.parts")));
}

TEST_F(Cache, OtherWeightsAndPricesSimulateNothingAndOneMoreFabricItself) {
  ASSERT_EQ(run_weft(compare("--fabrics infiniband -q")).exit_status, 0);
  EXPECT_THAT(run_weft(compare("--fabrics infiniband --weights speed=5,budget=2,tuning=1 --set switch.price=\"1 USD\" "
                               "--set nic.power=\"9 W\" --set cost.years=3 --set name=other"))
                  .err,
              HasSubstr("4 of 4 runs were in the cache"));
  EXPECT_THAT(run_weft(compare("--fabrics infiniband,rocev2")).err, HasSubstr("4 of 8 runs were in the cache"));
  EXPECT_THAT(run_weft(compare("--fabrics infiniband", 3)).err, HasSubstr("4 of 5 runs were in the cache"));
  EXPECT_THAT(run_weft(compare("--fabrics infiniband --set switch.buffer=1MiB")).err, Not(HasSubstr("cache")));
}

TEST_F(Cache, NothingIsKeptWhereThereIsToBeNoCache) {
  ASSERT_EQ(run_weft(compare("--fabrics infiniband -q --no-cache")).exit_status, 0);
  EXPECT_FALSE(fs::exists(in("cache")));
  ::setenv("WEFT_CACHE", "", 1);
  ASSERT_EQ(run_weft(compare("--fabrics infiniband -q")).exit_status, 0);
  EXPECT_THAT(run_weft("cache").out, HasSubstr("there is no cache"));
}

TEST_F(Cache, ADamagedEntryIsSimulatedAgain) {
  ASSERT_EQ(run_weft(compare("--fabrics infiniband -q")).exit_status, 0);
  const std::string simulated = result();
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(in("cache"))) {
    if (file.is_regular_file()) {
      fs::resize_file(file.path(), file.file_size() / 2);
    }
  }
  const Outcome again = run_weft(compare("--fabrics infiniband"));
  EXPECT_EQ(again.exit_status, 0) << again.err;
  EXPECT_THAT(again.err, Not(HasSubstr("cache")));
  EXPECT_EQ(result(), simulated);
  EXPECT_THAT(run_weft(compare("--fabrics infiniband")).err, HasSubstr("4 of 4 runs"));
}

TEST_F(Cache, AnInterruptedComparisonGoesOnFromIt) {
  const std::string command = compare("--fabrics infiniband,rocev2 --jobs 1", 6);
  const std::string entries = fmt::format("$(find {} -type f 2>/dev/null | wc -l)", in("cache"));
  const Outcome cut =
      run_weft(fmt::format("{} & pid=$!; for i in $(seq 400); do [ {} -gt 3 ] && break; sleep 0.02; done; "
                           "kill -TERM $pid 2>/dev/null; "
                           "wait $pid",
                           command, entries));
  if (cut.exit_status == 130) {
    EXPECT_THAT(cut.err, HasSubstr("the same command goes on from there"));
  }
  const Outcome rest = run_weft(command);
  ASSERT_EQ(rest.exit_status, 0) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("runs were in the cache"));
  const std::string pieces = result();
  ASSERT_EQ(run_weft(command + " -q --no-cache").exit_status, 0);
  EXPECT_EQ(pieces, result());
}

TEST_F(Cache, TwoComparisonsAtOnceGiveTheSame) {
  const std::string other =
      fmt::format("compare {} --seeds 2 --no-risk --no-explain --fabrics infiniband,rocev2 -q", kIncast);
  const Outcome both = run_weft(fmt::format("{0} --out {1} & pid=$!; {2} {0} --out {3}; wait $pid", other,
                                            in("one.json"), weft_binary(), in("two.json")));
  ASSERT_EQ(both.exit_status, 0) << both.err;
  EXPECT_EQ(text_of(in("one.json")), text_of(in("two.json")));
}

TEST_F(Cache, ShowsAndClearsWhatItHas) {
  EXPECT_THAT(run_weft("cache").out, HasSubstr(": 0 runs, 0 B of 2 GiB"));
  ASSERT_EQ(run_weft(compare("--fabrics infiniband -q")).exit_status, 0);
  const fs::path other = fs::path(in("cache")) / "0.0.9-0123456789abcdef" / "00" / "00000000000001";
  fs::create_directories(other.parent_path());
  std::ofstream(other) << "text";
  const Outcome shown = run_weft("cache");
  EXPECT_EQ(shown.exit_status, 0);
  EXPECT_THAT(shown.out, HasSubstr(": 5 runs, "));
  EXPECT_THAT(shown.out, HasSubstr("this build"));
  EXPECT_THAT(shown.out, HasSubstr("version 0.0.9-0123456789abcdef"));
  EXPECT_THAT(shown.out, HasSubstr("another build"));
  EXPECT_THAT(run_weft("cache clear --older-than 1").out, HasSubstr("0 runs removed"));
  EXPECT_THAT(run_weft("cache clear").out, HasSubstr("5 runs removed"));
  EXPECT_THAT(run_weft("cache show").out, HasSubstr(": 0 runs, "));
  EXPECT_FALSE(fs::exists(other));
}

TEST_F(Cache, IsBoundedByItsLimit) {
  ASSERT_EQ(run_weft(compare("--fabrics infiniband -q")).exit_status, 0);
  EXPECT_THAT(run_weft("cache --limit 1GiB").out, HasSubstr(": 4 runs, "));
  EXPECT_THAT(run_weft("cache").out, HasSubstr("of 1 GiB"));
  EXPECT_THAT(run_weft("cache --limit 1B").out, HasSubstr(": 0 runs, "));
  ::setenv("WEFT_CACHE_SIZE", "3MiB", 1);
  EXPECT_THAT(run_weft("cache").out, HasSubstr("of 3 MiB"));
  ::setenv("WEFT_CACHE_SIZE", "much", 1);
  EXPECT_EQ(run_weft("cache").exit_status, 2);
  EXPECT_THAT(run_weft(compare("--fabrics infiniband")).err, HasSubstr("WEFT_CACHE_SIZE: "));
  ::unsetenv("WEFT_CACHE_SIZE");
  EXPECT_EQ(run_weft("cache --limit 5").exit_status, 2);
  EXPECT_EQ(run_weft("cache --older-than 5").exit_status, 2);
  EXPECT_EQ(run_weft("cache clean").exit_status, 2);
}

TEST_F(Cache, CasesOfARunAreTheSameOnAnyNumberOfCoresAndFromTheCache) {
  const std::string command = fmt::format("run {} --json {} --out ", kIncast, in("summary.json"));
  const Outcome one = run_weft(command + in("one.weft") + " --no-cache -j 1");
  ASSERT_EQ(one.exit_status, 0) << one.err;
  const std::string summary = without_machine(text_of(in("summary.json")));
  EXPECT_FALSE(fs::exists(in("cache")));
  const Outcome three = run_weft(command + in("one.weft") + " -j 3");
  ASSERT_EQ(three.exit_status, 0) << three.err;
  EXPECT_EQ(without_machine(three.out), without_machine(one.out));
  EXPECT_EQ(without_machine(text_of(in("summary.json"))), summary);
  const Outcome again = run_weft(command + in("one.weft"));
  ASSERT_EQ(again.exit_status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("runs were in the cache"));
  EXPECT_EQ(again.out, three.out);
  EXPECT_EQ(without_machine(text_of(in("summary.json"))), summary);
}

TEST_F(Cache, RowsOfAScaleAreTheSameOnAnyNumberOfCoresAndFromTheCache) {
  const std::string command = fmt::format("scale {} --gpus 8,16 --fabrics infiniband,rocev2 --json -", kTutorial);
  const Outcome one = run_weft(command + " --no-cache -j 1");
  ASSERT_EQ(one.exit_status, 0) << one.err;
  const Outcome three = run_weft(command + " -j 3");
  EXPECT_EQ(three.out, one.out) << three.err;
  const Outcome again = run_weft(command);
  EXPECT_EQ(again.out, one.out);
  EXPECT_THAT(again.err, HasSubstr("4 of 4 runs were in the cache"));
}

TEST_F(Cache, AQuickComparisonRecommendsAndSaysWhatItLeavesOut) {
  const std::string both = fmt::format("compare {} --fabrics infiniband,rocev2 --set job[0].slice=4MiB --out {}",
                                       kTutorial, in("result.json"));
  const std::string command = both + " --quick";
  const Outcome quick = run_weft(command);
  ASSERT_EQ(quick.exit_status, 0) << quick.err;
  EXPECT_THAT(quick.out, HasSubstr("Recommendation"));
  EXPECT_THAT(quick.out, HasSubstr("A quick answer: "));
  EXPECT_THAT(result(), HasSubstr("\"recommendation\": {"));
  EXPECT_THAT(result(), HasSubstr("weft compare"));
  EXPECT_THAT(result(), HasSubstr(" --quick"));
  EXPECT_EQ(run_weft(command + " --sizes 64").exit_status, 2);
  // Its slices are those of the causes of lost time, where they were no longer in the first place.
  const Outcome whole = run_weft(both + " --seeds 2 --no-risk");
  EXPECT_THAT(whole.err, HasSubstr("2 of "));
}

}  // namespace
}  // namespace weft::test
