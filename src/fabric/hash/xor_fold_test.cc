#include "fabric/hash/xor_fold.h"

#include <gtest/gtest.h>

#include "fabric/hash/test_bytes_of.h"

namespace weft::fabric {
namespace {

TEST(HashXorFold, IsTheExclusiveOrOfWords) {
  EXPECT_EQ(hash_xor_fold(bytes_of({0x12, 0x34, 0x0F, 0xF0})), 0x1DC4U);
  EXPECT_EQ(hash_xor_fold(bytes_of({0x12, 0x34, 0x56})), 0x4434U);
}

TEST(HashXorFold, OfAFlowAndItsReverseAreEqual) {
  EXPECT_EQ(hash_xor_fold(bytes_of({10, 0, 0, 1, 10, 0, 0, 2})), hash_xor_fold(bytes_of({10, 0, 0, 2, 10, 0, 0, 1})));
}

}  // namespace
}  // namespace weft::fabric
