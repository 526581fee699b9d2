#include "cli/run_cache.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/file.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBuild = "0.1.0-0123456789abcdef";
constexpr const char* kOtherBuild = "0.1.0-fedcba9876543210";

std::string key_of(int number) { return fmt::format("{:016x}", number); }

class RunCacheFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("weft_run_cache_{}", ::getpid());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] RunCache cache(const char* build = kBuild, std::uint64_t limit = kUsualCacheLimit) const {
    return RunCache({.folder = folder_.string(), .build = build, .limit = limit});
  }
  [[nodiscard]] fs::path file_of(int number, const char* build = kBuild) const {
    const std::string key = key_of(number);
    return folder_ / build / key.substr(0, 2) / key.substr(2);
  }
  /// As if the entry had been used so many hours ago.
  void age(int number, int hours, const char* build = kBuild) const {
    fs::last_write_time(file_of(number, build), fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }

  fs::path folder_;
};

TEST_F(RunCacheFolder, GivesBackWhatWasPut) {
  const std::string text("{\"time_s\":1}\nand\0more", 20);
  RunCache one = cache();
  EXPECT_EQ(one.get(key_of(7)), std::nullopt);
  ASSERT_TRUE(one.put(key_of(7), text));
  EXPECT_EQ(one.get(key_of(7)), text);
  EXPECT_EQ(cache().get(key_of(7)), text);
  EXPECT_EQ(cache(kOtherBuild).get(key_of(7)), std::nullopt);
  EXPECT_EQ(one.get(key_of(8)), std::nullopt);
}

TEST_F(RunCacheFolder, ADamagedEntryCountsAsMissingAndIsReplaced) {
  RunCache one = cache();
  ASSERT_TRUE(one.put(key_of(7), "some figures"));
  const std::string whole = *read_file(file_of(7).string());
  const std::string flipped = whole.substr(0, whole.size() - 1) + "?";
  for (const std::string& damaged : {std::string(), whole.substr(0, whole.size() - 1), whole + "x", flipped,
                                     whole.substr(3), std::string("\n"), std::string("some figures")}) {
    ASSERT_TRUE(write_file(file_of(7).string(), damaged));
    EXPECT_EQ(one.get(key_of(7)), std::nullopt) << damaged;
  }
  // An entry under another name is no entry of that name.
  ASSERT_TRUE(one.put(key_of(7), "some figures"));
  fs::create_directories(file_of(8).parent_path());
  fs::copy_file(file_of(7), file_of(8));
  EXPECT_EQ(one.get(key_of(8)), std::nullopt);
  ASSERT_TRUE(one.put(key_of(8), "others"));
  EXPECT_EQ(one.get(key_of(8)), "others");
}

TEST_F(RunCacheFolder, TheLongestUnusedGoFirst) {
  const std::string text(1000, 'x');
  RunCache one = cache(kBuild, 5500);
  for (int i = 1; i <= 5; ++i) {
    ASSERT_TRUE(one.put(key_of(i), text));
    age(i, 10 - i);
  }
  EXPECT_TRUE(one.get(key_of(1)));  // used now
  ASSERT_TRUE(one.put(key_of(6), text));
  EXPECT_TRUE(one.get(key_of(1)));
  EXPECT_FALSE(one.get(key_of(2)));
  EXPECT_TRUE(one.get(key_of(5)));
  EXPECT_TRUE(one.get(key_of(6)));
}

TEST_F(RunCacheFolder, EntriesOfOtherBuildsGoBeforeOwnOnes) {
  const std::string text(1000, 'x');
  RunCache other = cache(kOtherBuild);
  ASSERT_TRUE(other.put(key_of(1), text));
  RunCache one = cache(kBuild, 4800);
  for (int i = 2; i <= 4; ++i) {
    ASSERT_TRUE(one.put(key_of(i), text));
    age(i, 100);
  }
  ASSERT_TRUE(one.put(key_of(5), text));
  EXPECT_FALSE(other.get(key_of(1)));
  EXPECT_TRUE(one.get(key_of(2)));
}

TEST_F(RunCacheFolder, SizeStaysBelowTheLimit) {
  RunCache one = cache(kBuild, 20'000);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(one.put(key_of(i), std::string(700, 'x')));
    std::uint64_t bytes = 0;
    for (const CacheEntry& entry : cache_entries(folder_.string())) {
      bytes += entry.bytes;
    }
    ASSERT_LE(bytes, 20'000U);
  }
  EXPECT_TRUE(one.get(key_of(99)));
  EXPECT_FALSE(one.put(key_of(100), std::string(30'000, 'x')));
}

TEST_F(RunCacheFolder, NothingElseInTheFolderIsListedOrRemoved) {
  RunCache one = cache();
  ASSERT_TRUE(one.put(key_of(1), "text"));
  const std::vector<fs::path> others = {folder_ / "notes.txt", folder_ / "photos" / "00" / "00000000000001",
                                        folder_ / kBuild / "00" / "README", folder_ / kBuild / "xy" / "00000000000001"};
  for (const fs::path& other : others) {
    fs::create_directories(other.parent_path());
    ASSERT_TRUE(write_file(other.string(), "mine"));
  }
  const std::vector<CacheEntry> entries = cache_entries(folder_.string());
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries.front().file, file_of(1).string());
  remove_cache_entries(folder_.string(), entries);
  EXPECT_FALSE(fs::exists(file_of(1)));
  for (const fs::path& other : others) {
    EXPECT_TRUE(fs::exists(other)) << other;
  }
}

TEST_F(RunCacheFolder, ADraftThatNobodyFinishedIsListedAndAFreshOneIsNot) {
  const fs::path draft = file_of(1).string() + ".tmp123";
  fs::create_directories(draft.parent_path());
  ASSERT_TRUE(write_file(draft.string(), "half"));
  EXPECT_TRUE(cache_entries(folder_.string()).empty());
  fs::last_write_time(draft, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_EQ(cache_entries(folder_.string()).size(), 1U);
}

TEST_F(RunCacheFolder, AFolderThatCannotBeMadeIsAnError) {
  ASSERT_TRUE(write_file(folder_.string(), "a file"));
  RunCache one = cache();
  EXPECT_FALSE(one.put(key_of(1), "text"));
  EXPECT_FALSE(one.get(key_of(1)));
  EXPECT_TRUE(cache_entries(folder_.string()).empty());
}

TEST_F(RunCacheFolder, ItsLimitIsKept) {
  EXPECT_EQ(*cache_limit(folder_.string()), kUsualCacheLimit);
  ASSERT_TRUE(set_cache_limit(folder_.string(), 12'345));
  EXPECT_EQ(*cache_limit(folder_.string()), 12'345U);
}

TEST(CacheFolder, IsTheUsersUnlessTheEnvironmentSaysOtherwise) {
  std::map<std::string, std::string> set;
  const auto environment = [&set](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  };
  EXPECT_EQ(cache_folder(environment), std::nullopt);
  set["HOME"] = "/users/me";
  EXPECT_EQ(cache_folder(environment), "/users/me/.cache/weft");
  set["XDG_CACHE_HOME"] = "/caches";
  EXPECT_EQ(cache_folder(environment), "/caches/weft");
  set["XDG_CACHE_HOME"] = "relative";  // the specification: to be ignored
  EXPECT_EQ(cache_folder(environment), "/users/me/.cache/weft");
  set["WEFT_CACHE"] = "here";
  EXPECT_EQ(cache_folder(environment), "here");
  set["WEFT_CACHE"] = "";
  EXPECT_EQ(cache_folder(environment), std::nullopt);
}

}  // namespace
}  // namespace weft::cli
