#include "study/assembly/resolved_values.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "base/test_paths.h"
#include "study/assembly/assembly_check.h"
#include "study/assembly/build_topology.h"
#include "study/scenario/scenario_load.h"

namespace weft::study::assembly {
namespace {

namespace fs = std::filesystem;

const scenario::Catalogue& catalogue() {
  static const scenario::Catalogue own = *scenario::Catalogue::load(std::nullopt);
  return own;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

constexpr std::size_t kParts = 8;

/// Every example of one of kParts parts, of many cases some: the first, the last, and one between them.
std::vector<scenario::Scenario> examples(std::size_t part) {
  constexpr std::size_t kCases = 3;
  std::vector<std::string> files;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(fs::canonical(fs::path(test_data_dir()) / ".." / ".." / "examples"))) {
    if (entry.path().extension() == ".toml") {
      files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  std::vector<scenario::Scenario> all;
  for (std::size_t number = part; number < files.size(); number += kParts) {
    const std::string& file = files[number];
    const std::vector<std::string> names = *scenario::case_names(text_of(file), file);
    std::set<std::size_t> chosen;
    for (std::size_t i = 0; i < kCases && !names.empty(); ++i) {
      chosen.insert(i * (names.size() - 1) / (kCases - 1));
    }
    std::vector<std::optional<std::string>> cases = {std::nullopt};
    for (const std::size_t i : chosen) {
      cases.emplace_back(names[i]);
    }
    for (const std::optional<std::string>& name : cases) {
      auto own = scenario::load_scenario({.file = file, .case_name = name, .settings = {}}, catalogue());
      if (own && check_assembly(*own)) {
        all.push_back(*std::move(own));
      }
    }
  }
  return all;
}

class ListingsOfExamples : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, ListingsOfExamples, ::testing::Range(std::size_t{0}, kParts));

TEST_P(ListingsOfExamples, HaveNoValueThatIsLeftOpen) {
  const std::vector<scenario::Scenario> all = examples(GetParam());
  EXPECT_GT(all.size(), 10U);
  for (const scenario::Scenario& own : all) {
    const auto graph = build_topology(own);
    ASSERT_TRUE(graph.has_value()) << own.file << graph.error().message;
    for (const scenario::ListedValue& row : resolved_listing(own, *graph)) {
      EXPECT_NE(row.value, "auto") << own.file << ", " << own.case_name << ": " << row.path;
      EXPECT_NE(row.value, "catalogue") << own.file << ", " << own.case_name << ": " << row.path;
    }
  }
}

std::string value_of(const std::string& text, const std::string& path) {
  const auto own = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}}, catalogue());
  EXPECT_TRUE(own.has_value()) << own.error().message;
  const auto rows = resolved_listing(*own, *build_topology(*own));
  const auto row = std::ranges::find(rows, path, &scenario::ListedValue::path);
  return row == rows.end() ? "not listed" : row->value;
}

TEST(ResolvedValues, ACheckpointTakesAsLongAsItsShardAtTheRateOfAGpu) {
  // 30 GB at 2.4 Gb/s, and at a rate whose time no Duration holds.
  constexpr const char* kRun = R"(
[fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 2
[[traffic]]
kind = "permutation"
size = "1 KiB"
)";
  EXPECT_EQ(value_of(kRun, "checkpoint.time"), "100 s");
  EXPECT_EQ(value_of(std::string(kRun) + "[checkpoint]\nrate = \"1 bps\"\n", "checkpoint.time"), "2.4e+11 s");
}

const std::string kUltraEthernet =
    "[fabric]\nfamily = \"uet\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 8\nleaves = 2\nspines = 2\n"
    "[[traffic]]\nkind = \"permutation\"\nsize = \"1 MB\"\n";
const std::string kPlain =
    "[topology]\nkind = \"leaf-spine\"\nhosts = 8\nleaves = 2\nspines = 2\n"
    "[[traffic]]\nkind = \"permutation\"\nsize = \"1 MB\"\n";

TEST(ResolvedValues, ValuesOfUltraEthernetFollowFromTheRoundTripAndTheWire) {
  EXPECT_EQ(value_of(kUltraEthernet, "uet.header_bytes"), "106");  // Ethernet, IPv4, UDP, PDS, SES, CRC, FCS
  EXPECT_NE(value_of(kUltraEthernet, "uet.trimming"), value_of(kUltraEthernet, "uet.loss_by_count"));
}

TEST(ResolvedValues, AnAlgorithmThatIsLeftOpenIsThatOfTheLibraryOrTheFastest) {
  const std::string open =
      "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"single-switch\"\nhosts = 4\n"
      "[[traffic]]\nkind = \"collective\"\n";
  EXPECT_EQ(value_of(open, "collectives.algorithm"), "fastest");
  EXPECT_EQ(value_of(open, "traffic[0].algorithm"), "fastest");
  const std::string named = open + "[collectives]\nalgorithm = \"ring\"\n";
  EXPECT_EQ(value_of(named, "collectives.algorithm"), "ring");
  EXPECT_EQ(value_of(named, "traffic[0].algorithm"), "ring");
  EXPECT_EQ(value_of(named + "[[traffic]]\nkind = \"collective\"\nalgorithm = \"tree\"\n", "traffic[1].algorithm"),
            "tree");
}

TEST(ResolvedValues, WhatHasNoEffectSaysSo) {
  EXPECT_EQ(value_of(kUltraEthernet, "topology.oversubscription"), "-");  // its spines are given
  EXPECT_EQ(value_of("[fabric]\nfamily = \"uet\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 8\nleaves = 2\n"
                     "[[traffic]]\nkind = \"permutation\"\nsize = \"1 MB\"\n",
                     "topology.oversubscription"),
            "1:1");
  EXPECT_EQ(value_of("[fabric]\nfamily = \"rocev2\"\n" + kPlain, "ethernet.llr.buffer"), "-");
  EXPECT_EQ(value_of("[fabric]\nfamily = \"rocev2\"\n" + kPlain, "ethernet.priority.*.credit_buffer"), "-");
}

TEST(ResolvedValues, HeadroomIsASizeWhereAPriorityIsLossless) {
  EXPECT_THAT(value_of("[fabric]\nfamily = \"rocev2\"\n" + kPlain, "ethernet.priority.*.headroom"),
              testing::MatchesRegex("[0-9.]+ [KMG]?i?B( to [0-9.]+ [KMG]?i?B)?"));
}

TEST(ResolvedValues, CreditUpdatesOfInfiniBandAreDueAtAQuarterOfTheBufferAtMost) {
  EXPECT_THAT(value_of("[fabric]\nfamily = \"infiniband\"\n" + kPlain, "infiniband.credit_update_threshold"),
              testing::MatchesRegex("[0-9.]+ [KMG]?i?B( to [0-9.]+ [KMG]?i?B)?"));
}

}  // namespace
}  // namespace weft::study::assembly
