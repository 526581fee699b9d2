#include "cli/run_memory.h"

#include <gtest/gtest.h>

namespace weft::cli {
namespace {

TEST(RunMemory, ReadsWhatTheSystemSays) {
  EXPECT_EQ(available_memory("MemTotal:  100 kB\nMemAvailable:     2048 kB\nBuffers: 7 kB\n"), 2048U * 1024);
  EXPECT_FALSE(available_memory("MemTotal: 100 kB\n"));
  EXPECT_FALSE(available_memory("MemAvailable:"));
  EXPECT_FALSE(available_memory("MemAvailable: lots"));
}

TEST(RunMemory, RefusesWhatDoesNotFitWithBothNumbers) {
  EXPECT_TRUE(check_memory({.estimated = 1000, .available = 1000}));
  const auto refused = check_memory({.estimated = std::uint64_t{3} << 30, .available = std::uint64_t{1} << 30});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("3 GiB"), std::string::npos);
  EXPECT_NE(refused.error().message.find("1 GiB"), std::string::npos);
  EXPECT_NE(refused.error().message.find("--force"), std::string::npos);
}

}  // namespace
}  // namespace weft::cli
