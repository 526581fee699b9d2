// Files of any bytes in place of each kind that a command reads: refused with printable text, never echoed. A terminal
// obeys escape sequences wherever they come from.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/printable.h"
#include "base/random.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

/// A folder that lives as long as its test.
class Folder {
 public:
  Folder() : path_(fs::path(testing::TempDir()) / fmt::format("weft_binary_{}", getpid())) {
    fs::create_directories(path_ / "catalogue");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return (path_ / name).string();
  }
  [[nodiscard]] std::string name(const char* file) const { return (path_ / file).string(); }

 private:
  fs::path path_;
};

std::string random_bytes(std::size_t count) {
  SplitMix64 random(count);
  std::string bytes(count, '\0');
  std::ranges::generate(bytes, [&] { return static_cast<char>(random.next() & 0xFF); });
  return bytes;
}

/// What a terminal would obey: title, colour, cursor, and a zero byte that ends a C string.
const std::string kEscapes = std::string("\x1B]0;title\x07\x1B[31m\x1B[2J\xC2\x9B") + "5m\0\b\r" + '\0';

std::vector<std::string> contents() {
  return {
      kEscapes,
      random_bytes(20),
      random_bytes(4'000),
      random_bytes(300'000),
      kEscapes + " = " + kEscapes + "\n",
      "[" + kEscapes + "]\n",
      "endpoint " + kEscapes + "\nendpoint " + kEscapes + "\n",
      "endpoint a\nlink a \x1B[31mb rate=1Gbps length=1m\n",
      kEscapes + ", b, 1 MB\n",
      "{\"format\": \"weft-comparison\", \"" + kEscapes + "\": 1}",
      "{\"format\": \"weft-comparison\", \"format_version\": \"\\u001b[31m\"}",
      std::string("SQLite format 3\0", 16) + random_bytes(5'000),
      "\xD4\xC3\xB2\xA1" + random_bytes(2'000),
      std::string("\x0A\x0D\x0D\x0A\x1C\0\0\0\x4D\x3C\x2B\x1A", 12) + random_bytes(2'000),
  };
}

void expect_printable(const Outcome& outcome, const std::string& what) {
  EXPECT_EQ(terminal_text(outcome.out, LineBreaks::kKept), outcome.out) << what;
  EXPECT_EQ(terminal_text(outcome.err, LineBreaks::kKept), outcome.err) << what;
  EXPECT_LT(outcome.out.size() + outcome.err.size(), 20'000U) << what;
}

void expect_refused(const std::string& command) {
  const Outcome outcome = run_weft(command);
  EXPECT_EQ(outcome.exit_status, 2) << command << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << command << outcome.err;
  expect_printable(outcome, command);
}

TEST(BinaryFiles, InPlaceOfAScenarioAreNotEchoed) {
  const Folder folder;
  for (const std::string& bytes : contents()) {
    const std::string file = folder.write("junk.toml", bytes);
    for (const char* command : {"run --no-results", "show", "scale --gpus 8", "compare"}) {
      expect_refused(fmt::format("{} {}", command, file));
    }
  }
}

TEST(BinaryFiles, InPlaceOfFilesThatAScenarioNamesAreNotEchoed) {
  const Folder folder;
  const std::string hosts = "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"single-switch\"\nhosts = 4\n";
  const std::vector<std::string> scenarios = {
      folder.write("graph.toml",
                   "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"file\"\nfile = \"junk\"\n"
                   "[[traffic]]\nkind = \"permutation\"\n"),
      folder.write("flows.toml", hosts + "[[traffic]]\nkind = \"flows\"\nfile = \"junk\"\n"),
      folder.write("sizes.toml", hosts + "[[traffic]]\nkind = \"poisson\"\ncdf = \"junk\"\nstop = \"1 us\"\n"),
  };
  for (const std::string& bytes : contents()) {
    folder.write("junk", bytes);
    for (const std::string& scenario : scenarios) {
      expect_refused("run --no-results " + scenario);
    }
  }
}

TEST(BinaryFiles, InPlaceOfACatalogueAreNotEchoed) {
  const Folder folder;
  const std::string scenario =
      folder.write("a.toml", "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"single-switch\"\nhosts = 4\n");
  for (const std::string& bytes : contents()) {
    folder.write("catalogue/junk.toml", bytes);
    expect_refused(fmt::format("show {} --catalogue {}", scenario, folder.name("catalogue")));
  }
}

TEST(BinaryFiles, InPlaceOfResultsAreNotEchoed) {
  const Folder folder;
  for (const std::string& bytes : contents()) {
    const std::string file = folder.write("junk.json", bytes);
    expect_refused("report --csv - " + file);
    expect_refused(fmt::format("diff {0} {0}", file));
    expect_refused("claims --comparison " + file);
  }
}

TEST(BinaryFiles, InPlaceOfCapturesAreNotEchoed) {
  const Folder folder;
  for (const std::string& bytes : contents()) {
    const std::string file = folder.write("junk.pcap", bytes);
    for (const char* command : {"check", "list"}) {
      const std::string words = fmt::format("pcap {} {}", command, file);
      const Outcome outcome = run_weft(words);
      EXPECT_EQ(outcome.exit_status, 2) << words;
      expect_printable(outcome, words);
    }
  }
}

}  // namespace
}  // namespace weft::test
