// `weft report` and `weft diff` from outside: files, streams, exit status.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

const fs::path kData = fs::path(test_data_dir()) / "report";
const std::string kFull = (kData / "full.json").string();
const std::string kEmpty = (kData / "empty.json").string();

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

/// A folder that lives as long as the test.
class Report : public ::testing::Test {
 protected:
  Report() { fs::create_directories(folder_); }
  ~Report() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path in(const std::string& name) const { return folder_ / name; }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(in(name)) << text;
    return in(name);
  }
  /// The results of a run with samples.
  [[nodiscard]] std::string run(const std::string& name, const std::string& options) const {
    const std::string file = in(name);
    const Outcome outcome =
        run_weft(fmt::format("run {}/../../examples/incast.toml --out {} {}", test_data_dir(), file, options));
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
    return file;
  }

 private:
  fs::path folder_ = fs::path(::testing::TempDir()) /
                     fmt::format("weft_report_{}", ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Report, WritesOneHtmlFileAndSaysWhere) {
  const fs::path page = in("page.html");
  const Outcome outcome = run_weft(fmt::format("report {} -o {}", kFull, page.string()));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, fmt::format("report in {}\n", page.string()));
  EXPECT_THAT(text_of(page), StartsWith("<!doctype html>"));
  EXPECT_THAT(text_of(page), HasSubstr("<title>sample: networks compared</title>"));
}

TEST_F(Report, JsonIsTheWholeDocumentAndNothingElseIsWritten) {
  const Outcome outcome = run_weft(fmt::format("report {} --json -", kFull));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out), Json::parse(text_of(kFull)));
  EXPECT_FALSE(fs::exists("report.html"));
}

TEST_F(Report, CsvGoesIntoAFolderOrOntoStandardOutput) {
  const fs::path folder = in("tables");
  EXPECT_EQ(run_weft(fmt::format("report {} --csv {}", kFull, folder.string())).exit_status, 0);
  EXPECT_THAT(text_of(folder / "lost_time.csv"),
              StartsWith("fabric,cause,s,origin\ninfiniband,headers,0.004,catalogue\n"));
  const Outcome printed = run_weft(fmt::format("report {} --csv -", kFull));
  EXPECT_THAT(printed.out, HasSubstr("# bill.csv\nfabric,part,name,count,"));
}

TEST_F(Report, RunsBecomeAComparison) {
  const std::string file = run("runs.weft", "");
  const Outcome outcome = run_weft(fmt::format("report {} --json - -o {}", file, in("run.html").string()));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["format"], "weft-comparison");
  ASSERT_EQ(json["fabrics"].size(), 2U);
  EXPECT_EQ(json["fabrics"][0]["name"], "infiniband");
  EXPECT_EQ(json["fabrics"][0]["cdf"]["fct"].size(), 15U);
  EXPECT_TRUE(json["fabrics"][0].contains("queues"));
  EXPECT_TRUE(json["fabrics"][1].contains("pause_s"));
  EXPECT_THAT(text_of(in("run.html")), StartsWith("<!doctype html>"));
}

TEST_F(Report, WhatIsNoComparisonIsRefusedInOneLine) {
  const auto expect_refused = [](const std::string& arguments, const std::string& said) {
    const Outcome outcome = run_weft(arguments);
    EXPECT_EQ(outcome.exit_status, 2) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
    EXPECT_EQ(outcome.err, said) << arguments;
  };
  const std::string text = write("text.json", "oops");
  const std::string other = write("other.json", "{\"format\": \"weft-comparison\", \"format_version\": 3}");
  const std::string binary = write("binary.weft", std::string("SQLite format 3\0 and more", 25));
  const std::string folder = in("");
  expect_refused("report no-such-file", "weft report: no-such-file: No such file or directory\n");
  expect_refused("report " + folder, fmt::format("weft report: {}: is a folder\n", folder));
  expect_refused("report " + other, fmt::format("weft report: {}: a comparison in format version 3; this weft reads "
                                                "version 1: run the comparison again\n",
                                                other));
  EXPECT_EQ(run_weft("report " + text).exit_status, 2);
  EXPECT_EQ(run_weft("report " + binary).exit_status, 2);
  expect_refused(
      fmt::format("report {} {}", kFull, kEmpty),
      fmt::format("weft report: {}: not a results file of `weft run`; several files can only be of runs\n", kFull));
  expect_refused(fmt::format("diff {} no-such-file", kFull), "weft diff: no-such-file: No such file or directory\n");
  EXPECT_EQ(run_weft("report").exit_status, 2);
  EXPECT_EQ(run_weft("diff " + kFull).exit_status, 2);
}

