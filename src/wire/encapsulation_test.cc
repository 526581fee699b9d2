#include "wire/encapsulation.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <vector>

#include "wire/frame.h"
#include "wire/packet_codec.h"

namespace weft::wire {
namespace {

constexpr std::array kAll{Encapsulation::kIbLocal, Encapsulation::kIbGlobal, Encapsulation::kRoceV1,
                          Encapsulation::kRoceV2Ipv4, Encapsulation::kRoceV2Ipv6};
constexpr std::uint8_t kMiddle = make_opcode(Service::kRc, Operation::kSendMiddle);
constexpr std::uint8_t kWriteOnly = make_opcode(Service::kRc, Operation::kWriteOnly);

/// Share of the wire's bytes that are payload, with four digits.
std::string efficiency(Encapsulation encapsulation, std::uint8_t opcode, std::int64_t payload) {
  const auto wire = sizes(encapsulation, opcode, Bytes(payload)).wire;
  return fmt::format("{:.4f}", static_cast<double>(payload) / static_cast<double>(wire.count()));
}

std::vector<std::string> efficiencies(Encapsulation encapsulation, std::uint8_t opcode) {
  std::vector<std::string> row;
  for (const std::int64_t mtu : {256, 1024, 2048, 4096}) {
    row.push_back(efficiency(encapsulation, opcode, mtu));
  }
  return row;
}

using Row = std::vector<std::string>;

TEST(Encapsulation, EfficiencyOfInfiniBandIsThePublishedOne) {
  EXPECT_EQ(efficiencies(Encapsulation::kIbLocal, kMiddle), (Row{"0.9078", "0.9752", "0.9875", "0.9937"}));
  EXPECT_EQ(efficiencies(Encapsulation::kIbLocal, kWriteOnly), (Row{"0.8591", "0.9606", "0.9799", "0.9899"}));
}

TEST(Encapsulation, EfficiencyOfRoceIsThePublishedOne) {
  EXPECT_EQ(efficiencies(Encapsulation::kRoceV1, kMiddle), (Row{"0.7314", "0.9159", "0.9561", "0.9776"}));
  EXPECT_EQ(efficiencies(Encapsulation::kRoceV2Ipv4, kMiddle), (Row{"0.7574", "0.9259", "0.9615", "0.9804"}));
  EXPECT_EQ(efficiencies(Encapsulation::kRoceV2Ipv6, kMiddle), (Row{"0.7151", "0.9094", "0.9526", "0.9757"}));
}

/// For every opcode that a record can hold, in every encapsulation, at lengths around the pad's steps.
TEST(Encapsulation, SizesAreThoseOfEmittedFrames) {
  for (const auto encapsulation : kAll) {
    for (unsigned opcode = 0; opcode < 256; ++opcode) {
      Packet packet;
      packet.ib.opcode = static_cast<std::uint8_t>(opcode);
      packet.common.encapsulation = encapsulation;
      if (!has_record_form(packet.ib.opcode)) {
        continue;
      }
      for (const int payload : {0, 1, 3, 4, 255, 4096}) {
        if (payload > 0 && !describe(packet.ib.opcode).payload) {
          continue;
        }
        packet.common.payload_bytes = static_cast<std::uint16_t>(payload);
        const auto frame = to_frame(packet, {}, {}, {});
        const auto fcs = frame.ethernet ? EthernetHeader::kFcsSize : 0;
        const auto size = sizes(encapsulation, packet.ib.opcode, Bytes(payload));
        EXPECT_EQ(size.frame.count(), static_cast<std::int64_t>(emitted_size(frame) + fcs)) << opcode << " " << payload;
        EXPECT_EQ(size.wire - size.frame, frame.ethernet ? Bytes(20) : Bytes(0));
      }
    }
  }
}

//= ieee-802.3 3.2.7
TEST(Encapsulation, ShortEthernetFramesCountAsTheMinimum) {
  const auto only = make_opcode(Service::kRc, Operation::kSendOnly);
  EXPECT_EQ(sizes(Encapsulation::kRoceV2Ipv4, only, Bytes(0)), (FrameSizes{.frame = Bytes(64), .wire = Bytes(84)}));
  EXPECT_EQ(sizes(Encapsulation::kIbLocal, only, Bytes(0)), (FrameSizes{.frame = Bytes(26), .wire = Bytes(26)}));
}

//= ibta-1.7 A17.9
TEST(Encapsulation, NotificationOfRoceV2OverIpv4Has78Bytes) {
  EXPECT_EQ(sizes(Encapsulation::kRoceV2Ipv4, kOpcodeRoceCnp, Bytes(0)).frame, Bytes(78));
}

TEST(Encapsulation, SetSizesFillsInBothOfARecord) {
  PacketCommon common;
  common.payload_bytes = 1024;
  set_sizes(common, kMiddle);
  EXPECT_EQ(common.frame_bytes, 14 + 20 + 8 + 12 + 1024 + 4 + 4);
  EXPECT_EQ(common.wire_bytes, common.frame_bytes + 20);
}

static_assert(sizes(Encapsulation::kIbLocal, 0x01, Bytes(4096)).wire == Bytes(4122));

}  // namespace
}  // namespace weft::wire
