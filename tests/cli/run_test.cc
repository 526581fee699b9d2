// `weft run` as a user meets it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kExamples = fs::path(test_data_dir()) / "../../examples";

/// A scenario and a folder of its own for each test.
class Run : public ::testing::Test {
 protected:
  Run() : folder_(fs::path(::testing::TempDir()) / fmt::format("weft_run_{}", getpid())) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "small.toml") << R"(
[fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 4
[[traffic]]
kind = "permutation"
size = "64 KiB"
shift = 1
)";
  }
  ~Run() override { fs::remove_all(folder_); }

  /// Runs in the folder.
  [[nodiscard]] Outcome run(const std::string& options) const {
    return run_weft(fmt::format("--version >/dev/null; cd {}; {} run {}", folder_.string(), weft_binary(), options));
  }
  [[nodiscard]] bool exists(const std::string& file) const { return fs::exists(folder_ / file); }

  fs::path folder_;
};

TEST_F(Run, PrintsASummaryAndWritesAResultsFile) {
  const Outcome outcome = run("small.toml");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("small, seed 1\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("finished at"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("4 completed, 256 KiB"), std::string::npos) << outcome.out;
  EXPECT_TRUE(exists("results/small-rocev2-seed1.weft")) << outcome.out;
}

// No cable leads to the receiver any more: the run comes to its end, and nothing came through.
TEST_F(Run, WhereEveryMessageFailsTheStatusSaysSo) {
  std::ofstream(folder_ / "cut.toml") << R"([fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 4
[[traffic]]
name = "writes"
kind = "incast"
size = "64 KiB"
destinations = ["host0"]
[transport]
ack_timeout = 8
[[event]]
at = "0 s"
select = "host0/nic0"
action = "fail"
)";
  const Outcome outcome = run("cut.toml --no-results");
  EXPECT_EQ(outcome.exit_status, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("none completed: all 3 FAILED (transport retry counter exceeded)"));
  EXPECT_THAT(outcome.err,
              HasSubstr("weft run: cut: all 3 messages of 'writes' FAILED: transport retry counter exceeded"));
}

// A case that sets what the file says anyway was refused by the results file, and with it every run of the scenario.
TEST_F(Run, CasesWithTheSameSettingsAreBothInOneResultsFile) {
  std::ofstream(folder_ / "small.toml", std::ios::app) << "[[case]]\nname = \"one\"\n[[case]]\nname = \"other\"\n";
  const Outcome outcome = run("small.toml --quiet --out both.weft --json both.json");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_TRUE(exists("both.weft"));
  std::ifstream file(folder_ / "both.json");
  const nlohmann::json runs = nlohmann::json::parse(file)["runs"];
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1]["run"], runs[0]["run"].get<std::string>() + "-2");
}

// The second case lasts so long that the program is killed in it.
TEST_F(Run, AFinishedCaseIsOnDiskWhenTheNextOneIsKilled) {
  std::ofstream(folder_ / "two.toml") << std::ifstream(folder_ / "small.toml").rdbuf() << R"(
[[case]]
name = "short"
[[case]]
name = "long"
[[case.traffic]]
kind = "permutation"
size = "1 GB"
count = 100000
)";
  const Outcome killed = run(
      "two.toml --out two.weft >out.txt 2>&1 & pid=$!; for i in $(seq 500); do [ -s two.weft ] && break; sleep 0.02; "
      "done; kill -KILL $pid; wait $pid");
  EXPECT_EQ(killed.exit_status, 128 + 9);
  const Outcome report = run_weft(fmt::format("report {} --json -", (folder_ / "two.weft").string()));
  EXPECT_THAT(report.out, HasSubstr("short"));
}

TEST_F(Run, OutputsThatCannotBeWrittenAreToldBeforeTheFirstRun) {
  const std::string endless = "small.toml --set traffic[0].size=1GB --set traffic[0].count=100000 ";
  for (const char* const output : {"--json none/a.json", "--out none/a.weft", "--timeline none/a.json"}) {
    const Outcome outcome = run(endless + output);
    EXPECT_EQ(outcome.exit_status, 1) << output;
    EXPECT_THAT(outcome.err, HasSubstr("cannot write 'none/a.")) << output;
    EXPECT_THAT(outcome.err, HasSubstr("there is no folder 'none'")) << output;
  }
}

