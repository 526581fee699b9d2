// Captures of iWARP connections, read by tshark: every FPDU found, every CRC right, every header as it was sent.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>

#include "tests/property/stream_traffic.h"
#include "tests/tshark/tshark.h"
#include "wire/capture_check.h"
#include "wire/pcapng_writer.h"
#include "wire/tcp_codec.h"

namespace weft::test {
namespace {

using testing::StreamKind;
using testing::StreamPair;
using testing::StreamPairOptions;
using testing::StreamTraffic;

const std::vector<std::string> kFields{"tcp.analysis.flags",
                                       "iwarp_mpa.req",
                                       "iwarp_mpa.rep",
                                       "iwarp_mpa.rev",
                                       "iwarp_mpa.ulpdulength",
                                       "iwarp_rdma.opcode",
                                       "iwarp_ddp.stag",
                                       "iwarp_ddp.qn",
                                       "iwarp_ddp.msn",
                                       "iwarp_ddp.mo",
                                       "iwarp_ddp.last_flag",
                                       "iwarp_rdma.term_layer",
                                       "iwarp_rdma.term_errcode_rdma",
                                       "iwarp_rdma.rdmardsz"};

/// A file that lives as long as its test.
struct CaptureFile {
  explicit CaptureFile(const StreamPair& pair)
      : path(std::filesystem::path(::testing::TempDir()) / fmt::format("weft_iwarp_{}.pcapng", getpid())) {
    auto writer = wire::PcapngWriter::create(path.string());
    EXPECT_TRUE(writer.has_value());
    const auto tap = writer->add_interface("tap", wire::LinkType::kEthernet);
    EXPECT_TRUE(tap.has_value());
    std::int64_t microseconds = 0;
    for (const std::vector<std::byte>& frame : pair.frames()) {
      EXPECT_TRUE(writer->write(*tap, Time::zero() + Duration::microseconds(++microseconds), frame).has_value());
    }
    EXPECT_TRUE(writer->close().has_value());
  }
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;
  ~CaptureFile() { std::filesystem::remove(path); }

  std::filesystem::path path;
};

std::vector<Dissection> read(const CaptureFile& file) {
  auto dissections = dissect_file(file.path.string(), kFields);
  EXPECT_TRUE(dissections.has_value()) << (dissections ? "" : dissections.error().message);
  return dissections.value_or(std::vector<Dissection>{});
}

wire::IwarpCounts check(const CaptureFile& file) {
  wire::CaptureCounts counts;
  auto reader = wire::PcapReader::open(file.path.string());
  EXPECT_TRUE(reader.has_value());
  EXPECT_TRUE(wire::check_capture(
      *reader, counts, [](std::uint64_t number, std::string_view what) { ADD_FAILURE() << number << ": " << what; }));
  return counts.iwarp;
}

/// Lines of tshark's detailed output with this text: its judgement of a CRC is in no field.
std::uint64_t lines_with(const CaptureFile& file, const std::string& text) {
  std::FILE* const output = popen(fmt::format("tshark -n -V -r '{}' 2>/dev/null", file.path.string()).c_str(), "r");
  EXPECT_NE(output, nullptr);
  std::array<char, 4096> line{};
  std::uint64_t found = 0;
  while (std::fgets(line.data(), line.size(), output) != nullptr) {
    found += std::string_view(line.data()).find(text) == std::string_view::npos ? 0U : 1U;
  }
  EXPECT_EQ(pclose(output), 0);
  return found;
}

std::uint64_t number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 0); }

/// What weft's own parser finds in the segment, held against the dissector's.
void expect_same_headers(const std::vector<std::byte>& bytes, std::uint64_t& place, wire::MpaForm form,
                         const Dissection& packet) {
  const auto frame = wire::parse_tcp_frame(bytes);
  ASSERT_TRUE(frame.has_value());
  const wire::Fpdu fpdu = wire::parse_fpdu(frame->payload, place, form);
  place += frame->payload.size();
  const auto ddp = wire::DdpHeader::parse(fpdu.ulpdu);
  ASSERT_TRUE(ddp.has_value());
  EXPECT_EQ(number(packet.at("iwarp_mpa.ulpdulength")), fpdu.ulpdu.size());
  EXPECT_EQ(number(packet.at("iwarp_ddp.last_flag")), ddp->last ? 1U : 0U);
  const unsigned opcode = wire::RdmapControl::unpack(ddp->upper_control).opcode;
  EXPECT_EQ(number(packet.at("iwarp_rdma.opcode")), opcode);
  if (ddp->tagged) {
    EXPECT_EQ(std::strtoull(packet.at("iwarp_ddp.stag").c_str(), nullptr, 16), ddp->stag);
  } else {
    EXPECT_EQ(number(packet.at("iwarp_ddp.qn")), ddp->queue);
    EXPECT_EQ(number(packet.at("iwarp_ddp.msn")), ddp->message_number);
    EXPECT_EQ(number(packet.at("iwarp_ddp.mo")), ddp->message_offset);
  }
}

