#include "fabric/hash/crc16.h"

#include <gtest/gtest.h>

#include "fabric/hash/test_bytes_of.h"

namespace weft::fabric {
namespace {

TEST(HashCrc16, HasTheCheckValueOfArc) { EXPECT_EQ(hash_crc16(bytes_of("123456789")), 0xBB3DU); }

TEST(HashCrc16, OfNothingIsZero) { EXPECT_EQ(hash_crc16({}), 0U); }

}  // namespace
}  // namespace weft::fabric
