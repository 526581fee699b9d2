#include "wire/capture_check_iwarp.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "base/test_paths.h"
#include "wire/capture_check.h"
#include "wire/ddp.h"
#include "wire/ipv4.h"
#include "wire/rdmap.h"
#include "wire/tcp.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr MpaForm kPlain{.markers = MpaMarkers::kOff, .crc = MpaCrc::kOff};
constexpr MpaForm kFull{.markers = MpaMarkers::kOn, .crc = MpaCrc::kOn};

/// A connection of which the test writes both directions, segment by segment.
class Script {
 public:
  enum class Side { kInitiator, kResponder };

  /// A segment of `bytes` that stand at `at` of the side's stream.
  void segment(Side side, std::uint32_t at, const ByteVector& bytes, std::uint8_t flags = kTcpAck) {
    const bool first = side == Side::kInitiator;
    TcpSegmentHeader tcp;
    tcp.source_port = first ? 1000 : 2000;
    tcp.destination_port = first ? 2000 : 1000;
    // The initiator's sequence numbers wrap soon.
    tcp.sequence = (first ? 0xFFFFFF00U : 7000U) + at;
    tcp.flags = flags;
    Ipv4Header ip;
    ip.protocol = kIpProtocolTcp;
    ip.source.value = first ? 1 : 2;
    ip.destination.value = first ? 2 : 1;
    ip.total_length = static_cast<std::uint16_t>(ip.size() + tcp.size() + bytes.size());
    add(emitted(ip, ip.size()) + emitted(tcp, tcp.size()) + bytes);
  }
  void send(Side side, const ByteVector& bytes) {
    std::uint32_t& at = side == Side::kInitiator ? sent_[0] : sent_[1];
    segment(side, at, bytes);
    at += static_cast<std::uint32_t>(bytes.size());
  }
  void add(const ByteVector& packet) {
    (void)check.add(CaptureLink::kRawIp,
                    {.number = 1, .original_length = static_cast<std::uint32_t>(packet.size()), .bytes = packet},
                    [this](std::string_view what) { faults.emplace_back(what); });
  }
  /// Both start frames.
  void start(MpaForm form) {
    for (const Side side : {Side::kInitiator, Side::kResponder}) {
      MpaStartFrame frame;
      frame.kind = side == Side::kInitiator ? MpaFrameKind::kRequest : MpaFrameKind::kReply;
      frame.markers = form.markers == MpaMarkers::kOn;
      frame.crc = form.crc == MpaCrc::kOn;
      send(side, emitted(frame, frame.size()));
    }
  }
  /// The next FPDU of the initiator: a WRITE.
  ByteVector fpdu(MpaForm form, std::size_t payload) {
    DdpHeader ddp{.tagged = true, .upper_control = rdmap_control(RdmapOpcode::kWrite), .stag = 1, .tagged_offset = 2};
    const ByteVector ulpdu = emitted(ddp, ddp.size()) + ByteVector(payload, std::byte{0x77});
    ByteVector bytes(fpdu_extent(place_, ulpdu.size(), form.markers));
    emit_fpdu({.ulpdu = ulpdu}, place_, form, bytes);
    place_ += bytes.size();
    return bytes;
  }

  IwarpCheck check;
  std::vector<std::string> faults;

 private:
  std::uint32_t sent_[2] = {1, 1};
  std::uint64_t place_ = 0;
};

TEST(IwarpCheck, EveryFrameOfLinuxsSoftIwarpIsReemittedIdentically) {
  auto reader =
      PcapReader::open(std::filesystem::path(test_data_dir()) / "captures" / "siw_rping_ucmatose_send_write_read.pcap");
  ASSERT_TRUE(reader);
  CaptureCounts counts;
  ASSERT_TRUE(check_capture(
      *reader, counts, [](std::uint64_t number, std::string_view what) { ADD_FAILURE() << number << ": " << what; }));
  EXPECT_EQ(counts.iwarp.connections, 7U);
  EXPECT_EQ(counts.iwarp.start_frames, 2 * counts.iwarp.connections);
  EXPECT_GT(counts.iwarp.fpdus, 100U);
  EXPECT_EQ(counts.iwarp.reemitted, counts.iwarp.start_frames + counts.iwarp.fpdus);
  EXPECT_EQ(counts.iwarp.verified, 0U) << "nobody asked for CRCs";
  EXPECT_EQ(counts.faults, 0U);
  EXPECT_EQ(counts.verified, 0U);
}

