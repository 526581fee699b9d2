// ICRC and VCRC of whole frames: known packets, and which bits each of them covers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "wire/crc16.h"
#include "wire/encapsulation.h"
#include "wire/frame.h"
#include "wire/icrc.h"
#include "wire/packet_codec.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

/// RC WRITE Only of 14 bytes: BTH, RETH, payload and two pad bytes of a known packet.
constexpr std::string_view kTransport =
    "0A202487 0087B1B3 000DEC2A 01710A1C 015D4002 38F27A05 0000000E BB884D85 FD5CFBA4 728BC069 0ED40000";
constexpr std::string_view kAcknowledgement =
    "45000030 DB404000 40114B7A 0A000001 0A000002 C12112B7 001C0000 1100FFFF 00000011 00BA3D56 1F000001 553A2F66";

void expect_intact(const FrameResult& frame, const ByteVector& bytes) {
  ASSERT_TRUE(frame.has_value()) << frame.error().error.message;
  EXPECT_TRUE(icrc_ok(*frame));
  EXPECT_TRUE(vcrc_ok(*frame));
  ByteVector again(emitted_size(*frame));
  EXPECT_EQ(emit_frame(*frame, again), bytes.size());
  EXPECT_EQ(again, bytes);
}

//= ibta-1.7 7.8
TEST(FrameCrc, HoldForALocalInfiniBandPacket) {
  const auto bytes = bytes_of("7012375C 000E17D2") + bytes_of(kTransport) + bytes_of("9625B75A 45FA");
  expect_intact(parse_frame(LinkType::kInfiniBand, bytes), bytes);
}

/// The known packet's GRH names no next header and counts the VCRC in its length: as a frame it is malformed, but both
/// CRCs cover it as it stands.
//= ibta-1.7 7.8
TEST(FrameCrc, HoldForAGlobalInfiniBandPacket) {
  const auto bytes = bytes_of("7013375C 001817D2 60000000 00320010 0000000000000125 0000000000000026") +
                     bytes_of("0000000000000117 0000000000000096") + bytes_of(kTransport) + bytes_of("1493EC46 7C44");
  EXPECT_EQ(parse_frame(LinkType::kInfiniBand, bytes).error().error.message, "GRH next header is 0, must be 27 (BTH)");
  const auto packet = std::span(bytes).first(bytes.size() - RdmaFrame::kVcrcSize);
  EXPECT_EQ(LinkCrc16().add(packet).value(), 0x447C);
  const auto covered = packet.first(packet.size() - RdmaFrame::kIcrcSize).subspan(LrhHeader::kSize);
  const auto headers = covered.first(GrhHeader::kSize + BthHeader::kSize + RethHeader::kSize);
  EXPECT_EQ(Icrc(IcrcForm::kGrh, headers).add(covered.subspan(headers.size())).value(), 0x46EC9314U);
}

//= ibta-1.7 A17.3.3
TEST(FrameCrc, HoldForARoceV2Packet) {
  const auto bytes = bytes_of("4502004C 12344000 40111469 0A000001 0A000002 C12312B7 00380000") + bytes_of(kTransport) +
                     bytes_of("DF777B89");
  expect_intact(parse_ip_packet(bytes), bytes);
}

/// Sent by Linux's soft-RoCE.
//= ibta-1.7 A17.3.3
TEST(FrameCrc, HoldForACapturedAcknowledgement) {
  const auto bytes = bytes_of(kAcknowledgement);
  const auto frame = parse_ip_packet(bytes);
  expect_intact(frame, bytes);
  EXPECT_TRUE(frame->ipv4->checksum_ok());
  EXPECT_EQ(frame->bth.opcode, make_opcode(Service::kRc, Operation::kAcknowledge));
  EXPECT_EQ(frame->bth.psn, Psn(0xBA3D56));
  EXPECT_EQ(*frame->extensions.aeth, (AethHeader{.syndrome = 0x1F, .msn = Psn(1)}));
}

/// RoCEv1 has no LRH: ones stand for it, as for the variable LRH of an InfiniBand packet with a GRH.
//= ibta-1.7 A16
TEST(FrameCrc, OfRoceV1IsThatOfInfiniBandGlobal) {
  Packet packet;
  packet.ib.opcode = make_opcode(Service::kRc, Operation::kSendOnly);
  packet.common.payload_bytes = 100;
  packet.common.encapsulation = Encapsulation::kIbGlobal;
  const auto infiniband = to_frame(packet, {}, {}, {});
  packet.common.encapsulation = Encapsulation::kRoceV1;
  EXPECT_EQ(to_frame(packet, {}, {}, {}).icrc, infiniband.icrc);
}

