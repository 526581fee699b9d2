#include "wire/uet/control_ordered_set.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace weft::wire::uet {
namespace {

template <class Message>
void expect_message(std::string_view hex, const Message& message) {
  EXPECT_EQ(Message::parse(bytes_of(hex)).value(), message) << hex;
  EXPECT_EQ(emitted(message), bytes_of(hex));
}

//= uet-1.0 5.1.4
TEST(UetCtlos, LlrMessagesCarryASequenceNumberOf20Bits) {
  expect_message("5C01ABCDE6000000", LlrMessage{.type = CtlosType::kLlrAck, .sequence = 0xABCDE});
  expect_message("4B02000016000000",
                 LlrMessage{.form = CtlosForm::k64b66b, .type = CtlosType::kLlrNack, .sequence = 1});
}

//= uet-1.0 5.1.4
TEST(UetCtlos, InitDataHasItsLowByteFirst) {
  expect_message("5C03FFFFF6341200", LlrMessage{.type = CtlosType::kLlrInit, .sequence = 0xFFFFF, .init_data = 0x1234});
  expect_message(
      "5C04FFFFF6341256",
      LlrMessage{.type = CtlosType::kLlrInitEcho, .sequence = 0xFFFFF, .init_data = 0x1234, .reserved_last = 0x56});
}

//= uet-1.0 5.2.6.1
TEST(UetCtlos, CfUpdateFreesCreditsOfTwoChannels) {
  // 00011 and 0x7FFF, O-code 6; 11111 and 1.
  expect_message("5C101FFFF6F80010",
                 CfUpdate{.first = {.channel = 3, .count = 0x7FFF}, .second = {.channel = 31, .count = 1}});
}

//= uet-1.0 5.2.6.2
TEST(UetCtlos, CcUpdateSaysWhatOneChannelHasConsumed) {
  expect_message("011FFFF500000007",
                 CcUpdate{.type = 1, .consumed = {.channel = 3, .count = 0x7FFF}, .reserved = 5, .reserved_word = 7});
}

//= uet-1.0 5.2.11
TEST(UetCtlos, OtherOrderedSetsAreRefused) {
  EXPECT_EQ(LlrMessage::parse(bytes_of("5501000006000000")).error().message,
            "LLR message begins with 0x55, must be 0x5c (MII) or 0x4b (64B/66B)");
  EXPECT_EQ(LlrMessage::parse(bytes_of("5C01000001000000")).error().message, "LLR message has O-code 1, must be 6");
  EXPECT_EQ(LlrMessage::parse(bytes_of("5C05000006000000")).error().message,
            "control ordered set has type 0x05, LLR has 1 to 4");
  EXPECT_EQ(CfUpdate::parse(bytes_of("5C01000006000000")).error().message,
            "control ordered set has type 0x01, CF_Update has 0x10");
  EXPECT_EQ(to_string(CtlosType::kLlrInitEcho), "LLR_INIT_ECHO");
  EXPECT_EQ(to_string(static_cast<CtlosType>(9)), "reserved");
}

}  // namespace
}  // namespace weft::wire::uet
