#include "wire/bgp.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

const char* const kMarker = "FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF";

ByteVector bytes_of_message(const BgpMessage& message) {
  ByteVector bytes;
  emit_bgp(message, bytes);
  return bytes;
}

void expect_both_ways(const BgpMessage& message, const std::string& hex) {
  const ByteVector bytes = bytes_of(kMarker + hex);
  EXPECT_EQ(bytes_of_message(message), bytes);
  const auto parsed = parse_bgp(bytes);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(*parsed, message);
}

//= rfc4271 4.1
TEST(Bgp, KeepaliveIsAHeader) { expect_both_ways(BgpKeepalive{}, "0013 04"); }

//= rfc4271 4.2
//= rfc6793 9
TEST(Bgp, OpenCarriesALargeAsNumberAsACapability) {
  expect_both_ways(BgpOpen{.as_number = 4'200'000'001, .hold_time = 9, .identifier = 0x0A000001},
                   "002B 01 04 5BA0 0009 0A000001 0E 02 0C 0104 00010001 4104 FA56EA01");
}

//= rfc4271 4.3
TEST(Bgp, UpdateWithdrawsAndAnnounces) {
  expect_both_ways(BgpUpdate{.withdrawn = {{.address = 0x0A000100, .length = 24}},
                             .attributes = {.as_path = {65'001, 65'002}, .next_hop = 0xC0000201},
                             .reachable = {{.address = 0x0A000000, .length = 8}, {}}},
                   "0036 02 0004 180A0001 0018 400101 00 40020A 0202 0000FDE9 0000FDEA 400304 C0000201 080A 00");
}

//= rfc8326 5
TEST(Bgp, GracefulShutdownIsACommunity) {
  expect_both_ways(BgpUpdate{.attributes = {.as_path = {1}, .next_hop = 1, .communities = {kGracefulShutdown}},
                             .reachable = {{.address = 0x0A000000, .length = 8}}},
                   "0034 02 0000 001B 400101 00 400206 0201 00000001 400304 00000001 C00804 FFFF0000 080A");
}

//= rfc4271 4.5
TEST(Bgp, NotificationHasCodeAndSubcode) {
  expect_both_ways(BgpNotification{.code = BgpErrorCode::kCease, .subcode = 2}, "0015 03 06 02");
}

TEST(Bgp, PathsLongerThanASegmentAreSeveralSegments) {
  BgpUpdate update{.attributes = {.next_hop = 1}, .reachable = {{.address = 0x0A000000, .length = 8}}};
  for (std::uint32_t i = 1; i <= 300; ++i) {
    update.attributes.as_path.push_back(i);
  }
  const ByteVector bytes = bytes_of_message(update);
  EXPECT_EQ(bytes.size(), kBgpUpdateFixed + bgp_attributes_size(update.attributes) + 2);
  EXPECT_EQ(std::get<BgpUpdate>(*parse_bgp(bytes)), update);
}

struct Wrong {
  const char* hex;
  BgpErrorCode code;
  int subcode;
};

//= rfc4271 6
TEST(Bgp, FaultsAreThoseOfANotification) {
  const Wrong cases[] = {
      {"0012 04", BgpErrorCode::kHeader, 2},
      {"0014 04 00", BgpErrorCode::kHeader, 2},
      {"0013 05", BgpErrorCode::kHeader, 3},
      {"002B 01 03 5BA0 0009 0A000001 0E 02 0C 0104 00010001 4104 FA56EA01", BgpErrorCode::kOpen, 1},
      {"002B 01 04 5BA0 0002 0A000001 0E 02 0C 0104 00010001 4104 FA56EA01", BgpErrorCode::kOpen, 6},
      {"002B 01 04 5BA0 0009 00000000 0E 02 0C 0104 00010001 4104 FA56EA01", BgpErrorCode::kOpen, 3},
      {"001D 01 04 5BA0 0009 0A000001 00", BgpErrorCode::kOpen, 7},
      {"0017 02 0001 0000", BgpErrorCode::kUpdate, 1},
      {"0019 02 0000 0000 080A", BgpErrorCode::kUpdate, 3},
      {"001D 02 0000 0004 40010103 080A", BgpErrorCode::kUpdate, 6},
      {"001D 02 0000 0004 80010100 080A", BgpErrorCode::kUpdate, 4},
      {"001D 02 0000 0004 40010200 080A", BgpErrorCode::kUpdate, 5},
      {"001D 02 0000 0004 400A0100 080A", BgpErrorCode::kUpdate, 2},
      {"0018 02 0000 0000 21", BgpErrorCode::kUpdate, 10},
  };
  for (const Wrong& wrong : cases) {
    const auto parsed = parse_bgp(bytes_of(std::string(kMarker) + wrong.hex));
    ASSERT_FALSE(parsed.has_value()) << wrong.hex;
    EXPECT_EQ(parsed.error().code, wrong.code) << wrong.hex << ": " << parsed.error().message;
    EXPECT_EQ(parsed.error().subcode, wrong.subcode) << wrong.hex << ": " << parsed.error().message;
    EXPECT_FALSE(parsed.error().message.empty());
  }
}

TEST(Bgp, AMarkerThatIsNotAllOnesIsNotSynchronised) {
  ByteVector bytes = bytes_of_message(BgpKeepalive{});
  bytes[3] = std::byte{0};
  EXPECT_EQ(parse_bgp(bytes).error(),
            (BgpFault{BgpErrorCode::kHeader, 1, "the marker of a BGP message is not all ones"}));
}

TEST(Bgp, RefusesEveryTruncation) {
  const ByteVector good = bytes_of_message(BgpUpdate{.withdrawn = {{.address = 0x0A000100, .length = 24}},
                                                     .attributes = {.as_path = {65'001}, .next_hop = 0xC0000201},
                                                     .reachable = {{.address = 0x0B000000, .length = 8}}});
  for (std::size_t size = 0; size < good.size(); ++size) {
    ByteVector cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(parse_bgp(cut).has_value()) << size;
    if (size >= kBgpHeaderSize) {  // and with a length that says so
      cut[16] = static_cast<std::byte>(size >> 8);
      cut[17] = static_cast<std::byte>(size & 0xFF);
      const auto parsed = parse_bgp(cut);
      EXPECT_TRUE(!parsed || !(*parsed == *parse_bgp(good))) << size;
    }
  }
}

}  // namespace
}  // namespace weft::wire
