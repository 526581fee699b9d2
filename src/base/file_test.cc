#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace weft {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  FileTest() { fs::create_directories(folder_); }
  ~FileTest() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string in(std::string_view name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string message(const Result<std::string>& result) { return result ? "" : result.error().message; }
  static std::string message(const Result<void>& result) { return result ? "" : result.error().message; }

  fs::path folder_ = fs::path(::testing::TempDir()) / ("weft-file-" + std::to_string(::getpid()));
};

TEST_F(FileTest, WhatIsWrittenIsRead) {
  const std::string text = std::string(200'000, 'x') + '\0' + "end";
  ASSERT_TRUE(write_file(in("a"), text));
  EXPECT_EQ(*read_file(in("a")), text);
  ASSERT_TRUE(write_file(in("a"), ""));
  EXPECT_EQ(*read_file(in("a")), "");
  EXPECT_EQ(files(), 1U) << "no draft is left";
}

TEST_F(FileTest, OfExactlyTheLimitIsReadAndOneByteMoreIsNot) {
  ASSERT_TRUE(write_file(in("a"), std::string(100, 'x')));
  EXPECT_TRUE(read_file(in("a"), {.bytes = 100}));
  EXPECT_EQ(message(read_file(in("a"), {.bytes = 99})), in("a") + ": more than 99 bytes");
}

TEST_F(FileTest, WhatHasNoEndOrNoBeginningIsNotRead) {
  ASSERT_EQ(::mkfifo(in("pipe").c_str(), 0600), 0);
  EXPECT_EQ(message(read_file(in("pipe"))), in("pipe") + ": is a pipe or a device; expected a regular file");
  EXPECT_EQ(message(read_file("/dev/zero")), "/dev/zero: is a pipe or a device; expected a regular file");
  EXPECT_EQ(message(read_file(folder_.string())), folder_.string() + ": is a folder");
  EXPECT_EQ(message(read_file(in("none"))), in("none") + ": No such file or directory");
}

TEST_F(FileTest, AFailedWriteLeavesWhatWasThere) {
  ASSERT_TRUE(write_file(in("a"), "before"));
  // A draft cannot be made where a folder has its name.
  fs::create_directory(draft_name(in("a")));
  EXPECT_EQ(message(write_file(in("a"), "after")), "cannot write '" + in("a") + "': Is a directory");
  EXPECT_EQ(*read_file(in("a")), "before");
}

TEST_F(FileTest, ErrorsOfWritingSayWhy) {
  EXPECT_EQ(message(write_file(in("none/a"), "x")),
            "cannot write '" + in("none/a") + "': there is no folder '" + in("none") + "'");
  EXPECT_EQ(message(write_file(folder_.string(), "x")), "cannot write '" + folder_.string() + "': Is a directory");
  EXPECT_EQ(message(check_writable("")), "cannot write '': the name is empty");
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(message(write_file("/dev/full", "x")), "cannot write '/dev/full': No space left on device");
  }
}

TEST_F(FileTest, AFolderIsThereOrCanBeMade) {
  EXPECT_TRUE(check_folder_writable(folder_.string()));
  EXPECT_TRUE(check_folder_writable(in("new/one")));
  EXPECT_FALSE(fs::exists(in("new"))) << "nothing is made";
  EXPECT_TRUE(check_folder_writable(""));
  EXPECT_TRUE(check_folder_writable("no-such-folder-here/below"));
  ASSERT_TRUE(write_file(in("a"), "x"));
  EXPECT_EQ(message(check_folder_writable(in("a/b"))),
            "cannot make the folder '" + in("a/b") + "': " + in("a") + ": Not a directory");
}

TEST_F(FileTest, DevicesAreWrittenToAndNotReplaced) {
  ASSERT_TRUE(write_file("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FileTest, ALinkStaysALink) {
  ASSERT_TRUE(write_file(in("a"), "before"));
  fs::create_symlink("a", in("link"));
  ASSERT_TRUE(write_file(in("link"), "after"));
  EXPECT_TRUE(fs::is_symlink(in("link")));
  EXPECT_EQ(*read_file(in("a")), "after");
}

TEST_F(FileTest, ADraftIsWhatWasThereUntilItIsPublished) {
  ASSERT_TRUE(write_file(in("a"), "before"));
  Result<FileDraft> draft = FileDraft::create(in("a"));
  ASSERT_TRUE(draft);
  std::fputs("after", draft->stream());
  std::fflush(draft->stream());
  EXPECT_EQ(*read_file(in("a")), "before");
  ASSERT_TRUE(draft->publish());
  EXPECT_EQ(*read_file(in("a")), "after");
  EXPECT_EQ(files(), 1U);
}

TEST_F(FileTest, ADraftThatIsDroppedLeavesWhatWasThere) {
  ASSERT_TRUE(write_file(in("a"), "before"));
  for (const char* name : {"a", "b"}) {
    Result<FileDraft> draft = FileDraft::create(in(name));
    ASSERT_TRUE(draft);
    FileDraft moved = *std::move(draft);
    std::fputs("after", moved.stream());
  }
  EXPECT_EQ(*read_file(in("a")), "before");
  EXPECT_EQ(files(), 1U) << "no draft is left, and no file that was not there";
}

TEST_F(FileTest, ADraftOfADeviceIsTheDevice) {
  Result<FileDraft> draft = FileDraft::create("/dev/null");
  ASSERT_TRUE(draft);
  EXPECT_TRUE(draft->publish());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(FileDraft::create(in("none/a")));
}

}  // namespace
}  // namespace weft
