// Forwarding tables of a subnet manager in runs, and partitions, as a user meets them.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kExamples = (fs::path(test_data_dir()) / "../../examples/subnet").string();

/// A file of the test, gone with this.
class Written {
 public:
  Written(const std::string& name, const std::string& text) : path_(fs::path(testing::TempDir()) / name) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~Written() { fs::remove(path_); }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

/// The results of a run but for what its machine took.
nlohmann::json results_of(const std::string& options) {
  const Outcome outcome = run_weft("run " + kExamples + "/torus.toml --no-results --no-cache -q --json - " + options);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  auto run = nlohmann::json::parse(outcome.out)["runs"][0];
  run.erase("machine");
  return run;
}

std::string tables_of(const std::string& engine) {
  const Outcome routed = run_weft("subnet routes " + kExamples + "/torus.toml --engine " + engine + " --write -");
  EXPECT_EQ(routed.exit_status, 0) << routed.err;
  return routed.out;
}

TEST(SubnetRun, TablesOfADumpGiveTheRunOfTheirEngine) {
  const Written dump("weft_subnet_run_sssp.lfts", tables_of("sssp"));
  auto by_file = results_of("--lfts " + dump.path());
  auto by_engine = results_of("--set routing.engine=sssp");
  for (const char* const part : {"packet_hops", "simulated_s", "jobs", "network"}) {
    EXPECT_EQ(by_file[part], by_engine[part]) << part;
    EXPECT_FALSE(by_file[part].is_null()) << part;
  }
}

TEST(SubnetRun, WrongTablesAreRefusedWithTheirPlace) {
  const auto refused = [](const std::string& text) {
    const Written dump("weft_subnet_run_wrong.lfts", text);
    const Outcome outcome = run_weft("run " + kExamples + "/torus.toml --no-results --lfts " + dump.path());
    EXPECT_EQ(outcome.exit_status, 2);
    return outcome.err;
  };
  const std::string right = tables_of("sssp");
  EXPECT_THAT(refused(right.substr(0, right.find('\n') + 1)), HasSubstr("no table of the switch with GUID"));
  std::string other = right;
  other.replace(other.find("0x0001 ") + 7, 3, "099");
  EXPECT_THAT(refused(other), HasSubstr("weft_subnet_run_wrong.lfts:2"));
  const Outcome missing = run_weft("run " + kExamples + "/torus.toml --no-results --lfts no_such_file.lfts");
  EXPECT_EQ(missing.exit_status, 2);
  EXPECT_THAT(missing.err, HasSubstr("--lfts: routing.tables: no_such_file.lfts: No such file or directory"));
}

TEST(SubnetRun, TablesNeedAnInfinibandNetworkThatGoesByThem) {
  const Outcome outcome = run_weft("run " + kExamples + "/../incast.toml --no-results --lfts no_such_file.lfts");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("only with lft"));
  EXPECT_THAT(outcome.err, HasSubstr("--lfts no_such_file.lfts: "));
}

TEST(SubnetPartitions, SayWhoMayTalkToWhom) {
  const Outcome outcome =
      run_weft("subnet partitions " + kExamples + "/fat-tree.net --conf " + kExamples + "/partitions.conf");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 partitions of 22 end ports"));
  EXPECT_THAT(outcome.out, HasSubstr("0xffff 0x8080  H1"));
}

TEST(SubnetPartitions, WrongFilesAreRefusedWithLineAndColumn) {
  const Written conf("weft_wrong_partitions.conf", "x=zz: ALL;\n");
  const Outcome outcome = run_weft("subnet partitions " + kExamples + "/fat-tree.net --conf " + conf.path());
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("weft_wrong_partitions.conf:1:3: 'zz' is no P_Key"));
}

}  // namespace
}  // namespace weft::test
