#include "wire/ddp.h"

#include <gtest/gtest.h>

#include "wire/rdmap.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

//= rfc5041 4
TEST(Ddp, ReadsATaggedHeader) {
  const ByteVector bytes = bytes_of("C140 12345678 0123456789ABCDEF");
  const auto header = DdpHeader::parse(bytes);
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->tagged && header->last);
  EXPECT_EQ(header->version, kDdpVersion);
  EXPECT_EQ(RdmapControl::unpack(header->upper_control).operation(), RdmapOpcode::kWrite);
  EXPECT_EQ(header->stag, 0x12345678U);
  EXPECT_EQ(header->tagged_offset, 0x0123456789ABCDEFU);
  EXPECT_EQ(emitted(*header, header->size()), bytes);
}

TEST(Ddp, ReadsAnUntaggedHeader) {
  const ByteVector bytes = bytes_of("4143 00000000 00000000 00000007 00000400");
  const auto header = DdpHeader::parse(bytes);
  ASSERT_TRUE(header);
  EXPECT_FALSE(header->tagged);
  EXPECT_EQ(header->queue, kDdpSendQueue);
  EXPECT_EQ(header->message_number, 7U);
  EXPECT_EQ(header->message_offset, 0x400U);
  EXPECT_EQ(emitted(*header, header->size()), bytes);
}

TEST(Ddp, EveryBitOfAHeaderSurvivesAndNoHeaderIsReadPastItsEnd) {
  RandomStream random(1, "ddp");
  for (int i = 0; i < 1000; ++i) {
    const ByteVector bytes = random_bytes(random, DdpHeader::kUntaggedSize);
    const auto header = DdpHeader::parse(bytes);
    ASSERT_TRUE(header);
    EXPECT_EQ(emitted(*header, header->size()),
              ByteVector(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header->size())));
    EXPECT_FALSE(DdpHeader::parse(std::span(bytes).first(header->size() - 1)));
  }
  EXPECT_FALSE(DdpHeader::parse({}));
}

}  // namespace
}  // namespace weft::wire
