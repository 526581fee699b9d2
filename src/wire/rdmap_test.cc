#include "wire/rdmap.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

//= rfc5040 4.1
TEST(Rdmap, ControlBytesAreThoseOfAnotherImplementation) {
  // Second bytes of ULPDUs that Linux's soft-iWARP sends.
  EXPECT_EQ(rdmap_control(RdmapOpcode::kSend), 0x43);
  EXPECT_EQ(rdmap_control(RdmapOpcode::kReadRequest), 0x41);
  EXPECT_EQ(rdmap_control(RdmapOpcode::kWrite), 0x40);
  EXPECT_EQ(rdmap_control(RdmapOpcode::kReadResponse), 0x42);
  for (unsigned byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(RdmapControl::unpack(static_cast<std::uint8_t>(byte)).pack(), byte);
  }
}

//= rfc7306 4
TEST(Rdmap, OnlyWritesAndReadResponsesAreTagged) {
  for (unsigned value = 0; value <= 11; ++value) {
    const auto opcode = static_cast<RdmapOpcode>(value);
    EXPECT_EQ(is_tagged(opcode), value == 0 || value == 2);
    EXPECT_NE(to_string(opcode), "reserved");
  }
  EXPECT_EQ(queue_of(RdmapOpcode::kReadRequest), kDdpReadRequestQueue);
  EXPECT_EQ(queue_of(RdmapOpcode::kTerminate), kDdpTerminateQueue);
  EXPECT_EQ(queue_of(RdmapOpcode::kImmediate), kDdpSendQueue);
  EXPECT_FALSE(RdmapControl::unpack(0x4C).is_known());
}

//= rfc5040 4.4
TEST(Rdmap, ReadRequestsSurviveTheWire) {
  const ByteVector bytes = bytes_of("00000001 0000000000000002 00000003 00000004 0000000000000005");
  const auto request = ReadRequest::parse(bytes);
  ASSERT_TRUE(request);
  EXPECT_EQ(*request,
            (ReadRequest{.sink_stag = 1, .sink_offset = 2, .length = 3, .source_stag = 4, .source_offset = 5}));
  EXPECT_EQ(emitted(*request), bytes);
  EXPECT_FALSE(ReadRequest::parse(std::span(bytes).first(27)));
}

//= rfc5040 4.8
TEST(Rdmap, ATerminateCarriesTheHeadersOfTheSegmentInError) {
  Terminate message;
  message.code = terminate::kTaggedBounds;
  message.has_length = true;
  message.segment_length = 100;
  message.ddp = DdpHeader{.tagged = true, .stag = 5, .tagged_offset = 6};
  const ByteVector bytes = emitted(message, message.size());
  EXPECT_EQ(bytes, bytes_of("11 01 C000 0064 C100 00000005 0000000000000006"));
  EXPECT_EQ(Terminate::parse(bytes), message);
  message.read_request = ReadRequest{.length = 9};
  EXPECT_EQ(Terminate::parse(emitted(message, message.size())), message);
  EXPECT_LE(message.size(), Terminate::kMaxSize);
}

TEST(Rdmap, ATerminateWithoutHeadersIsFourBytes) {
  const Terminate message{.code = terminate::kCrc};
  EXPECT_EQ(emitted(message, message.size()), bytes_of("20 02 0000"));
}

TEST(Rdmap, ATerminateThatPromisesMoreThanThereIsIsRefused) {
  RandomStream random(1, "terminate");
  for (int i = 0; i < 3000; ++i) {
    const ByteVector bytes = random_bytes(random, random.uniform(60));
    const auto message = Terminate::parse(bytes);
    if (message) {
      ASSERT_LE(message->size(), bytes.size());
      EXPECT_EQ(emitted(*message, message->size()),
                ByteVector(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(message->size())));
    }
  }
  EXPECT_FALSE(Terminate::parse(bytes_of("2002C0")));
}

TEST(Rdmap, TerminateCodesHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  int known = 0;
  for (unsigned layer = 0; layer < 4; ++layer) {
    for (unsigned type = 0; type < 4; ++type) {
      for (unsigned code = 0; code < 256; ++code) {
        const TerminateCode value{static_cast<std::uint8_t>(layer), static_cast<std::uint8_t>(type),
                                  static_cast<std::uint8_t>(code)};
        if (to_string(value) != "unknown") {
          ++known;
          names.emplace(to_string(value));
        }
      }
    }
  }
  EXPECT_EQ(known, 31);
  EXPECT_EQ(names.size(), 31U);
}

}  // namespace
}  // namespace weft::wire
