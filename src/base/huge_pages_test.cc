#include "base/huge_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

namespace weft {
namespace {

TEST(HugePages, AVectorKeepsItsElementsAsItGrowsPastALargePage) {
  HugeVector<std::uint64_t> numbers;
  constexpr std::uint64_t kCount = 3 * kHugePageBytes / sizeof(std::uint64_t);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    numbers.push_back(i);
  }
  EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}), kCount * (kCount - 1) / 2);
}

TEST(HugePages, SmallVectorsBeginACacheLineAndLargeOnesALargePage) {
  const HugeVector<std::byte> small(100);
  const HugeVector<std::byte> large(kHugePageBytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small.data()) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.data()) % kHugePageBytes, 0U);
}

TEST(HugePages, AReserveIsWritableFromItsFirstByteToItsLast) {
  const HugeReserve reserve(std::size_t{64} << 20);
  auto* const bytes = static_cast<unsigned char*>(reserve.data());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes) % kHugePageBytes, 0U);
  bytes[0] = 1;
  bytes[reserve.bytes() - 1] = 2;
  EXPECT_EQ(bytes[0] + bytes[1] + bytes[reserve.bytes() - 1], 3);
}

}  // namespace
}  // namespace weft
