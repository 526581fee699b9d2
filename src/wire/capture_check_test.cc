#include "wire/capture_check.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "wire/captured_frame.h"
#include "wire/erf_record.h"

namespace weft::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::filesystem::path kCaptures = std::filesystem::path(test_data_dir()) / "captures";

PacketCheck check_bytes(CaptureLink link, const std::vector<std::byte>& bytes, std::size_t cut = 0) {
  return check_packet(link,
                      {.number = 1, .original_length = static_cast<std::uint32_t>(bytes.size() + cut), .bytes = bytes});
}

std::vector<std::byte> emitted(const RdmaFrame& frame) {
  std::vector<std::byte> bytes(emitted_size(frame));
  emit_frame(frame, bytes);
  return bytes;
}

constexpr std::array<std::byte, 5> kPayload{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};

RdmaFrame send_only() {
  RdmaFrame frame;
  frame.bth.opcode = make_opcode(Service::kRc, Operation::kSendOnly);
  frame.payload = kPayload;
  return frame;
}

std::vector<std::byte> roce_packet() {
  RdmaFrame frame = send_only();
  frame.ethernet = EthernetHeader{};
  frame.ethernet->ether_type = kEtherTypeIpv4;
  frame.ipv4 = Ipv4Header{};
  frame.udp = UdpHeader{};
  seal_frame(frame);
  return emitted(frame);
}

std::vector<std::byte> infiniband_packet() {
  RdmaFrame frame = send_only();
  frame.lrh = LrhHeader{};
  seal_frame(frame);
  return emitted(frame);
}

std::vector<std::byte> behind(std::vector<std::byte> front, const std::vector<std::byte>& packet, std::size_t skip) {
  front.insert(front.end(), packet.begin() + static_cast<std::ptrdiff_t>(skip), packet.end());
  return front;
}

void expect_sound(const PacketCheck& check) {
  EXPECT_TRUE(check.rdma);
  EXPECT_TRUE(check.verified);
  EXPECT_TRUE(check.reemitted);
  EXPECT_THAT(check.faults, IsEmpty());
}

TEST(CaptureCheck, EveryPacketOfAnotherImplementationVerifiesAndIsReemittedIdentically) {
  std::uint64_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCaptures)) {
    if (entry.path().extension() != ".pcap") {
      continue;
    }
    auto reader = PcapReader::open(entry.path());
    ASSERT_TRUE(reader) << reader.error().message;
    CaptureCounts counts;
    const auto checked = check_capture(*reader, counts, [&](std::uint64_t number, std::string_view what) {
      ADD_FAILURE() << entry.path() << ":" << number << ": " << what;
    });
    EXPECT_TRUE(checked);
    EXPECT_GT(counts.packets, counts.unknown) << entry.path();
    // What iWARP carries has a test of its own.
    const std::uint64_t whole = counts.packets - counts.unknown - counts.iwarp.packets;
    EXPECT_EQ(counts.verified, whole) << entry.path();
    EXPECT_EQ(counts.reemitted, whole) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 9U);
}

TEST(CaptureCheck, FindsThePacketBehindEveryLinkType) {
  const std::vector<std::byte> roce = roce_packet();
  constexpr std::size_t kIp = EthernetHeader::kSize;
  expect_sound(check_bytes(CaptureLink::kEthernet, roce));
  // A raw IP capture has Ethernet's padding only behind a packet that is shorter than a frame.
  expect_sound(check_bytes(CaptureLink::kRawIp, behind({}, roce, kIp)));
  std::vector<std::byte> cooked(16);
  cooked[14] = std::byte{0x08};
  expect_sound(check_bytes(CaptureLink::kLinuxCooked, behind(cooked, roce, kIp)));
  std::vector<std::byte> cooked2(20);
  cooked2[0] = std::byte{0x08};
  expect_sound(check_bytes(CaptureLink::kLinuxCooked2, behind(cooked2, roce, kIp)));

  const std::vector<std::byte> infiniband = infiniband_packet();
  expect_sound(check_bytes(CaptureLink::kInfiniBand, infiniband));
  std::vector<std::byte> record(ErfHeader::kSize);
  ErfHeader{.type = static_cast<std::uint8_t>(ErfType::kInfiniBand),
            .wire_length = static_cast<std::uint16_t>(infiniband.size())}
      .emit(record);
  std::vector<std::byte> padded = behind(record, infiniband, 0);
  padded.resize(padded.size() + 3);
  expect_sound(check_bytes(CaptureLink::kErf, padded));
}

