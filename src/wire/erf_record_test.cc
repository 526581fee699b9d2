#include "wire/erf_record.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace weft::wire {
namespace {

TEST(ErfRecord, ReadsBackWhatItWrote) {
  for (const std::uint64_t nanoseconds : {0ULL, 1ULL, 999'999'999ULL, 1'000'000'000ULL, 8'000'000'000'000'123ULL}) {
    const ErfHeader header{.nanoseconds = nanoseconds,
                           .type = static_cast<std::uint8_t>(ErfType::kInfiniBandLink),
                           .record_length = 22,
                           .loss_count = 3,
                           .wire_length = 6};
    std::array<std::byte, ErfHeader::kSize> bytes{};
    header.emit(bytes);
    const auto read = ErfHeader::parse(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->nanoseconds, nanoseconds);
    EXPECT_EQ(read->type, header.type);
    EXPECT_EQ(read->flags, header.flags);
    EXPECT_EQ(read->record_length, header.record_length);
    EXPECT_EQ(read->loss_count, header.loss_count);
    EXPECT_EQ(read->wire_length, header.wire_length);
    EXPECT_EQ(read->extensions_size, 0U);
  }
}

TEST(ErfRecord, FollowsExtensionHeadersToTheLast) {
  std::vector<std::byte> bytes(ErfHeader::kSize + 16);
  bytes[8] = std::byte{0x80 | 21};
  bytes[16] = std::byte{0x80};
  const auto header = ErfHeader::parse(bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->type, 21);
  EXPECT_EQ(header->extensions_size, 16U);
}

TEST(ErfRecord, AChainOfExtensionsThatRunsOutOfTheRecordIsAnError) {
  const std::vector<std::byte> bytes(80, std::byte{0xFF});
  EXPECT_FALSE(ErfHeader::parse(bytes));
  EXPECT_FALSE(ErfHeader::parse(std::span(bytes).first(ErfHeader::kSize - 1)));
}

}  // namespace
}  // namespace weft::wire