TEST_F(Run, OutputThatNeverArrivesIsAFault) {
  for (const char* const command : {"run small.toml --no-results", "run --help", "collective all-reduce -n 2 -s 1KiB",
                                    "claims --list", "show small.toml", "help run"}) {
    for (const char* const where : {">/dev/full", ">&-"}) {
      const Outcome outcome = run_weft(
          fmt::format("--version >/dev/null; cd {}; {} {} {}", folder_.string(), weft_binary(), command, where));
      EXPECT_EQ(outcome.exit_status, 1) << command << where;
      EXPECT_THAT(outcome.err, HasSubstr("cannot write to")) << command << where;
    }
  }
}

/// Results do not depend on whether anybody hears the messages.
TEST_F(Run, MessagesThatCannotBeWrittenEndNothing) {
  for (const char* const where : {"2>/dev/full", "2>&-"}) {
    const auto status_of = [&](std::string_view command) {
      return run_weft(
                 fmt::format("--version >/dev/null; cd {}; {} {} {}", folder_.string(), weft_binary(), command, where))
          .exit_status;
    };
    fs::remove(folder_ / "deaf.json");
    EXPECT_EQ(status_of("run small.toml --no-results --json deaf.json"), 0) << where;
    EXPECT_TRUE(fs::exists(folder_ / "deaf.json")) << where;
    EXPECT_EQ(status_of("run nosuch.toml"), 2) << where;
    EXPECT_EQ(status_of("run --no-such-option"), 2) << where;
    EXPECT_EQ(status_of("show small.toml"), 0) << where;
  }
}

TEST_F(Run, AScenarioThatIsNoFileOrHasNoTrafficIsRefused) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const char* const wrong : {"pipe", "/dev/zero"}) {
    const Outcome outcome = run(wrong);
    EXPECT_EQ(outcome.exit_status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("is a pipe or a device; expected a regular file"));
  }
  const Outcome endless = run("small.toml --set traffic[0].kind=file --set traffic[0].file=/dev/zero");
  EXPECT_EQ(endless.exit_status, 2) << endless.err;
  std::ofstream(folder_ / "silent.toml")
      << "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"single-switch\"\nhosts = 4\n";
  const Outcome silent = run("silent.toml");
  EXPECT_EQ(silent.exit_status, 2);
  EXPECT_THAT(silent.err, HasSubstr("silent.toml:1:1: nothing is sent: add a [[traffic]] or a [[job]]"));
}

TEST_F(Run, ShowsNoProgressOffATerminal) { EXPECT_EQ(run("small.toml").err, ""); }

TEST_F(Run, QuietPrintsNothing) {
  const Outcome outcome = run("small.toml --quiet --out small.weft");
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(exists("small.weft"));
}

TEST_F(Run, WithJsonOnStandardOutputNothingElseIsThere) {
  const Outcome outcome = run("small.toml --json - --messages --seed 7 --no-results");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << outcome.out;
  ASSERT_EQ(json["runs"].size(), 1U);
  const nlohmann::json& only = json["runs"][0];
  EXPECT_EQ(only["seed"], 7);
  EXPECT_EQ(only["end"], "finished");
  EXPECT_EQ(only["partial"], false);
  EXPECT_EQ(only["jobs"][0]["completion_s"]["count"], 4);
  EXPECT_EQ(only["messages"].size(), 4U);
  EXPECT_NE(outcome.err.find("finished at"), std::string::npos) << outcome.err;
  EXPECT_FALSE(exists("results"));
}

TEST_F(Run, WritesTablesAsCsv) {
  const Outcome outcome = run("small.toml --csv tables --set output.sample_interval=1us --no-results");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* const name : {"messages.csv", "jobs.csv", "ports.csv", "samples.csv"}) {
    std::ifstream file(folder_ / "tables" / name);
    std::string heading;
    std::string row;
    EXPECT_TRUE(std::getline(file, heading) && std::getline(file, row)) << name;
    EXPECT_TRUE(heading.starts_with("run,case,")) << heading;
  }
}

// What only the assembled topology shows is refused as wrong values are: one line, its place, the numbers.
TEST_F(Run, RefusesScaleUpLinksAndReducersThatDoNotFitTheTopology) {
  const auto refusal = [&](const std::string& settings) {
    const Outcome outcome = run(fmt::format("{} --case two-tiers {} --no-results",
                                            (kExamples / "claims/scale-up-out.toml").string(), settings));
    EXPECT_EQ(outcome.exit_status, 2) << settings;
    EXPECT_EQ(outcome.out, "") << settings;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
  };
  const std::string unfilled = refusal("--set scale_up.domain=5");
  EXPECT_NE(unfilled.find("--set scale_up.domain: 2 hosts of 8 GPUs are 16 GPUs, not a multiple of "
                          "the domain size 5"),
            std::string::npos)
      << unfilled;
  const std::string selects = refusal("--set reduction.enabled=true --set reduction.switches=spine9");
  EXPECT_NE(selects.find("reduction.switches: 'spine9' selects no switch; one is named 'leaf0'"), std::string::npos)
      << selects;
}