void expect_dissected(wire::MpaForm form) {
  StreamPairOptions options;
  options.memory_bytes = StreamTraffic::kMemoryBytes;
  for (transport::IwarpOptions& end : options.ends) {
    end.start = transport::StreamStart::kOnTheWire;
    end.markers = form.markers == wire::MpaMarkers::kOn;
  }
  StreamPair pair(options);
  StreamTraffic traffic(pair, StreamKind::kIwarp, {.seed = 4, .messages = 20});
  ASSERT_TRUE(traffic.run());
  ASSERT_EQ(traffic.verify(), "");
  const CaptureFile file(pair);
  const auto dissections = read(file);
  ASSERT_EQ(dissections.size(), pair.frames().size());
  std::uint64_t start_frames = 0;
  std::uint64_t fpdus = 0;
  std::uint64_t places[2] = {0, 0};
  std::set<std::string> opcodes;
  for (std::size_t i = 0; i < dissections.size(); ++i) {
    SCOPED_TRACE(i);
    const Dissection& packet = dissections[i];
    EXPECT_EQ(packet.at("_ws.malformed"), "");
    EXPECT_EQ(packet.at("tcp.analysis.flags"), "");
    start_frames += packet.at("iwarp_mpa.rev").empty() ? 0U : 1U;
    if (packet.at("iwarp_mpa.ulpdulength").empty()) {
      continue;
    }
    ++fpdus;
    EXPECT_EQ(packet.at("_ws.expert.message"), "");
    opcodes.insert(packet.at("iwarp_rdma.opcode"));
    constexpr std::size_t kLastOfSource = 14 + 15;
    const bool first = pair.frames()[i][kLastOfSource] == std::byte{1};
    expect_same_headers(pair.frames()[i], places[first ? 0 : 1], form, packet);
  }
  EXPECT_EQ(start_frames, 2U);
  EXPECT_GE(opcodes.size(), 5U);
  EXPECT_EQ(lines_with(file, "(Good CRC32)"), fpdus);
  EXPECT_EQ(lines_with(file, "Bad CRC32"), 0U);
  const wire::IwarpCounts counts = check(file);
  EXPECT_EQ(counts.start_frames, 2U);
  EXPECT_EQ(counts.fpdus, fpdus);
  EXPECT_EQ(counts.verified, fpdus);
  EXPECT_EQ(counts.reemitted, fpdus + 2);
}

TEST(TsharkIwarp, ReadsEveryFpduAndItsCrc) {
  expect_dissected({.markers = wire::MpaMarkers::kOff, .crc = wire::MpaCrc::kOn});
}

TEST(TsharkIwarp, ReadsEveryFpduAndItsCrcBetweenMarkers) {
  expect_dissected({.markers = wire::MpaMarkers::kOn, .crc = wire::MpaCrc::kOn});
}

TEST(TsharkIwarp, ReadsTheTerminateOfARefusedRead) {
  StreamPairOptions options;
  for (transport::IwarpOptions& end : options.ends) {
    end.start = transport::StreamStart::kOnTheWire;
  }
  StreamPair pair(options);
  const verbs::Sge element = pair.side(0).sge(0, 100);
  verbs::SendWr wr;
  wr.opcode = verbs::WrOpcode::kRdmaRead;
  wr.sg_list = std::span(&element, 1);
  wr.rdma = {1, 2};
  ASSERT_TRUE(pair.post_send(0, wr));
  ASSERT_TRUE(pair.run());
  const CaptureFile file(pair);
  int terminates = 0;
  for (const Dissection& packet : read(file)) {
    EXPECT_EQ(packet.at("_ws.malformed"), "");
    if (!packet.at("iwarp_rdma.term_layer").empty()) {
      ++terminates;
      EXPECT_EQ(number(packet.at("iwarp_rdma.term_layer")), 0U);
      EXPECT_EQ(number(packet.at("iwarp_rdma.term_errcode_rdma")), 0U) << "invalid STag";
    }
  }
  EXPECT_EQ(terminates, 1);
}

}  // namespace
}  // namespace weft::test
