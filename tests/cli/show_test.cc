// `weft show` from outside: exit status, streams, JSON.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kScenario = R"([fabric]
family = "rocev2"
[topology]
kind = "dumbbell"
hosts = 8
[[override]]
select = "leaf*"
switch.buffer = "8 MiB"
[[case]]
name = "small"
switch.buffer = "1 MiB"
)";

// A scenario file that lives as long as the test.
class Show : public ::testing::Test {
 protected:
  Show() { std::ofstream(path_) << kScenario; }
  ~Show() override { std::filesystem::remove(path_); }

  [[nodiscard]] Outcome show(const std::string& options) const { return run_weft("show " + path_ + " " + options); }
  [[nodiscard]] std::string path() const { return path_; }

 private:
  std::string path_ =
      ::testing::TempDir() + "weft_show_" + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
};

TEST_F(Show, PrintsEveryValueWithItsSource) {
  const auto outcome = show("");
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out, HasSubstr("topology.hosts"));
  EXPECT_THAT(outcome.out, HasSubstr(path() + ":5:9"));
  EXPECT_THAT(outcome.out, HasSubstr("catalogue switch/"));
  EXPECT_THAT(outcome.out, HasSubstr("override of 'leaf*'"));
}

TEST_F(Show, PrintsJsonThatHoldsTheSame) {
  const auto outcome = show("--json --case small --set topology.hosts=6 --set seed=9");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("case"), "small");
  const auto& values = json.at("values");
  EXPECT_EQ(values.at("switch.buffer").at("value"), "1 MiB");
  EXPECT_EQ(values.at("switch.buffer").at("origin"), "case");
  EXPECT_EQ(values.at("topology.hosts").at("value"), "6");
  EXPECT_EQ(values.at("topology.hosts").at("origin"), "set");
  EXPECT_EQ(values.at("seed").at("source"), "--set seed");
  EXPECT_EQ(values.at("switch.latency").at("origin"), "catalogue");
  EXPECT_TRUE(values.contains("infiniband.vl_buffer"));
  EXPECT_EQ(json.at("overrides").at(0).at("values").at("switch.buffer").at("value"), "8 MiB");
}

TEST_F(Show, RefusesAWrongScenarioWithStatusTwoAndOneLine) {
  const auto outcome = show("--set switch.bufer=1MiB");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err,
              StartsWith("weft show: --set switch.bufer: unknown key of [switch] 'bufer'; did you mean 'buffer'?"));
  const auto missing = run_weft("show no-such-file.toml");
  EXPECT_EQ(missing.exit_status, 2);
  EXPECT_EQ(missing.err, "weft show: no-such-file.toml: No such file or directory\n");
  EXPECT_EQ(show("--case larg").exit_status, 2);
}

TEST_F(Show, TakesEntriesFromAFolder) {
  const std::string folder = path() + ".d";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/mine.toml") << "[switch.mine]\nabout = \"Ours\"\nswitch.buffer = { value = \"3 MiB\", mark "
                                          "= \"measured\", source = \"our lab\" }\n";
  const auto outcome = show("--catalogue " + folder + " --set fabric.switch=mine");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("catalogue switch/mine (measured: our lab)"));
  EXPECT_THAT(show("--set fabric.switch=mine").err, HasSubstr("unknown switch of the catalogue 'mine'"));
  std::filesystem::remove_all(folder);
}

TEST_F(Show, EvaluatesTheFormulasOfTuning) {
  const auto outcome = show("--tuning");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("BDP = C x round trip"));
  EXPECT_THAT(outcome.out, HasSubstr("queue of 8 senders to one"));
  const auto json = nlohmann::json::parse(show("--tuning --json").out);
  EXPECT_FALSE(json.at("ports").empty());
}

TEST_F(Show, SplitsTheMemoryOfARunIntoPartsThatAddUp) {
  const auto outcome = show("--memory");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("ports of the network, with their queues"));
  EXPECT_THAT(outcome.out, HasSubstr("packets under way"));
  const auto json = nlohmann::json::parse(show("--memory --json").out);
  std::uint64_t sum = 0;
  for (const auto& [part, bytes] : json.at("bytes").items()) {
    sum += part == "total" ? 0 : bytes.get<std::uint64_t>();
  }
  EXPECT_GT(sum, 0U);
  EXPECT_EQ(json.at("bytes").at("total").get<std::uint64_t>(), sum);
}

TEST_F(Show, TakesNoOtherListBesideMemory) {
  for (const char* const other : {"--bill", "--tuning"}) {
    const auto outcome = show(std::string("--memory ") + other);
    EXPECT_NE(outcome.exit_status, 0);
    EXPECT_THAT(outcome.err, HasSubstr("--memory"));
  }
}

TEST_F(Show, NamesSettingsThatContradictTheCable) {
  const auto outcome = show("--tuning --set ethernet.priority.3.headroom=9kB");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("! host links of"));
  EXPECT_THAT(outcome.out, HasSubstr("headroom of 9 kB is less than"));
}

}  // namespace
}  // namespace weft::test
