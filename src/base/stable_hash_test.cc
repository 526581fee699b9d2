#include "base/stable_hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>

namespace weft {
namespace {

// The key and messages of the algorithm's paper: bytes 0, 1, 2, ...
constexpr SipHashKey kPaperKey = {.k0 = 0x0706050403020100, .k1 = 0x0f0e0d0c0b0a0908};

std::string counting_bytes(std::size_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i) {
    bytes += static_cast<char>(i);
  }
  return bytes;
}

TEST(StableHash, MatchesThePublishedVectorsOfSipHash24) {
  EXPECT_EQ(sip_hash(kPaperKey, counting_bytes(0)), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(sip_hash(kPaperKey, counting_bytes(15)), 0xa129ca6149be45e5U);
}

TEST(StableHash, DependsOnLengthNotOnlyOnContent) {
  std::set<std::uint64_t> hashes;
  for (std::size_t length = 0; length <= 32; ++length) {
    hashes.insert(stable_hash(1, std::string(length, '\0')));
  }
  EXPECT_EQ(hashes.size(), 33U);
}

TEST(StableHash, EverySeedBitChangesHalfTheResultOnAverage) {
  const std::string name = "leaf1/port7";
  int flipped = 0;
  for (int bit = 0; bit < 64; ++bit) {
    flipped += std::popcount(stable_hash(0, name) ^ stable_hash(std::uint64_t{1} << bit, name));
  }
  // 4096 fair bits: mean 2048, standard deviation 32; five of them either way.
  EXPECT_NEAR(flipped, 64 * 64 / 2, 5 * 32);
}

}  // namespace
}  // namespace weft