TEST(CaptureCheck, AFlippedPayloadBitIsAnIcrcFaultButStillReemitted) {
  std::vector<std::byte> packet = roce_packet();
  const auto payload = std::search(packet.begin(), packet.end(), kPayload.begin(), kPayload.end());
  ASSERT_NE(payload, packet.end());
  *payload ^= std::byte{0x10};
  const PacketCheck check = check_bytes(CaptureLink::kEthernet, packet);
  EXPECT_TRUE(check.rdma);
  EXPECT_FALSE(check.verified);
  EXPECT_TRUE(check.reemitted);
  EXPECT_THAT(check.faults, ElementsAre(HasSubstr("ICRC is 0x")));
}

TEST(CaptureCheck, AFlippedVcrcIsAFaultOfItsOwn) {
  std::vector<std::byte> packet = infiniband_packet();
  packet.back() ^= std::byte{0x01};
  const PacketCheck check = check_bytes(CaptureLink::kInfiniBand, packet);
  EXPECT_FALSE(check.verified);
  EXPECT_THAT(check.faults, ElementsAre(HasSubstr("VCRC is 0x")));
}

TEST(CaptureCheck, APacketCutByTheSnapLengthSaysSo) {
  std::vector<std::byte> packet = behind({}, roce_packet(), 0);
  packet.resize(packet.size() - 20);
  const PacketCheck check = check_bytes(CaptureLink::kEthernet, packet, 20);
  EXPECT_FALSE(check.verified);
  EXPECT_THAT(check.faults,
              ElementsAre(HasSubstr(fmt::format("cut to {} of {} bytes", packet.size(), packet.size() + 20))));
}

TEST(CaptureCheck, AnUnassignedOpcodeIsAFault) {
  std::vector<std::byte> packet = roce_packet();
  packet[EthernetHeader::kSize + Ipv4Header::kSize + UdpHeader::kSize] = std::byte{0xC5};
  const PacketCheck check = check_bytes(CaptureLink::kEthernet, packet);
  EXPECT_TRUE(check.rdma);
  EXPECT_THAT(check.faults, SizeIs(1));
}

TEST(CaptureCheck, OtherProtocolsAndOtherLinkTypesAreUnknownAndNoFault) {
  std::vector<std::byte> packet = roce_packet();
  EXPECT_FALSE(check_bytes(CaptureLink::kOther, packet).rdma);
  packet[12] = std::byte{0x08};
  packet[13] = std::byte{0x06};  // ARP
  const PacketCheck check = check_bytes(CaptureLink::kEthernet, packet);
  EXPECT_FALSE(check.rdma);
  EXPECT_THAT(check.faults, IsEmpty());
}

TEST(CaptureCheck, SummaryTellsOfIwarpWhereThereIsSome) {
  EXPECT_EQ(
      summary(
          {.packets = 9,
           .iwarp = {.packets = 6, .connections = 1, .start_frames = 2, .fpdus = 3, .verified = 3, .reemitted = 5}}),
      "9 packets: 0 verified, 0 re-emitted identically, 0 unknown, 0 faults; iWARP: 6 packets, 1 connections, 2 "
      "start frames, 3 FPDUs, 5 frames re-emitted identically, 3 FPDUs with a right CRC");
}

TEST(CaptureCheck, SummaryHasAllFiveCounts) {
  EXPECT_EQ(summary({.packets = 5, .verified = 4, .reemitted = 3, .unknown = 2, .faults = 1}),
            "5 packets: 4 verified, 3 re-emitted identically, 2 unknown, 1 faults");
}

}  // namespace
}  // namespace weft::wire
