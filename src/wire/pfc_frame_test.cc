#include "wire/pfc_frame.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

ByteVector frame_bytes() {
  auto bytes = bytes_of("0180C2000001 525400000002 8808 0101 0008 0000 0000 0000 FFFF 0000 0000 0000 0000");
  bytes.resize(PfcFrame::kSize);
  return bytes;
}

//= ieee-802.1Q 36
TEST(PfcFrame, PausesOnePriority) {
  PfcFrame frame{.source = {{0x52, 0x54, 0, 0, 0, 2}}, .enabled = 1U << 3};
  frame.quanta[3] = PfcFrame::kMaxQuanta;
  EXPECT_EQ(emitted(frame), frame_bytes());
  EXPECT_EQ(*PfcFrame::parse(frame_bytes()), frame);
}

TEST(PfcFrame, IgnoresACheckSequenceBehindIt) {
  auto bytes = frame_bytes();
  bytes.resize(PfcFrame::kSize + EthernetHeader::kFcsSize);
  EXPECT_TRUE(PfcFrame::parse(bytes).has_value());
}

TEST(PfcFrame, RefusesOtherMacControlFrames) {
  auto pause = frame_bytes();
  pause[14] = std::byte{0};
  EXPECT_EQ(PfcFrame::parse(pause).error().message, "MAC control opcode is 0x0001, must be 0x0101 (PFC)");
  auto unicast = frame_bytes();
  unicast[0] = std::byte{2};
  EXPECT_EQ(PfcFrame::parse(unicast).error().message,
            "PFC frame goes to 02:80:c2:00:00:01, must go to 01:80:c2:00:00:01");
  auto ipv4 = frame_bytes();
  ipv4[13] = std::byte{0};
  EXPECT_EQ(PfcFrame::parse(ipv4).error().message,
            "PFC frame has EtherType 0x8800 behind 0 VLAN tags, must be 0x8808 behind none");
}

/// A quantum is 512 bit times.
//= ieee-802.1Q 36
TEST(PfcFrame, PauseTimeFollowsTheLinkRate) {
  EXPECT_EQ(pause_time(10_gbps, 1), 51'200_ps);
  EXPECT_EQ(pause_time(100_gbps, 1), 5'120_ps);
  EXPECT_EQ(pause_time(800_gbps, 1), 640_ps);
  EXPECT_EQ(pause_time(100_gbps, PfcFrame::kMaxQuanta), 5'120_ps * 0xFFFF);
  EXPECT_EQ(pause_time(100_gbps, 0), Duration::zero());
}

}  // namespace
}  // namespace weft::wire
