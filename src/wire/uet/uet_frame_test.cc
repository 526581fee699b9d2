// Whole UET packets: sealed, read, emitted again, checked and listed as a capture's.
#include "wire/uet/uet_frame.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "wire/capture_check.h"
#include "wire/capture_list.h"
#include "wire/pcapng_writer.h"
#include "wire/test_bytes.h"
#include "wire/uet/control_ordered_set.h"
#include "wire/uet/test_uet_frames.h"
#include "wire/uet/uet_text.h"

namespace weft::wire::uet {
namespace {

std::vector<SampleUetFrame> all_samples() {
  RandomStream random(6, "uet frames");
  std::vector<SampleUetFrame> all;
  for (const UetForm form : kUetForms) {
    for (SampleUetFrame& sample : sample_uet_frames(form, random)) {
      all.push_back(std::move(sample));
      all.back().frame.payload = all.back().payload;
    }
  }
  return all;
}

CapturedPacket captured(const ByteVector& bytes) {
  CapturedPacket packet;
  packet.number = 1;
  packet.bytes = bytes;
  packet.original_length = static_cast<std::uint32_t>(bytes.size());
  return packet;
}

UetFrame small_write() {
  UetFrame frame;
  frame.ipv4 = Ipv4Header{.source = {0x0A000001}, .destination = {0x0A000002}};
  frame.udp = UdpHeader{.source_port = 49185};
  frame.pds = PdsRequest{.next_header = NextHeader::kRequestSmall, .psn = 9, .source_pdc = 3, .destination_pdc = 4};
  frame.ses.header =
      SesSmallRequest{.operation = {.opcode = SesOpcode::kWrite, .end_of_message = true, .start_of_message = true},
                      .request_length = {.bytes = 2},
                      .buffer_offset = 0x1000};
  return frame;
}

//= uet-1.0 3.5
TEST(UetFrames, SealingFillsInLengthsChecksumsAndCrc) {
  const ByteVector payload = bytes_of("ABCD");
  UetFrame frame = small_write();
  frame.payload = payload;
  seal_frame(frame);
  EXPECT_EQ(frame.ipv4->total_length, 20 + 8 + 12 + 20 + 2 + 4);
  EXPECT_TRUE(frame.ipv4->checksum_ok());
  EXPECT_EQ(frame.udp->destination_port, kUdpPort);
  EXPECT_EQ(frame.udp->length, 8 + 12 + 20 + 2 + 4);
  EXPECT_TRUE(crc_ok(frame));
  EXPECT_EQ(emitted_size(frame), frame.ipv4->total_length);
}

TEST(UetFrames, EveryPacketIsReadAndEmittedAsItWas) {
  for (const SampleUetFrame& sample : all_samples()) {
    const ByteVector bytes = sample.bytes();
    const UetFrameResult parsed = parse_uet_frame(bytes);
    ASSERT_TRUE(parsed.has_value()) << sample.name << ": " << parsed.error().error.message;
    EXPECT_EQ(parsed->pds, sample.frame.pds) << sample.name;
    EXPECT_TRUE(parsed->ses == sample.frame.ses) << sample.name;
    EXPECT_EQ(parsed->tss, sample.frame.tss) << sample.name;
    EXPECT_TRUE(std::ranges::equal(parsed->payload, sample.payload)) << sample.name;
    EXPECT_TRUE(crc_ok(*parsed)) << sample.name;
    EXPECT_EQ(parsed->entropy_value(), sample.frame.entropy_value());
    ByteVector again(emitted_size(*parsed));
    EXPECT_EQ(emit_frame(*parsed, again), bytes.size());
    EXPECT_EQ(again, bytes) << sample.name;
  }
}

TEST(UetFrames, EveryTruncationIsAnError) {
  for (const SampleUetFrame& sample : all_samples()) {
    const ByteVector bytes = sample.bytes();
    for (std::size_t size = 0; size < bytes.size() - sample.frame.trailer.size(); ++size) {
      const ByteVector cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(parse_uet_frame(cut).has_value()) << sample.name << " " << size;
    }
  }
}

TEST(UetFrames, OtherPacketsAreNotUet) {
  UetFrame frame = small_write();
  seal_frame(frame);
  ByteVector bytes = emitted_size(frame) == 0 ? ByteVector{} : ByteVector(emitted_size(frame));
  emit_frame(frame, bytes);
  ByteVector other_port = bytes;
  other_port[23] = std::byte{0xB7};  // 4791
  EXPECT_EQ(parse_uet_ip_packet(other_port).error().error.message, "UDP destination port is 4791, UET has 4793");
  EXPECT_EQ(parse_uet_ip_packet(other_port).error().fault, FrameFault::kNotRdma);
  ByteVector other_protocol = bytes;
  other_protocol[9] = std::byte{6};
  EXPECT_EQ(parse_uet_ip_packet(other_protocol).error().fault, FrameFault::kNotRdma);
  EXPECT_EQ(parse_uet_ip_packet(bytes_of("00")).error().error.message, "IP version is 0, must be 4 or 6");
}

/// One wrong bit anywhere behind the source address is a fault; nothing else is.
TEST(UetFrames, CheckingACaptureFindsEveryWrongBitThatTheCrcCovers) {
  UetFrame frame = small_write();
  frame.entropy = EntropyHeader{.entropy = 7};
  frame.udp.reset();
  seal_frame(frame);
  ByteVector bytes(emitted_size(frame));
  emit_frame(frame, bytes);
  const PacketCheck right = check_packet(CaptureLink::kRawIp, captured(bytes));
  EXPECT_TRUE(right.rdma && right.verified && right.reemitted);
  for (std::size_t bit = kCrcFromIpv4 * 8; bit < bytes.size() * 8; ++bit) {
    ByteVector wrong = bytes;
    wrong[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    const PacketCheck check = check_packet(CaptureLink::kRawIp, captured(wrong));
    EXPECT_FALSE(check.verified) << bit;
    EXPECT_FALSE(check.faults.empty() && check.rdma) << bit;
  }
}

struct TemporaryFile {
  TemporaryFile() : path(std::filesystem::path(::testing::TempDir()) / fmt::format("weft_uet_{}.pcapng", getpid())) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

TEST(UetFrames, ACaptureOfAllOfThemIsVerifiedAndReemitted) {
  const std::vector<SampleUetFrame> samples = all_samples();
  const TemporaryFile file;
  auto writer = PcapngWriter::create(file.path.string());
  ASSERT_TRUE(writer.has_value());
  const auto tap = writer->add_interface("tap", LinkType::kEthernet);
  std::uint64_t secured = 0;
  for (const SampleUetFrame& sample : samples) {
    secured += sample.frame.tss ? 1 : 0;
    ASSERT_TRUE(writer->write(*tap, Time::zero(), sample.bytes()).has_value());
  }
  const ByteVector ordered_set = emitted(LlrMessage{.type = CtlosType::kLlrNack, .sequence = 5});
  ASSERT_TRUE(writer->write(*tap, Time::zero(), ordered_set).has_value());
  ASSERT_TRUE(writer->close().has_value());

  auto reader = PcapReader::open(file.path.string());
  ASSERT_TRUE(reader.has_value());
  CaptureCounts counts;
  ASSERT_TRUE(check_capture(*reader, counts, [](std::uint64_t number, std::string_view what) {
                ADD_FAILURE() << number << ": " << what;
              }).has_value());
  EXPECT_EQ(counts,
            (CaptureCounts{
                .packets = samples.size() + 1, .verified = samples.size() - secured, .reemitted = samples.size() + 1}));
}

TEST(UetFrames, AreListedInOneLine) {
  CaptureList list;
  UetFrame frame = small_write();
  seal_frame(frame);
  const auto line = [&list](const UetFrame& one) {
    ByteVector bytes(emitted_size(one));
    emit_frame(one, bytes);
    return list.line(CaptureLink::kRawIp, captured(bytes));
  };
  EXPECT_EQ(
      line(frame),
      "UET/UDP 10.0.0.1 > 10.0.0.2 ev 49185 RUD request psn 9 pdc 3 > 4 clear 9 write som eom offset 0x1000 size 2 "
      "len 0");
  frame.pds = PdsAck{.type = PdsType::kAckCc,
                     .next_header = NextHeader::kNone,
                     .marked = true,
                     .cumulative_psn = 9,
                     .source_pdc = 4,
                     .destination_pdc = 3,
                     .sack_bitmap = 5,
                     .cc_state = NsccState{.service_time = 1, .rcvd_bytes = 4096}.pack()};
  frame.ses = {};
  seal_frame(frame);
  EXPECT_EQ(
      line(frame),
      "UET/UDP 10.0.0.1 > 10.0.0.2 ev 49185 ACK_CC M psn 9 cumulative 9 pdc 4 > 3 mpr 0 sack +0 0x5 NSCC service 1 "
      "pend 0 received 4096 ooo 0 len 0");
  frame.pds = PdsNack{.code = NackCode::kTrimmed, .psn = 9, .source_pdc = 4, .destination_pdc = 3};
  seal_frame(frame);
  EXPECT_EQ(line(frame), "UET/UDP 10.0.0.1 > 10.0.0.2 ev 49185 NACK (trimmed) psn 9 pdc 4 > 3 len 0");
  EXPECT_EQ(list.line(CaptureLink::kEthernet, captured(emitted(CfUpdate{.first = {.channel = 3, .count = 10}}))),
            "CF_Update vc 3 freed 10 vc 0 freed 0");
}

TEST(UetFrames, EveryLineSaysWhatThePacketIs) {
  for (const SampleUetFrame& sample : all_samples()) {
    const std::string text = frame_text(sample.frame);
    EXPECT_TRUE(text.starts_with("UET/")) << text;
    EXPECT_TRUE(text.ends_with(fmt::format(" len {}", sample.payload.size()))) << text;
  }
}

}  // namespace
}  // namespace weft::wire::uet