TEST_F(Report, WithABaselineThePageCarriesTheDifferencesOfWeftDiff) {
  Json earlier = Json::parse(text_of(kFull));
  earlier["fabrics"][1]["step_time_s"] = 0.5;
  earlier["fabrics"].erase(3);
  const fs::path before = write("before.json", earlier.dump());
  const fs::path page = in("page.html");
  const Outcome outcome = run_weft(fmt::format("report {} --baseline {} -o {}", kFull, before.string(), page.string()));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const std::string html = text_of(page);
  const std::string begin = "id=\"weft-baseline\">";
  const std::size_t from = html.find(begin) + begin.size();
  const Json carried = Json::parse(html.substr(from, html.find("</script", from) - from));
  Json diff = Json::parse(run_weft(fmt::format("diff {} {} --json -", before.string(), kFull)).out);
  for (const char* own : {"format", "format_version", "a", "b"}) {
    diff.erase(own);
  }
  EXPECT_EQ(carried["diff"], diff);
  EXPECT_EQ(carried["file"], before.string());
}

TEST_F(Report, AWrongBaselineIsRefusedInOneLine) {
  const auto expect_refused = [](const std::string& results, const std::string& baseline, const std::string& said) {
    const Outcome outcome = run_weft(fmt::format("report {} --baseline {} -o /dev/null", results, baseline));
    EXPECT_EQ(outcome.exit_status, 2) << baseline;
    EXPECT_THAT(outcome.out, IsEmpty()) << baseline;
    EXPECT_EQ(outcome.err, "weft report: " + said + "\n") << baseline;
  };
  const std::string runs = run("runs.weft", "");
  Json renamed = Json::parse(text_of(kEmpty));
  for (Json& fabric : renamed["fabrics"]) {
    fabric["name"] = "old-" + fabric["name"].get<std::string>();
  }
  const std::string other = write("other.json", renamed.dump());
  expect_refused(kFull, "no-such-file", "no-such-file: No such file or directory");
  expect_refused(kFull, runs,
                 fmt::format("{}: results of `weft run`, but {} has results of `weft compare`; a baseline is of the "
                             "same kind",
                             runs, kFull));
  expect_refused(runs, kFull,
                 fmt::format("{}: results of `weft compare`, but {} has results of `weft run`; a baseline is of the "
                             "same kind",
                             kFull, runs));
  expect_refused(kFull, other,
                 fmt::format("{}: no fabric of the report is in it; a baseline has at least one of them", other));
}

TEST_F(Report, AFileThatCannotBeWrittenIsAFault) {
  for (const char* option : {"-o", "--json", "--csv"}) {
    const Outcome outcome = run_weft(fmt::format("report {} {} /dev/null/x", kFull, option));
    EXPECT_EQ(outcome.exit_status, 1) << option;
    EXPECT_THAT(outcome.err, StartsWith("weft report: cannot ")) << option;
  }
}

TEST_F(Report, DiffShowsWhatChanged) {
  Json changed = Json::parse(text_of(kFull));
  changed["fabrics"][1]["cost_usd"] = 56000;
  const std::string other = write("b.json", changed.dump());
  const Outcome outcome = run_weft(fmt::format("diff {} {}", kFull, other));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith(fmt::format("A  {}\nB  {}\n", kFull, other)));
  EXPECT_THAT(outcome.out, HasSubstr("rocev2  cost_usd  112000  56000  -50.00 %"));
  const Outcome json = run_weft(fmt::format("diff {} {} --json -", kFull, other));
  EXPECT_EQ(Json::parse(json.out)["figures"][0]["relative_change"], -0.5);
  EXPECT_THAT(run_weft(fmt::format("diff {} {}", kFull, kFull)).out, HasSubstr("Figures that differ: 0;"));
}

TEST_F(Report, DiffOfTwoRunsShowsSettingsAndFigures) {
  const std::string a = run("a.weft", "--case rocev2");
  const std::string b = run("b.weft", "--case rocev2 --set topology.spines=4");
  const Outcome outcome = run_weft(fmt::format("diff {} {} --json -", a, b));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  bool spines = false;
  for (const Json& setting : json["settings"]) {
    spines = spines || (setting["name"] == "topology.spines" && setting["a"] == "2" && setting["b"] == "4");
  }
  EXPECT_TRUE(spines) << json["settings"].dump(2);
  EXPECT_FALSE(json["figures"].empty());
}

}  // namespace
}  // namespace weft::test
