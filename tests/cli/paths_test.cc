// `weft paths` as a user meets it: its tables, its files, and what it says of wrong input.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

const std::string kExamples = (fs::path(test_data_dir()) / "../../examples").string();
const std::string kPolarised = kExamples + "/claims/hash-polarisation.toml --case polarised";

TEST(Paths, PrintsTiersChoicesAndVariantsWithinEightyColumns) {
  const Outcome outcome = run_weft("paths " + kPolarised + " --seeds 4");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* expected : {"all-to-all: 2862 flows of 54 senders", "leaf > spine", "spine > core", "choices at",
                               "mixed *", "crc-32", "toeplitz", "5-tuple+destination-qp", "upper"}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << "\n" << outcome.out;
  }
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(Paths, OfOneSeedForAllUsesAThirdOfTheLinksToTheCore) {
  const Outcome outcome = run_weft("paths " + kPolarised + " --seeds 2 --function crc-16 --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["seeds"], 2);
  const auto& set = document["sets"][0];
  EXPECT_EQ(set["variants"].size(), 2U);
  EXPECT_EQ(set["variants"][1]["function"], "crc-16");
  bool found = false;
  for (const auto& choice : set["choices"]) {
    if (choice["tier"] == "spine") {
      found = true;
      EXPECT_EQ(choice["used"].get<int>() * 3, choice["next_hops"].get<int>());
    }
  }
  EXPECT_TRUE(found) << set["choices"].dump();
  EXPECT_EQ(set["links"].size(), 216U);
}

TEST(Paths, OfAdaptiveRoutingSaysThatSeedsChangeNothing) {
  const Outcome outcome = run_weft("paths " + kExamples + "/claims/hash-polarisation.toml --case adaptive");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("routing adaptive, no hash"), std::string::npos) << outcome.out;
}

TEST(Paths, WritesTablesAsCsv) {
  const Outcome outcome = run_weft("paths " + kPolarised + " --seeds 2 --csv -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* expected : {"# tiers", "# choices", "# variants", "# links", "flows,port,to,tier,rate_bps"}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << "\n" << outcome.out.substr(0, 2'000);
  }
}

void expect_refused(const std::string& arguments, const std::string& said) {
  const Outcome outcome = run_weft("paths " + arguments);
  EXPECT_EQ(outcome.exit_status, 2) << arguments;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_NE(outcome.err.find(said), std::string::npos) << arguments << "\n" << outcome.err;
}

TEST(Paths, TrafficOverTcpThatLastsAsLongAsTheJobsIsLeftOutByName) {
  const Outcome outcome = run_weft("paths " + kExamples + "/mixtral-512gpu.toml --seeds 2");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Left out, as its connections come and go as long as the jobs last: storage and"),
            std::string::npos)
      << outcome.out;
}

TEST(Paths, LeavesOutALinkByNameAndWritesThePage) {
  const Outcome outcome =
      run_weft("paths " + kExamples + "/load-balancing.toml --seeds 2 --without-link leaf0/port8 --report -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("1 link is down: leaf0/port8 - "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("\"format\":\"weft-paths\""), std::string::npos) << outcome.out.substr(0, 200);
  EXPECT_NE(outcome.out.find("--seeds 2 --without-link leaf0/port8"), std::string::npos);
}

TEST(Paths, WrongInputIsRefused) {
  expect_refused("", "SCENARIO is required");
  expect_refused("no-such-file.toml", "no-such-file.toml");
  expect_refused(kPolarised + " --seeds 0", "--seeds");
  expect_refused(kPolarised + " --function crc32", "--function: unknown function 'crc32'; did you mean 'crc-32'?");
  expect_refused(kPolarised + " --fields qp", "--fields: unknown field 'qp'");
  expect_refused(kPolarised + " --fields flow-label", "flow-label is a field of IPv6");
  expect_refused(kExamples + "/claims/hash-polarisation.toml --case adaptive --function crc-32",
                 "with routing.policy = \"adaptive\" no flow is hashed");
  expect_refused(kPolarised + " --without-link leaf0/port999", "--without-link: no link has a port 'leaf0/port999'");
  expect_refused(kPolarised + " --at soon", "--at: ");
}

}  // namespace
}  // namespace weft::test
