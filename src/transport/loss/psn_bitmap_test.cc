#include "transport/loss/psn_bitmap.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace weft::transport {
namespace {

TEST(PsnBitmap, WindowIsTheNextPowerOfTwoFrom64On) {
  EXPECT_EQ(PsnBitmap::window_for(1), 64U);
  EXPECT_EQ(PsnBitmap::window_for(64), 64U);
  EXPECT_EQ(PsnBitmap::window_for(65), 128U);
  EXPECT_EQ(PsnBitmap::window_for(65'536), 65'536U);
}

/// Against a set of numbers, over the wrap of the PSNs and of the ring.
TEST(PsnBitmap, IsASetOfPsnsOfOneWindow) {
  for (const std::uint32_t window : {64U, 256U, 1'024U}) {
    Psn base(0xFFFF80);
    PsnBitmap bitmap(window);
    std::set<std::int32_t> reference;  // distances from base
    RandomStream random(window, "bitmap");
    for (int round = 0; round < 2'000; ++round) {
      const auto place = static_cast<std::int32_t>(random.uniform(window));
      bitmap.set(base + place);
      reference.insert(place);
      const auto from = static_cast<std::int32_t>(random.uniform(window));
      std::uint32_t run = 0;
      while (run < window - static_cast<std::uint32_t>(from) &&
             reference.contains(from + static_cast<std::int32_t>(run))) {
        ++run;
      }
      ASSERT_EQ(bitmap.run_from(base + from, window - static_cast<std::uint32_t>(from)), run);
      const auto count = static_cast<std::uint32_t>(random.uniform(window - static_cast<std::uint32_t>(from)));
      if (round % 3 == 0) {
        std::uint32_t cleared = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
          cleared += static_cast<std::uint32_t>(reference.erase(from + static_cast<std::int32_t>(i)));
        }
        ASSERT_EQ(bitmap.reset_range(base + from, count), cleared);
      }
      for (std::uint32_t i = 0; i < window; ++i) {
        ASSERT_EQ(bitmap.test(base + i), reference.contains(static_cast<std::int32_t>(i)));
      }
      if (round % 7 == 0) {
        bitmap.clear();
        reference.clear();
        base += static_cast<std::int64_t>(random.uniform(200));
      }
    }
  }
}

}  // namespace
}  // namespace weft::transport
