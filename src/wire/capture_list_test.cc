#include "wire/capture_list.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "base/test_paths.h"
#include "wire/capture_check.h"
#include "wire/ddp.h"
#include "wire/frame.h"
#include "wire/iwarp_text.h"
#include "wire/rdmap.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A WRITE of RoCEv2 to a UDP port, sealed.
std::vector<std::byte> write_to_port(std::uint16_t port) {
  RdmaFrame frame;
  frame.bth.opcode = make_opcode(Service::kRc, Operation::kWriteOnly);
  frame.extensions = ExtensionHeaders::for_opcode(describe(frame.bth.opcode));
  frame.ethernet = EthernetHeader{.ether_type = kEtherTypeIpv4};
  frame.ipv4 = Ipv4Header{};
  frame.udp = UdpHeader{.source_port = 49152, .destination_port = port};
  seal_frame(frame);
  std::vector<std::byte> bytes(emitted_size(frame));
  emit_frame(frame, bytes);
  return bytes;
}

TEST(CaptureList, FurtherUdpPortsAreRoceV2) {
  const std::vector<std::byte> bytes = write_to_port(5000);
  const CapturedPacket packet{.number = 1, .original_length = 80, .bytes = bytes};
  EXPECT_THAT(CaptureList().line(CaptureLink::kEthernet, packet), StartsWith("not RDMA"));
  EXPECT_THAT(CaptureList({7, 5000}).line(CaptureLink::kEthernet, packet),
              StartsWith("RoCEv2 0.0.0.0:49152 > 0.0.0.0:5000 RC RDMA WRITE Only"));
  const std::uint16_t ports[] = {7, 5000};
  EXPECT_FALSE(check_packet(CaptureLink::kEthernet, packet).rdma);
  EXPECT_TRUE(check_packet(CaptureLink::kEthernet, packet, ports).verified);
}

TEST(CaptureList, PacketsWithALineOfIwarpAreThoseThatTheCheckCounts) {
  const auto path = std::filesystem::path(test_data_dir()) / "captures" / "siw_rping_ucmatose_send_write_read.pcap";
  auto counted = PcapReader::open(path);
  CaptureCounts counts;
  ASSERT_TRUE(check_capture(*counted, counts, [](std::uint64_t, std::string_view) {}));
  auto reader = PcapReader::open(path);
  CaptureList list;
  std::uint64_t lines = 0;
  std::uint64_t frames = 0;
  while (true) {
    const auto packet = reader->next();
    ASSERT_TRUE(packet);
    if (!packet->has_value())
      break;
    const std::string line = list.line(reader->link(), **packet);
    if (!line.starts_with("iWARP "))
      continue;
    ++lines;
    EXPECT_EQ(line.find("fault"), std::string::npos) << line;
    if (line.find("no frame ends here") == std::string::npos)
      frames += 1 + static_cast<std::uint64_t>(std::ranges::count(line, '|'));
  }
  EXPECT_EQ(lines, counts.iwarp.packets);
  EXPECT_EQ(frames, counts.iwarp.start_frames + counts.iwarp.fpdus);
}

TEST(IwarpText, EveryOpcodeHasALine) {
  for (std::uint8_t opcode = 0; opcode < 16; ++opcode) {
    const RdmapControl control{.opcode = opcode};
    const bool tagged = control.is_known() && is_tagged(control.operation());
    const DdpHeader ddp{.tagged = tagged, .upper_control = control.pack()};
    const std::string text = ulpdu_text(emitted(ddp, ddp.size()));
    EXPECT_THAT(text, StartsWith(control.is_known() ? to_string(control.operation()) : "RDMAP opcode 1")) << text;
    EXPECT_THAT(text, HasSubstr("len 0"));
  }
}

TEST(IwarpText, AReadRequestShowsBothMemories) {
  const DdpHeader ddp{.upper_control = rdmap_control(RdmapOpcode::kReadRequest), .queue = 1, .message_number = 2};
  const ReadRequest request{
      .sink_stag = 0x10, .sink_offset = 0x20, .length = 30, .source_stag = 0x40, .source_offset = 0x50};
  EXPECT_EQ(ulpdu_text(emitted(ddp, ddp.size()) + emitted(request, ReadRequest::kSize)),
            "RDMA Read request queue 1 msn 2 offset 0 last sink 0x10 at 0x20 source 0x40 at 0x50 dma 30 len 28");
}

TEST(IwarpText, ATerminateShowsItsCodeAndWhatIsCutShortSaysSo) {
  const DdpHeader ddp{.upper_control = rdmap_control(RdmapOpcode::kTerminate), .queue = 2, .message_number = 1};
  const Terminate message{.code = terminate::kTaggedBounds};
  EXPECT_THAT(ulpdu_text(emitted(ddp, ddp.size()) + emitted(message, message.size())),
              HasSubstr("DDP tagged buffer: base or bounds violation"));
  EXPECT_THAT(ulpdu_text(emitted(ddp, ddp.size())), HasSubstr("cut short"));
  EXPECT_EQ(ulpdu_text(bytes_of("41")), "no DDP segment, 1 bytes");
  EXPECT_EQ(ulpdu_text({}), "empty FPDU");
}

}  // namespace
}  // namespace weft::wire
