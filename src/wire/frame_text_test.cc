#include "wire/frame_text.h"

#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "wire/pfc_frame.h"

namespace weft::wire {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

RdmaFrame frame_of(std::uint8_t opcode) {
  RdmaFrame frame;
  frame.bth.opcode = opcode;
  frame.bth.destination_qp = 0x11;
  frame.bth.psn = Psn(7);
  frame.extensions = ExtensionHeaders::for_opcode(describe(opcode));
  return frame;
}

TEST(FrameText, AWriteOverRoceV2ShowsItsRemoteMemory) {
  RdmaFrame frame = frame_of(make_opcode(Service::kRc, Operation::kWriteOnly));
  frame.ethernet = EthernetHeader{};
  frame.ipv4 = Ipv4Header{};
  frame.ipv4->source = {0x0A000001};
  frame.ipv4->destination = {0x0A000002};
  frame.ipv4->ecn = Ecn::kCe;
  frame.udp = UdpHeader{.source_port = 49152};
  frame.extensions.reth = RethHeader{.virtual_address = 0x1000, .remote_key = 0x2A, .dma_length = 64};
  const std::array<std::byte, 64> payload{};
  frame.payload = payload;
  EXPECT_EQ(frame_text(frame),
            "RoCEv2 10.0.0.1:49152 > 10.0.0.2 CE RC RDMA WRITE Only qp 0x11 psn 7 va 0x1000 rkey 0x2a dma 64 len 64");
}

TEST(FrameText, AnAcknowledgementShowsItsSyndromeInWords) {
  RdmaFrame frame = frame_of(make_opcode(Service::kRc, Operation::kAcknowledge));
  frame.lrh = LrhHeader{.virtual_lane = 2, .destination_lid = 5, .source_lid = 9};
  frame.extensions.aeth = AethHeader{.syndrome = 0x60, .msn = Psn(3)};
  EXPECT_EQ(frame_text(frame), "IB lid 9 > 5 vl 2 RC Acknowledge qp 0x11 psn 7 NAK PSN sequence error msn 3 len 0");
}

TEST(FrameText, WhatIsNotUsualIsShown) {
  RdmaFrame frame = frame_of(make_opcode(Service::kUd, Operation::kSendOnlyImmediate));
  frame.ethernet = EthernetHeader{};
  frame.ethernet->tag_count = 1;
  frame.ethernet->tags[0] = {.priority = 3, .vlan = 100};
  frame.grh = GrhHeader{};
  frame.bth.partition_key = 0x8001;
  frame.bth.becn = frame.bth.solicited = true;
  frame.extensions.immediate->data = 0xBEEF;
  const std::string text = frame_text(frame);
  EXPECT_THAT(text, StartsWith("vlan 100 pcp 3 RoCEv1 :: > ::"));
  EXPECT_THAT(text, HasSubstr("pkey 0x8001 solicited BECN qkey 0x0 srcqp 0x0 imm 0x0000beef len 0"));
}

TEST(FrameText, EveryOpcodeHasALine) {
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    const auto value = static_cast<std::uint8_t>(opcode);
    if (describe(value).valid) {
      EXPECT_THAT(frame_text(frame_of(value)), HasSubstr(opcode_name(value) + " qp 0x11 psn 7"));
    }
  }
}

TEST(FrameText, APfcFrameShowsWhatItPausesAndResumes) {
  PfcFrame pfc;
  pfc.source = {{0x02, 0, 0, 0, 0, 1}};
  pfc.enabled = 0b1001;
  pfc.quanta[3] = 500;
  std::vector<std::byte> bytes(PfcFrame::kSize);
  pfc.emit(bytes);
  EXPECT_EQ(packet_text(CaptureLink::kEthernet, {.number = 1, .original_length = 60, .bytes = bytes}),
            "PFC 02:00:00:00:00:01 resume 0 pause 3 for 500 quanta");
}

TEST(FrameText, OtherPacketsSayWhyTheyAreNotRead) {
  const std::vector<std::byte> nothing;
  EXPECT_THAT(packet_text(CaptureLink::kOther, {.number = 1, .bytes = nothing}), StartsWith("not RDMA, 0 bytes: "));
  EXPECT_THAT(packet_text(CaptureLink::kEthernet, {.number = 1, .original_length = 80, .bytes = nothing}),
              StartsWith("malformed, 0 of 80 bytes captured: "));
}

}  // namespace
}  // namespace weft::wire
