#include "base/counted.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace weft {
namespace {

TEST(Counted, OneIsOneAndAllElseAreMany) {
  EXPECT_EQ(counted(1, {"run", "runs"}), "1 run");
  EXPECT_EQ(counted(0, {"run", "runs"}), "0 runs");
  EXPECT_EQ(counted(std::uint64_t{2}, {"run is", "runs are"}), "2 runs are");
}

}  // namespace
}  // namespace weft
