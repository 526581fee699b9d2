#include "transport/rc_timing.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

//= ibta-1.7 9.7.6.1.3
TEST(RcTiming, AckTimeoutDoublesWithEachCode) {
  EXPECT_EQ(ack_timeout(0), Duration::max());
  EXPECT_EQ(ack_timeout(1), Duration::nanoseconds(8'192));
  for (std::uint8_t code = 2; code < 32; ++code) {
    EXPECT_EQ(ack_timeout(code), ack_timeout(static_cast<std::uint8_t>(code - 1)) * 2);
  }
  // The value that collective libraries use: about 4.3 seconds.
  EXPECT_EQ(ack_timeout(20), Duration::nanoseconds(4'096) * (1 << 20));
}

}  // namespace
}  // namespace weft::transport