/// Bits of one byte that switches and routers may change, counted from the first link or network header.
struct Variant {
  std::size_t offset;
  unsigned mask;
};

//= ibta-1.7 7.8.1
std::vector<Variant> variant_bits(Encapsulation encapsulation) {
  constexpr std::size_t kBthByte = 4;
  const std::vector<Variant> version6{{0, 0x0F}, {1, 0xFF}, {2, 0xFF}, {3, 0xFF}, {7, 0xFF}};
  std::vector<Variant> bits;
  switch (encapsulation) {
    case Encapsulation::kIbLocal:
      return {{0, 0xF0}, {8 + kBthByte, 0xFF}};
    case Encapsulation::kIbGlobal:
      for (std::size_t i = 0; i < 8; ++i) {
        bits.push_back({i, 0xFF});
      }
      for (const auto& bit : version6) {
        bits.push_back({8 + bit.offset, bit.mask});
      }
      bits.push_back({8 + 40 + kBthByte, 0xFF});
      return bits;
    case Encapsulation::kRoceV1:
      bits = version6;
      bits.push_back({40 + kBthByte, 0xFF});
      return bits;
    case Encapsulation::kRoceV2Ipv4:
      return {{1, 0xFF}, {8, 0xFF}, {10, 0xFF}, {11, 0xFF}, {20 + 6, 0xFF}, {20 + 7, 0xFF}, {28 + kBthByte, 0xFF}};
    case Encapsulation::kRoceV2Ipv6:
      bits = version6;
      bits.insert(bits.end(), {{40 + 6, 0xFF}, {40 + 7, 0xFF}, {48 + kBthByte, 0xFF}});
      return bits;
    case Encapsulation::kTcpIpv4:
    case Encapsulation::kTcpIpv6:
    case Encapsulation::kUetUdpIpv4:
    case Encapsulation::kUetUdpIpv6:
    case Encapsulation::kUetIpv4:
    case Encapsulation::kUetIpv6:
      return {};
  }
  return bits;
}

class FrameCrcCoverage : public ::testing::TestWithParam<Encapsulation> {
 protected:
  [[nodiscard]] bool is_variant(std::size_t offset, unsigned bit) const {
    return std::ranges::any_of(variant_, [=](Variant v) { return v.offset == offset && ((v.mask >> bit) & 1U) != 0; });
  }

  Encapsulation encapsulation_ = GetParam();
  std::vector<Variant> variant_ = variant_bits(encapsulation_);
};

/// Flips every bit from the first header to the pad: the ICRC changes exactly when the bit is invariant.
//= ibta-1.7 7.8.1
TEST_P(FrameCrcCoverage, IcrcCoversEveryInvariantBitAndNoOther) {
  Packet packet;
  packet.ib.opcode = make_opcode(Service::kRc, Operation::kSendOnly);
  packet.common.payload_bytes = 10;
  packet.common.encapsulation = encapsulation_;
  const auto frame = to_frame(packet, {}, {}, {});
  const auto link = frame.lrh ? LinkType::kInfiniBand : LinkType::kEthernet;
  const std::size_t start = frame.ethernet ? EthernetHeader::kSize : 0;
  const std::size_t end = emitted_size(frame) - frame.trailer.size() - 4 - (frame.vcrc ? 2 : 0);
  ByteVector bytes(emitted_size(frame));
  emit_frame(frame, bytes);
  int compared = 0;
  for (std::size_t at = start; at < end; ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto changed = bytes;
      changed[at] ^= static_cast<std::byte>(1U << bit);
      const auto read = parse_frame(link, changed);
      if (!read) {
        continue;
      }
      ++compared;
      EXPECT_EQ(icrc_ok(*read), is_variant(at - start, bit)) << "byte " << at - start << " bit " << bit;
      EXPECT_FALSE(frame.vcrc && vcrc_ok(*read)) << "byte " << at - start << " bit " << bit;
    }
  }
  EXPECT_GT(compared, 200);
}

INSTANTIATE_TEST_SUITE_P(Every, FrameCrcCoverage,
                         ::testing::Values(Encapsulation::kIbLocal, Encapsulation::kIbGlobal, Encapsulation::kRoceV1,
                                           Encapsulation::kRoceV2Ipv4, Encapsulation::kRoceV2Ipv6),
                         [](const auto& name) {
                           std::string text = to_string(name.param);
                           std::erase(text, '-');
                           return text;
                         });

}  // namespace
}  // namespace weft::wire
