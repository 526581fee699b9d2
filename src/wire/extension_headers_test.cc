#include "wire/extension_headers.h"

#include <gtest/gtest.h>

#include "wire/bth.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

//= ibta-1.7 9.3
TEST(ExtensionHeaders, HaveTheirFieldsInWireOrder) {
  EXPECT_EQ(emitted(RdethHeader{.reserved = 1, .ee_context = 0x020304}), bytes_of("01020304"));
  EXPECT_EQ(emitted(DethHeader{.queue_key = 0x80010000, .reserved = 5, .source_qp = 1}), bytes_of("80010000 05000001"));
  EXPECT_EQ(emitted(XrcethHeader{.reserved = 1, .receive_queue = 0x020304}), bytes_of("01020304"));
  EXPECT_EQ(emitted(RethHeader{.virtual_address = 0x0102030405060708, .remote_key = 0x11121314, .dma_length = 0x100}),
            bytes_of("0102030405060708 11121314 00000100"));
  EXPECT_EQ(emitted(AtomicEthHeader{.virtual_address = 1, .remote_key = 2, .swap_or_add = 3, .compare = 4}),
            bytes_of("0000000000000001 00000002 0000000000000003 0000000000000004"));
  EXPECT_EQ(emitted(FethHeader{.reserved = 1, .selectivity = 2, .placement_type = 3}), bytes_of("00000063"));
  EXPECT_EQ(emitted(AethHeader{.syndrome = 0x1F, .msn = Psn(1)}), bytes_of("1F000001"));
  EXPECT_EQ(emitted(AtomicAckEthHeader{.original_data = 0x0102030405060708}), bytes_of("0102030405060708"));
  EXPECT_EQ(emitted(ImmDtHeader{.data = 0x01020304}), bytes_of("01020304"));
  EXPECT_EQ(emitted(IethHeader{.remote_key = 0x01020304}), bytes_of("01020304"));
}

/// Bit 0 is the lowest bit of the eighth byte, bit 64 that of the sixteenth.
TEST(ExtensionHeaders, SackIsTwoFlagsTheBaseAndTwoBigEndianWords) {
  SackEthHeader sack;
  sack.bitmap.set(0);
  sack.bitmap.set(127);
  sack.bitmap.base = Psn(0xABCDEF);
  EXPECT_EQ(emitted(sack), bytes_of("00ABCDEF 0000000000000001 8000000000000000"));
  sack.bitmap.duplicate = true;
  EXPECT_EQ(emitted(sack), bytes_of("80ABCDEF 0000000000000001 8000000000000000"));
  sack.bitmap.marked = true;
  sack.reserved = 0x05;
  EXPECT_EQ(emitted(sack), bytes_of("C5ABCDEF 0000000000000001 8000000000000000"));
}

/// What describe() says of an opcode is what the headers themselves add up to.
TEST(ExtensionHeaders, OfEveryOpcodeHaveTheSizeOfTheTable) {
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    const auto& info = describe(static_cast<std::uint8_t>(opcode));
    if (info.valid) {
      EXPECT_EQ(BthHeader::kSize + ExtensionHeaders::for_opcode(info).size(), info.header_bytes) << opcode;
    } else {
      EXPECT_EQ(info.header_bytes, 0) << opcode;
    }
  }
}

TEST(ExtensionHeaders, OfEveryOpcodeAreEmittedAsTheyWereParsed) {
  RandomStream random(1, "extension headers");
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    const auto& info = describe(static_cast<std::uint8_t>(opcode));
    if (!info.valid) {
      continue;
    }
    const auto bytes = random_bytes(random, info.header_bytes - BthHeader::kSize);
    const auto headers = ExtensionHeaders::parse(info, bytes);
    ASSERT_TRUE(headers.has_value()) << opcode;
    EXPECT_EQ(emitted(*headers, headers->size()), bytes) << opcode;
    if (!bytes.empty()) {
      EXPECT_FALSE(ExtensionHeaders::parse(info, std::span(bytes).first(bytes.size() - 1)).has_value()) << opcode;
    }
  }
}

/// UD SEND with immediate: the DETH stands before the immediate data.
//= ibta-1.7 9.2.1
TEST(ExtensionHeaders, OrderIsThatOfTheSpecification) {
  const auto headers = ExtensionHeaders::parse(describe(0x65), bytes_of("80010000 00000001 CAFEF00D"));
  ASSERT_TRUE(headers.has_value());
  EXPECT_EQ(headers->deth->queue_key, DethHeader::kGsiQueueKey);
  EXPECT_EQ(headers->immediate->data, 0xCAFEF00D);
}

}  // namespace
}  // namespace weft::wire
