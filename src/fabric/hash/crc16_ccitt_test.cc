#include "fabric/hash/crc16_ccitt.h"

#include <gtest/gtest.h>

#include "fabric/hash/test_bytes_of.h"

namespace weft::fabric {
namespace {

TEST(HashCrc16Ccitt, HasTheCheckValueOfItsSeedOfOnes) {
  EXPECT_EQ(hash_crc16_ccitt(bytes_of("123456789")), 0x29B1U);
  EXPECT_EQ(hash_crc16_ccitt({}), 0xFFFFU);
}

}  // namespace
}  // namespace weft::fabric
