#include "transport/stream/stream_message.h"

#include <gmock/gmock.h>

#include <vector>

#include "base/random.h"
#include "wire/test_bytes.h"

namespace weft::transport {
namespace {

using ::testing::HasSubstr;
using wire::bytes_of;

TEST(StreamMessage, HasTheDocumentedBytes) {
  const StreamMessage message{.kind = StreamMessageKind::kWriteWithImmediate,
                              .solicited = true,
                              .length = 0x01020304,
                              .immediate = 0x05060708,
                              .remote_key = 0x090A0B0C,
                              .remote_address = 0x1112131415161718};
  const wire::ByteVector bytes = bytes_of("57 04 01 00 01020304 05060708 090A0B0C 1112131415161718");
  EXPECT_EQ(wire::emitted(message), bytes);
  EXPECT_EQ(StreamMessage::parse(bytes), message);
}

TEST(StreamMessage, RefusesHeadersThatNobodyWrites) {
  const wire::ByteVector send = wire::emitted(StreamMessage{.length = 5});
  const auto error_with = [&send](std::size_t at, unsigned value) {
    wire::ByteVector bytes = send;
    bytes[at] = static_cast<std::byte>(value);
    const auto parsed = StreamMessage::parse(bytes);
    return parsed ? std::string("accepted") : parsed.error().message;
  };
  EXPECT_THAT(error_with(0, 0), HasSubstr("must be 0x57"));
  EXPECT_THAT(error_with(1, 0), HasSubstr("kind 0"));
  EXPECT_THAT(error_with(1, 6), HasSubstr("kind 6"));
  EXPECT_THAT(error_with(2, 2), HasSubstr("reserved bits"));
  EXPECT_THAT(error_with(3, 1), HasSubstr("reserved bits"));
  EXPECT_THAT(error_with(4, 0x81), HasSubstr("at most 2147483648"));
  EXPECT_THAT(error_with(8, 1), HasSubstr("immediate data"));
  EXPECT_THAT(error_with(12, 1), HasSubstr("remote memory"));
  EXPECT_THAT(error_with(1, 5), HasSubstr("refusal"));
  EXPECT_FALSE(StreamMessage::parse(std::span(send).first(23)));
}

TEST(StreamMessage, WhateverIsAcceptedIsWrittenWithTheSameBytes) {
  RandomStream random(1, "stream message");
  int accepted = 0;
  for (int i = 0; i < 200'000; ++i) {
    wire::ByteVector bytes(StreamMessage::kSize);
    bytes[0] = std::byte{StreamMessage::kMagic};
    bytes[1] = static_cast<std::byte>(1 + random.uniform(5));
    for (std::size_t at = 2; at < bytes.size(); ++at) {
      bytes[at] = random.uniform(3) == 0 ? static_cast<std::byte>(random.next() & 0xFF) : std::byte{0};
    }
    if (const auto message = StreamMessage::parse(bytes)) {
      ++accepted;
      ASSERT_EQ(wire::emitted(*message), bytes);
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace weft::transport