TEST_F(Run, RefusesAWrongPortWithTheNearest) {
  const Outcome outcome = run("small.toml --pcap hots1/nic0");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.err.find("did you mean 'host1/nic0'?"), std::string::npos) << outcome.err;
  EXPECT_FALSE(exists("results"));
}

TEST_F(Run, CapturesAPort) {
  for (const char* const family : {"rocev2", "infiniband"}) {
    const Outcome outcome =
        run(fmt::format("small.toml --set fabric.family={} --pcap host1/nic0=port.pcapng --quiet --no-results && {} "
                        "pcap check port.pcapng",
                        family, weft_binary()));
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err << outcome.out;
    EXPECT_NE(outcome.out.find("0 faults"), std::string::npos) << outcome.out;
  }
}

TEST_F(Run, StopsAtTheTimeThatIsAsked) {
  const Outcome outcome = run("small.toml --until 2us --json - --no-results");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << outcome.out;
  EXPECT_EQ(json["runs"][0]["end"], "time-limit");
  EXPECT_DOUBLE_EQ(json["runs"][0]["simulated_s"], 2e-6);
}

TEST_F(Run, AnInterruptLeavesAPartialResult) {
  const Outcome outcome =
      run("small.toml --set traffic[0].size=1GB --set traffic[0].count=100000 --json run.json --out run.weft & pid=$!; "
          "sleep 1; kill -INT $pid; "
          "wait $pid");
  EXPECT_EQ(outcome.exit_status, 130) << outcome.err;
  EXPECT_NE(outcome.out.find("PARTIAL"), std::string::npos) << outcome.out;
  EXPECT_TRUE(exists("run.weft"));
  std::ifstream file(folder_ / "run.json");
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["runs"][0]["partial"], true);
}

