#include "wire/bfd.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

//= rfc5880 4.1
TEST(BfdControl, HasTheLayoutOfTheStandard) {
  const BfdControl packet{.state = BfdState::kUp,
                          .diagnostic = static_cast<std::uint8_t>(BfdDiagnostic::kDetectionExpired),
                          .flags = kBfdPoll,
                          .detect_multiplier = 3,
                          .my_discriminator = 0x01020304,
                          .your_discriminator = 0x05060708,
                          .desired_min_tx = 300'000,
                          .required_min_rx = 300'000};
  const ByteVector bytes = bytes_of("21 E0 03 18 01020304 05060708 000493E0 000493E0 00000000");
  EXPECT_EQ(emitted(packet), bytes);
  EXPECT_EQ(*BfdControl::parse(bytes), packet);
}

//= rfc5880 6.8.6
TEST(BfdControl, RefusesWhatAReceiverDiscards) {
  const ByteVector good = emitted(BfdControl{.my_discriminator = 1, .your_discriminator = 2});
  const auto message_with = [&](std::size_t at, std::uint8_t value) {
    ByteVector bad = good;
    bad[at] = std::byte{value};
    const auto parsed = BfdControl::parse(bad);
    return parsed ? std::string("accepted") : parsed.error().message;
  };
  EXPECT_EQ(message_with(0, 0x40), "BFD version is 2, must be 1");
  EXPECT_EQ(message_with(2, 0), "BFD detection multiplier is 0, must be 1 or more");
  EXPECT_EQ(message_with(3, 23), "BFD length is 23, must be at least 24 and at most the 24 bytes that came");
  EXPECT_EQ(message_with(3, 25), "BFD length is 25, must be at least 24 and at most the 24 bytes that came");
  EXPECT_EQ(message_with(1, 0x44), "BFD control packet has authentication, which is not used here");
  EXPECT_EQ(message_with(1, 0x41), "BFD control packet has the multipoint bit, which must be 0");
  EXPECT_EQ(message_with(7, 0), "BFD discriminator of the sender is 0, must not be");
  ByteVector nobody = emitted(BfdControl{.state = BfdState::kUp, .my_discriminator = 1});
  EXPECT_FALSE(BfdControl::parse(nobody).has_value());
}

TEST(BfdControl, RefusesEveryTruncation) {
  const ByteVector good = emitted(BfdControl{});
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(BfdControl::parse(std::span(good).first(size)).has_value()) << size;
  }
}

}  // namespace
}  // namespace weft::wire
