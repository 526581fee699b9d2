#include "cli/collective_sizes.h"

#include <gtest/gtest.h>

namespace weft::cli {
namespace {

TEST(CollectiveSizes, ARangeDoubles) {
  EXPECT_EQ(parse_sizes("1MiB..8MiB").value(), (std::vector{1_mib, 2_mib, 4_mib, 8_mib}));
  EXPECT_EQ(parse_sizes("3MB..7MB").value(), (std::vector{3_mb, 6_mb}));
}

TEST(CollectiveSizes, AListKeepsItsOrder) {
  EXPECT_EQ(parse_sizes("5MB,1KiB,1KiB..2KiB").value(), (std::vector{5_mb, 1_kib, 1_kib, 2_kib}));
}

TEST(CollectiveSizes, RefusesWhatIsNoSize) {
  for (const char* const text : {"", "1MiB,", "0B", "8MiB..1MiB", "..1MiB", "fast", "1MiB..."})
    EXPECT_FALSE(parse_sizes(text).has_value()) << text;
}

}  // namespace
}  // namespace weft::cli
