#include "wire/bth.h"

#include <gtest/gtest.h>

#include "wire/lrh.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

//= ibta-1.7 9.2
TEST(Bth, ReadsEveryField) {
  const auto bth = BthHeader::parse(bytes_of("0AF08765 C5123456 83ABCDEF"));
  ASSERT_TRUE(bth.has_value());
  EXPECT_EQ(*bth, (BthHeader{.opcode = 0x0A,
                             .solicited = true,
                             .migrated = true,
                             .pad_count = 3,
                             .partition_key = 0x8765,
                             .fecn = true,
                             .becn = true,
                             .reserved_variant = 5,
                             .destination_qp = 0x123456,
                             .ack_request = true,
                             .reserved = 3,
                             .psn = Psn(0xABCDEF)}));
}

/// Each flag is one bit, and no two are the same.
TEST(Bth, EmitsEachFlagInItsOwnBit) {
  const auto only = [](BthHeader header) {
    header.partition_key = 0;
    return emitted(header);
  };
  EXPECT_EQ(only({.solicited = true}), bytes_of("00800000 00000000 00000000"));
  EXPECT_EQ(only({.migrated = true}), bytes_of("00400000 00000000 00000000"));
  EXPECT_EQ(only({.fecn = true}), bytes_of("00000000 80000000 00000000"));
  EXPECT_EQ(only({.becn = true}), bytes_of("00000000 40000000 00000000"));
  EXPECT_EQ(only({.ack_request = true}), bytes_of("00000000 00000000 80000000"));
}

//= ibta-1.7 9.2
TEST(Bth, RefusesOtherTransportVersions) {
  EXPECT_EQ(BthHeader::parse(bytes_of("0A01FFFF 00000000 00000000")).error().message,
            "BTH has transport version 1, must be 0");
}

//= ibta-1.7 7.7
TEST(Lrh, ReadsEveryField) {
  const auto lrh = LrhHeader::parse(bytes_of("F03B1234 A80E17D2"));
  ASSERT_TRUE(lrh.has_value());
  EXPECT_EQ(*lrh, (LrhHeader{.virtual_lane = 15,
                             .service_level = 3,
                             .reserved_high = 2,
                             .next_header = LinkNextHeader::kIbaGlobal,
                             .destination_lid = 0x1234,
                             .reserved_length = 0x15,
                             .packet_length = 14,
                             .source_lid = 0x17D2}));
}

TEST(Lrh, RefusesOtherLinkVersions) {
  EXPECT_EQ(LrhHeader::parse(bytes_of("71021234 000E17D2")).error().message, "LRH has link version 1, must be 0");
}

}  // namespace
}  // namespace weft::wire
