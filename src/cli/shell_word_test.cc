#include "cli/shell_word.h"

#include <gtest/gtest.h>

namespace weft::cli {
namespace {

TEST(ShellWord, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(shell_word("examples/incast.toml"), "examples/incast.toml");
  EXPECT_EQ(shell_word("topology.hosts=8"), "topology.hosts=8");
}

TEST(ShellWord, EverythingElseIsQuoted) {
  EXPECT_EQ(shell_word("traffic[0].size=1 MB"), "'traffic[0].size=1 MB'");
  EXPECT_EQ(shell_word("my job.toml"), "'my job.toml'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace weft::cli
