// What the key of figures depends on: everything that a simulation does, and nothing else.
#include "study/results/results_key.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "base/file.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::results {
namespace {

using scenario::Key;
using scenario::KeyUse;
using scenario::RawArray;
using scenario::RawValue;
using scenario::Scenario;
using scenario::Section;

/// With an element in every list, so that every key of the table stands for something.
Scenario whole_scenario() {
  Result<Scenario> made = scenario::scenario_with(R"(
[scale_up]
entry = "nvlink4"
[[traffic]]
kind = "permutation"
[[job]]
name = "job"
model = "llama3-8b"
gpu = "h100-sxm"
gpus = 4
tp = 4
fidelity = "packet"
[[event]]
at = "1 us"
select = "host1/nic0"
action = "degrade"
rate = "1 Gbps"
[[failure]]
kind = "link-down"
select = "host1/nic0"
at = "1 us"
[[attack]]
kind = "forged-r-key"
from = "host0"
victim = "host1"
)",
                                                  {.settings = {"topology.gpus_per_host=4"}});
  EXPECT_TRUE(made) << scenario::message_of(made);
  return made ? *std::move(made) : Scenario{};
}

/// Values of every type that a key may have.
std::vector<RawValue> some_values(const Key& key) {
  std::vector<RawValue> values;
  for (const std::int64_t number : {0, 1, 2, 3, 5, 16, 64, 256, 512, 1024, 2048, 3000, 65'536}) {
    values.push_back({.place = {}, .content = number});
  }
  for (const bool flag : {true, false}) {
    values.push_back({.place = {}, .content = flag});
  }
  for (const char* text :
       {"3 us",          "7 us",   "2 ms",  "1 s",  "5 s",  "64 KiB", "3 MiB",      "1 KiB",      "3 B",
        "25 Gbps",       "9 Gbps", "7 m",   "11 m", "3 km", "7 W",    "9 W",        "7 USD",      "9 USD",
        "0.07 USD/kWh",  "0.5",    "25%",   "1e-9", "2:1",  "3:1",    "1/2",        "1/4",        "2",
        "uniform to 5%", "1 BDP",  "2 BDP", "0:7",  "name", "other",  "host0/gpu1", "host1/nic0", "leaf0"}) {
    values.push_back({.place = {}, .content = std::string(text)});
  }
  // "one of ecmp, spray, adaptive, lft"
  std::string words = key.binding.type(key);
  for (char& c : words) {
    c = c == ',' || c == '\'' || c == '`' ? ' ' : c;
  }
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    values.push_back({.place = {}, .content = words.substr(begin, end - begin)});
    begin = end + 1;
  }
  const std::vector<RawValue> single = values;
  for (const RawValue& value : single) {
    values.push_back({.place = {}, .content = RawArray{value}});
    values.push_back({.place = {}, .content = RawArray{value, value, value}});
  }
  return values;
}

/// Another value for the key; none if no value that is tried is allowed.
std::optional<Scenario> with_another_value(const Scenario& original, const Section& section, const Key& key) {
  Scenario before = original;
  const std::string text = key.binding.text(section.settings({&before, &before.devices}, 0), key);
  for (const RawValue& value : some_values(key)) {
    Scenario changed = original;
    void* const settings = section.settings({&changed, &changed.devices}, 0);
    if (key.binding.set(settings, value, key) && key.binding.text(settings, key) != text) {
      return changed;
    }
  }
  return std::nullopt;
}

/// Keys that no simulation can depend on, by what they are about and not by the table.
bool is_of_money_or_names(const Section& section, const Key& key) {
  static const std::set<std::string> kOthers = {"name",         "output.percentiles", "fabric.cabling",
                                                "switch.power", "switch.price",       "nic.power",
                                                "nic.price",    "host.price",         "host.power"};
  return section.path == "cabling" || section.path == "cost" || section.path == "gpu" ||
         kOthers.contains(section.path.empty() ? std::string(key.name) : fmt::format("{}.{}", section.path, key.name));
}

TEST(FiguresKey, DependsOnEveryKeyButThoseOfMoneyAndNames) {
  const Scenario original = whole_scenario();
  const std::string key_before = figures_key(original, "1");
  std::size_t left_out = 0;
  for (const Section& section : scenario::sections()) {
    for (const Key& key : section.keys) {
      const std::string path = fmt::format("{}.{}", section.path, key.name);
      const bool expected = is_of_money_or_names(section, key);
      EXPECT_EQ(key.use != KeyUse::kSimulation, expected) << path;
      const std::optional<Scenario> changed = with_another_value(original, section, key);
      ASSERT_TRUE(changed) << path << ": no other value of " << key.binding.type(key);
      EXPECT_EQ(figures_key(*changed, "1") == key_before, expected) << path;
      left_out += expected ? 1 : 0;
    }
  }
  EXPECT_EQ(left_out, 30U);
}

TEST(FiguresKey, DependsOnTheVersionAndOnTheModelsShape) {
  const Scenario original = whole_scenario();
  EXPECT_NE(figures_key(original, "1"), figures_key(original, "2"));
  Scenario wider = original;
  wider.jobs.front().training.shape.hidden *= 2;
  EXPECT_NE(figures_key(original, "1"), figures_key(wider, "1"));
  Scenario faster = original;
  faster.jobs.front().training.gpu_model.bf16_flops_per_second *= 2;
  EXPECT_NE(figures_key(original, "1"), figures_key(faster, "1"));
}

TEST(FiguresKey, DoesNotDependOnCaseFileOrWhereValuesComeFrom) {
  const Scenario original = whole_scenario();
  Scenario renamed = original;
  renamed.case_name = "another";
  renamed.file = "elsewhere.toml";
  renamed.sources.clear();
  EXPECT_EQ(figures_key(original, "1"), figures_key(renamed, "1"));
}

TEST(FiguresKey, OfOverridesPricesDoNotCountAndBuffersDo) {
  const Result<Scenario> plain = scenario::scenario_with("[[override]]\nselect = \"sw0\"\nswitch.buffer = \"1 MiB\"\n");
  const Result<Scenario> dear = scenario::scenario_with(
      "[[override]]\nselect = \"sw0\"\nswitch.buffer = \"1 MiB\"\nswitch.price = \"9 USD\"\nswitch.power = \"7 W\"\n");
  const Result<Scenario> large = scenario::scenario_with("[[override]]\nselect = \"sw0\"\nswitch.buffer = \"2 MiB\"\n");
  ASSERT_TRUE(plain && dear && large) << scenario::message_of(plain) << scenario::message_of(dear);
  EXPECT_EQ(figures_key(*plain, "1"), figures_key(*dear, "1"));
  EXPECT_NE(figures_key(*plain, "1"), figures_key(*large, "1"));
}

TEST(FiguresKey, DependsOnTheContentsOfFiles) {
  const std::string file = (std::filesystem::temp_directory_path() / fmt::format("weft_key_{}", ::getpid())).string();
  Scenario scenario = whole_scenario();
  scenario.traffic.front().file = file;
  ASSERT_TRUE(write_file(file, "one"));
  const std::string one = figures_key(scenario, "1");
  ASSERT_TRUE(write_file(file, "two"));
  EXPECT_NE(figures_key(scenario, "1"), one);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace weft::study::results
