#include "wire/protection.h"

#include <gtest/gtest.h>

namespace weft::wire {
namespace {

constexpr PacketProtection kEsp{.frame = 8 + 8 + 2 + 16, .alignment = 4};
constexpr PacketProtection kMacsec{.gap = 8 + 16};

TEST(PacketProtection, NoneChangesNothing) {
  const FrameSizes plain{.frame = Bytes(4158), .wire = Bytes(4178)};
  EXPECT_EQ(protected_sizes(plain, {}), plain);
}

TEST(PacketProtection, MacsecIsOnWiresAlone) {
  const FrameSizes made = protected_sizes({.frame = Bytes(4158), .wire = Bytes(4178)}, kMacsec);
  EXPECT_EQ(made.frame, Bytes(4158));
  EXPECT_EQ(made.wire, Bytes(4178 + 24));
}

//= rfc4303 2.4
TEST(PacketProtection, EspEndsAtAMultipleOfFourBytes) {
  constexpr std::int64_t kNotEncrypted = 14 + 20 + 4;  // Ethernet, IPv4, FCS
  constexpr std::int64_t kOfEncrypted = 2;             // pad length and next header, of the 34 bytes
  for (std::int64_t payload = 100; payload < 110; ++payload) {
    const FrameSizes plain{.frame = Bytes(kNotEncrypted + payload), .wire = Bytes(kNotEncrypted + payload + 20)};
    const FrameSizes made = protected_sizes(plain, kEsp);
    const std::int64_t pad = (made.frame - plain.frame).count() - kEsp.frame;
    EXPECT_EQ((payload + kOfEncrypted + pad) % 4, 0) << payload;
    EXPECT_TRUE(pad >= 0 && pad < 4) << payload;
    EXPECT_EQ(made.wire - made.frame, plain.wire - plain.frame);
  }
}

TEST(PacketProtection, EspOfAFullPacketOfRoceHasThirtySixBytes) {
  const FrameSizes plain =
      sizes(Encapsulation::kRoceV2Ipv4, make_opcode(Service::kRc, Operation::kWriteMiddle), Bytes(4096));
  EXPECT_EQ(protected_sizes(plain, kEsp).wire - plain.wire, Bytes(36));
}

}  // namespace
}  // namespace weft::wire
