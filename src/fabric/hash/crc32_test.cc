#include "fabric/hash/crc32.h"

#include <gtest/gtest.h>

#include "fabric/hash/test_bytes_of.h"

namespace weft::fabric {
namespace {

TEST(HashCrc32, HasTheCheckValueOfEthernet) { EXPECT_EQ(hash_crc32(bytes_of("123456789")), 0xCBF43926U); }

}  // namespace
}  // namespace weft::fabric