TEST(IwarpCheck, FpdusWithMarkersAndCrcsAreVerifiedWhereverSegmentsEnd) {
  Script script;
  script.start(kFull);
  ByteVector stream;
  for (std::size_t i = 0; i < 40; ++i) {
    stream = stream + script.fpdu(kFull, 37 * i);
  }
  for (std::size_t at = 0; at < stream.size(); at += 333) {
    const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = stream.begin() + static_cast<std::ptrdiff_t>(std::min(stream.size(), at + 333));
    script.send(Script::Side::kInitiator, ByteVector(begin, end));
  }
  EXPECT_THAT(script.faults, IsEmpty());
  EXPECT_EQ(script.check.counts().fpdus, 40U);
  EXPECT_EQ(script.check.counts().verified, 40U);
  EXPECT_EQ(script.check.counts().reemitted, 42U);
}

TEST(IwarpCheck, SegmentsThatComeTwiceAndOutOfOrderAreCheckedOnce) {
  Script script;
  script.start(kFull);
  std::vector<ByteVector> fpdus;
  std::vector<std::uint32_t> places;
  std::uint32_t at = 1 + MpaStartFrame::kSize;
  for (int i = 0; i < 6; ++i) {
    fpdus.push_back(script.fpdu(kFull, 500));
    places.push_back(at);
    at += static_cast<std::uint32_t>(fpdus.back().size());
  }
  for (const std::size_t i : {0U, 2U, 3U, 2U, 1U, 0U, 5U, 4U}) {
    script.segment(Script::Side::kInitiator, places[i], fpdus[i]);
  }
  EXPECT_THAT(script.faults, IsEmpty());
  EXPECT_EQ(script.check.counts().fpdus, 6U);
  EXPECT_EQ(script.check.counts().verified, 6U);
}

TEST(IwarpCheck, AFlippedBitIsACrcFaultAndTheNextFpduIsStillFound) {
  Script script;
  script.start(kFull);
  ByteVector damaged = script.fpdu(kFull, 100);
  damaged[60] ^= std::byte{1};
  script.send(Script::Side::kInitiator, damaged);
  script.send(Script::Side::kInitiator, script.fpdu(kFull, 100));
  EXPECT_THAT(script.faults, ElementsAre(HasSubstr("MPA CRC is 0x")));
  EXPECT_EQ(script.check.counts().verified, 1U);
}

TEST(IwarpCheck, AnFpduThatRdmapDoesNotKnowIsAFault) {
  Script script;
  script.start(kPlain);
  ByteVector fpdu = script.fpdu(kPlain, 4);
  fpdu[3] = std::byte{0x4D};
  script.send(Script::Side::kInitiator, fpdu);
  EXPECT_THAT(script.faults, ElementsAre(HasSubstr("RDMAP opcode 13 in a tagged DDP segment")));
}

TEST(IwarpCheck, AGapThatIsNeverFilledIsToldOfAtTheEnd) {
  Script script;
  script.start(kPlain);
  script.segment(Script::Side::kInitiator, 500, script.fpdu(kPlain, 4));
  EXPECT_THAT(script.faults, IsEmpty());
  script.check.finish([&](std::string_view what) { script.faults.emplace_back(what); });
  EXPECT_THAT(script.faults, ElementsAre(HasSubstr("follow a gap")));
}

TEST(IwarpCheck, WhatIsKeptBehindAGapIsBounded) {
  Script script;
  script.start(kPlain);
  for (std::uint32_t at = 100; at < 100 + 2 * TcpReassembly::kMaxEarly; at += 1000) {
    script.segment(Script::Side::kInitiator, at, ByteVector(1000));
  }
  EXPECT_THAT(script.faults, ElementsAre(HasSubstr("too many bytes")));
}

TEST(IwarpCheck, OtherConnectionsAreNoneOfItsBusiness) {
  Script script;
  script.send(Script::Side::kInitiator, bytes_of("474554202F"));
  script.send(Script::Side::kResponder, bytes_of("48545450"));
  EXPECT_THAT(script.faults, IsEmpty());
  EXPECT_EQ(script.check.counts(), IwarpCounts{});
}

}  // namespace
}  // namespace weft::wire
