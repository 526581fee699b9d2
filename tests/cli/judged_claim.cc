#include "tests/cli/judged_claim.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kFolder = fs::path(test_data_dir()) / "../../examples/claims";

}  // namespace

JudgedClaim::JudgedClaim(const std::string& id, const std::string& options, Failures failures) {
  const fs::path runs = fs::path(testing::TempDir()) / fmt::format("weft_claim_{}_{}", id, getpid());
  const Outcome outcome = run_weft(
      fmt::format("claims {} --folder {} --runs {} --json - {}", id, kFolder.string(), runs.string(), options));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json all = Json::parse(outcome.out, nullptr, false);
  if (!all.is_discarded() && all["claims"].size() == 1) {
    judged_ = all["claims"][0];
  } else {
    ADD_FAILURE() << outcome.out << outcome.err;
  }
  if (std::ifstream file(runs / (id + ".json")); file) {
    json_ = Json::parse(file, nullptr, false);
  }
  fs::remove_all(runs);
  check_form(id);
  if (failures == Failures::kNone) {
    check_runs();
  }
}

void JudgedClaim::check_runs() const {
  for (const Json& run : json_.value("runs", Json::array())) {
    EXPECT_TRUE(run["end"] == "finished" || run["end"] == "time-limit") << run["case"];
    for (const Json& job : run["jobs"]) {
      EXPECT_EQ(job["failed"], 0) << run["case"];
    }
  }
}

void JudgedClaim::check_form(const std::string& id) const {
  EXPECT_EQ(judged_.value("id", ""), id);
  if (verdict() == "not measured yet") {
    EXPECT_NE(judged_.value("reason", ""), "");
    return;
  }
  EXPECT_EQ(judged_.contains("condition"), verdict() == "holds when");
  EXPECT_FALSE(judged_["figures"].empty());
  for (const char* const name : {"figure", "text"}) {
    const std::string text = judged_.value(name, "");
    EXPECT_FALSE(text.empty()) << id;
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf "), std::string::npos) << text;
  }
}

double JudgedClaim::figure(const std::string& name) const {
  for (const Json& figure : judged_.value("figures", Json::array())) {
    if (figure["name"] == name) {
      return figure["value"].get<double>();
    }
  }
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

const Json& JudgedClaim::run(const std::string& case_name) const {
  if (json_.contains("runs")) {
    for (const Json& run : json_["runs"]) {
      if (run["case"] == case_name) {
        return run;
      }
    }
  }
  ADD_FAILURE() << "no case " << case_name;
  static const Json kNone = {{"jobs", {{{"goodput_bps", 0.0}}}}};
  return kNone;
}

const Json& JudgedClaim::job(const std::string& case_name, const std::string& job) const {
  for (const Json& candidate : run(case_name)["jobs"]) {
    if (candidate["name"] == job) {
      return candidate;
    }
  }
  return run(case_name)["jobs"].at(0);
}

double JudgedClaim::goodput(const std::string& case_name, const std::string& of) const {
  return job(case_name, of)["goodput_bps"].get<double>();
}

double JudgedClaim::latency(const std::string& case_name, const std::string& of) const {
  return job(case_name, of)["latency_s"]["p50"].get<double>();
}

const Json& JudgedClaim::row(const std::string& fabric, int gpus) const {
  if (json_.contains("rows")) {
    for (const Json& row : json_["rows"]) {
      if (row["fabric"] == fabric && row["gpus"] == gpus && row["possible"] == true) {
        return row;
      }
    }
  }
  ADD_FAILURE() << "no " << fabric << " with " << gpus << " GPUs";
  static const Json kNone;
  return kNone;
}

}  // namespace weft::test