TEST_F(Run, AnInterruptLeavesWhatWasCapturedAndSaysSo) {
  const Outcome outcome =
      run("small.toml --set traffic[0].size=1GB --set traffic[0].count=100000 --pcap host1/nic0=port.pcapng "
          "--no-results --quiet & pid=$!; for i in $(seq 400); do ls port.pcapng.tmp* >/dev/null 2>&1 && break; "
          "sleep 0.02; done; ls port.pcapng 2>/dev/null; kill -INT $pid; wait $pid");
  EXPECT_EQ(outcome.exit_status, 130) << outcome.err;
  EXPECT_EQ(outcome.out, "") << "no capture has its name before it is complete";
  EXPECT_NE(outcome.err.find("interrupted; port.pcapng has what was captured until then"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2) << "no draft is left";
  EXPECT_EQ(run_weft("pcap check " + (folder_ / "port.pcapng").string()).exit_status, 0);
}

TEST_F(Run, ACaptureThatCannotBeWrittenIsToldBeforeTheRun) {
  const Outcome nowhere = run("small.toml --pcap host1/nic0=none/port.pcapng");
  EXPECT_EQ(nowhere.exit_status, 1) << nowhere.err;
  EXPECT_NE(nowhere.err.find("there is no folder 'none'"), std::string::npos) << nowhere.err;
  EXPECT_FALSE(exists("results"));
  const Outcome twice = run("small.toml --pcap host1/nic0=a.pcapng --pcap host2/nic0=a.pcapng");
  EXPECT_EQ(twice.exit_status, 1) << twice.err;
  EXPECT_NE(twice.err.find("two captures cannot both be written to 'a.pcapng'"), std::string::npos) << twice.err;
  EXPECT_FALSE(exists("a.pcapng"));
}

TEST_F(Run, ACaptureOnAFullDiskDoesNotLoseTheResults) {
  if (!fs::exists("/dev/full")) {
    GTEST_SKIP();
  }
  const Outcome outcome = run("small.toml --pcap host1/nic0=/dev/full --out run.weft");
  EXPECT_EQ(outcome.exit_status, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("/dev/full: cannot write the capture: No space left"), std::string::npos) << outcome.err;
  EXPECT_TRUE(exists("run.weft")) << outcome.err;
}

// The victim's own way is free: what it loses, it loses to packets of others that wait in front of it.
TEST_F(Run, AVictimRecoversWithCongestionControlOnBothFabrics) {
  const Outcome outcome = run(std::string(kExamples) + "/victim.toml --no-results --quiet --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  std::map<std::string, double> goodput;
  for (const nlohmann::json& run : json["runs"]) {
    goodput[run["case"]] = run["jobs"][0]["goodput_bps"];
  }
  // Four flows share 40 Gb/s; without control the victim gets no more than one of them.
  EXPECT_LT(goodput["infiniband"], 11e9);
  EXPECT_LT(goodput["pfc"], 11e9);
  EXPECT_GT(goodput["infiniband-cc"], 1.5 * goodput["infiniband"]);
  EXPECT_GT(goodput["pfc-dcqcn"], 1.5 * goodput["pfc"]);
}

TEST_F(Run, WrongInputIsToldInOneLine) {
  for (const char* const options : {"missing.toml", "small.toml --set fabric.famly=x", "small.toml --seed many",
                                    "small.toml --case none", "small.toml --json - --csv -"}) {
    const Outcome outcome = run(options);
    EXPECT_EQ(outcome.exit_status, 2) << options;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "") << options;
  }
}

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kExamples)) {
    if (entry.path().extension() == ".toml") {
      names.push_back(entry.path().stem());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Example : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Run, Example, ::testing::ValuesIn(examples()), [](const auto& file) {
  std::string name = file.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

// Jobs of hundreds of GPUs, made smaller and shorter.
std::string reduced(const std::string& name) {
  const std::map<std::string, std::vector<std::string>> settings = {
      {"llama3-70b-1024gpu",
       {"topology.hosts=16", "topology.hosts_per_leaf=4", "topology.spines=2", "job[0].gpus=128", "job[0].layers=20",
        "job[0].interleave=1", "job[0].global_batch=16", "job[0].slice=1MiB"}},
      {"gpt3-175b-1024gpu",
       {"topology.hosts=16", "job[0].gpus=128", "job[0].layers=24", "job[0].global_batch=32", "job[0].slice=1MiB"}},
      {"mixtral-512gpu",
       {"topology.hosts=8", "job[0].gpus=64", "job[0].layers=4", "job[0].global_batch=64", "job[0].slice=1MiB",
        "job[0].slice_hops=1000000"}},
      {"failures",
       {"topology.hosts=16", "topology.hosts_per_leaf=4", "topology.spines=2", "job[0].gpus=128", "job[0].layers=4",
        "job[0].global_batch=16", "job[0].slice=1MiB", "job[0].slice_hops=1000000"}},
      {"llama3-8b-128gpu",
       {"job[0].layers=8", "job[0].global_batch=64", "job[0].slice=1MiB", "job[0].slice_hops=1000000"}},
      {"mixtral-moe-alltoall", {"job[0].layers=4", "job[0].global_batch=64", "job[0].slice=1MiB"}}};
  const auto found = settings.find(name);
  return found == settings.end() ? "" : fmt::format("--no-check --set {}", fmt::join(found->second, " --set "));
}

// Cases that are there to show what a failure takes: a job that is lost, messages whose queue pairs give up.
bool loses(const std::string& name, const std::string& case_name) {
  static const std::map<std::string, std::set<std::string>> losing = {{"control-convergence", {"bfd", "hold-timer"}},
                                                                      {"failing-ring", {"host cable"}}};
  const auto found = losing.find(name);
  return found != losing.end() && found->second.contains(case_name);
}

TEST_P(Example, RunsToItsEnd) {
  const Outcome outcome = run_weft(fmt::format("run {} --json - --no-results {}",
                                               (kExamples / (GetParam() + ".toml")).string(), reduced(GetParam())));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << outcome.out;
  for (const nlohmann::json& run : json["runs"]) {
    const bool lost = loses(GetParam(), run["case"]);
    EXPECT_TRUE(run["end"] == "finished" || run["end"] == "time-limit" || (lost && run["end"] == "job-lost"))
        << run["case"];
    for (const nlohmann::json& job : run["jobs"]) {
      EXPECT_EQ(job["failed"] > 0, lost) << run["case"];
      EXPECT_GT(job["messages"], 0) << run["case"];
    }
  }
}

}  // namespace
}  // namespace weft::test
