#include "wire/tcp.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

//= rfc9293 3.1
TEST(Tcp, ReadsEveryField) {
  const auto header = TcpSegmentHeader::parse(bytes_of("C0010CBC 01020304 A1A2A3A4 5A52FFFE ABCD0007"));
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->source_port, 0xC001);
  EXPECT_EQ(header->destination_port, 0x0CBC);
  EXPECT_EQ(header->sequence, 0x01020304U);
  EXPECT_EQ(header->acknowledgement, 0xA1A2A3A4U);
  EXPECT_EQ(header->reserved, 0xA);
  EXPECT_EQ(header->flags, kTcpEce | kTcpAck | kTcpSyn);
  EXPECT_EQ(header->window, 0xFFFE);
  EXPECT_EQ(header->checksum, 0xABCD);
  EXPECT_EQ(header->urgent_pointer, 7);
  EXPECT_EQ(header->size(), 20U);
}

TEST(Tcp, KeepsOptionsAsTheyAre) {
  const auto bytes = bytes_of("C0010CBC 00000001 00000002 7010FFFF 00000000 FE04BEEF 01010000");
  const auto header = TcpSegmentHeader::parse(bytes);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->size(), bytes.size());
  EXPECT_EQ(emitted(*header, header->size()), bytes);
}

TEST(Tcp, RefusesEveryTruncationAndAShortHeaderLength) {
  const auto bytes = bytes_of("C0010CBC 00000001 00000002 6010FFFF 00000000 01010101");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(TcpSegmentHeader::parse(std::span(bytes).first(size)).has_value()) << size;
  }
  auto shorter = bytes;
  shorter[12] = std::byte{0x40};
  EXPECT_EQ(TcpSegmentHeader::parse(shorter).error().message, "TCP header length is 16 bytes, must be 20 to 60");
}

//= rfc9293 3.2
//= rfc7323 2.2
//= rfc7323 3.2
//= rfc2018 2
TEST(TcpOptions, OfASynAreTheUsualTwentyBytes) {
  const TcpOptionFields fields{
      .mss = 1460, .window_scale = 7, .sack_permitted = true, .timestamps = TcpTimestamps{.value = 1, .echo = 2}};
  const auto bytes = bytes_of("020405B4 0402080A 00000001 00000002 01030307");
  ASSERT_EQ(fields.size(), bytes.size());
  EXPECT_EQ(emitted(fields, fields.size()), bytes);
  EXPECT_EQ(TcpOptionFields::parse(bytes).value(), fields);
}

//= rfc2018 3
TEST(TcpOptions, HoldThreeSackBlocksBesideTimestamps) {
  TcpOptionFields fields{.timestamps = TcpTimestamps{.value = 1, .echo = 2}};
  fields.sack = {{{.begin = 10, .end = 20}, {.begin = 30, .end = 40}, {.begin = 50, .end = 60}, {}}};
  fields.sack_blocks = 3;
  const auto bytes =
      bytes_of("0101080A 00000001 00000002 0101051A 0000000A 00000014 0000001E 00000028 00000032 0000003C");
  ASSERT_EQ(fields.size(), TcpSegmentHeader::kMaxOptions);
  EXPECT_EQ(emitted(fields, fields.size()), bytes);
  EXPECT_EQ(TcpOptionFields::parse(bytes).value(), fields);
}

TEST(TcpOptions, ComeBackWhateverIsSet) {
  RandomStream random(1, "tcp options");
  for (int i = 0; i < 500; ++i) {
    TcpOptionFields fields;
    TcpHeader record{};
    const std::uint64_t set = random.next();
    if ((set & 1U) != 0) {
      fields.mss = record.mss = static_cast<std::uint16_t>(1 + random.uniform(65'535));
    }
    if ((set & 2U) != 0) {
      fields.window_scale = static_cast<std::uint8_t>(random.uniform(15));
      record.options |= kTcpHasWindowScale;
    }
    fields.sack_permitted = (set & 4U) != 0;
    record.options = static_cast<std::uint8_t>(record.options | (fields.sack_permitted ? kTcpSackPermitted : 0));
    if ((set & 8U) != 0) {
      fields.timestamps = TcpTimestamps{.value = static_cast<std::uint32_t>(random.next()), .echo = 9};
      record.options |= kTcpHasTimestamps;
    }
    fields.sack_blocks = record.sack_blocks = static_cast<std::uint8_t>(random.uniform(5));
    for (std::size_t block = 0; block < fields.sack_blocks; ++block) {
      fields.sack[block] = {.begin = static_cast<std::uint32_t>(random.next()), .end = 5};
    }
    EXPECT_EQ(fields.size(), tcp_option_bytes(record));
    EXPECT_EQ(TcpOptionFields::parse(emitted(fields, fields.size())).value(), fields);
  }
}

//= rfc9293 3.2
TEST(TcpOptions, UnknownOnesAreSkippedAndTheListMayEndEarly) {
  const auto fields = TcpOptionFields::parse(bytes_of("FE06DEADBEEF 02040400 00 0204"));
  ASSERT_TRUE(fields.has_value());
  EXPECT_EQ(fields->mss, 0x400);
}

//= rfc7323 2.3
TEST(TcpOptions, AWindowScaleBeyondFourteenCountsAsFourteen) {
  EXPECT_EQ(TcpOptionFields::parse(bytes_of("0303FF")).value().window_scale, 14);
}

TEST(TcpOptions, RefuseLengthsThatCannotBe) {
  for (const char* const wrong : {"02", "0200", "0201", "020405", "02060000 0000", "0304 0000", "040300", "0502",
                                  "0509000000000000 00", "080A0000", "FE", "FE00", "FE05"}) {
    EXPECT_FALSE(TcpOptionFields::parse(bytes_of(wrong)).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace weft::wire
