// Captures of TCP connections, read by tshark: what its analysis of the stream has to say.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>

#include "tests/property/tcp_pair.h"
#include "tests/tshark/tshark.h"
#include "transport/congestion/cubic.h"
#include "wire/pcapng_writer.h"

namespace weft::test {
namespace {

using namespace weft::literals;
using testing::Opening;
using testing::TcpPair;

const std::vector<std::string> kFields{"tcp.flags",
                                       "tcp.checksum.status",
                                       "tcp.len",
                                       "tcp.options.mss_val",
                                       "tcp.options.wscale.shift",
                                       "tcp.options.sack_perm",
                                       "tcp.options.timestamp.tsval",
                                       "tcp.options.sack.count",
                                       "tcp.analysis.flags",
                                       "tcp.analysis.retransmission",
                                       "tcp.analysis.fast_retransmission",
                                       "tcp.analysis.spurious_retransmission",
                                       "tcp.analysis.duplicate_ack",
                                       "tcp.analysis.out_of_order",
                                       "tcp.analysis.lost_segment",
                                       "tcp.analysis.ack_lost_segment",
                                       "tcp.analysis.zero_window",
                                       "tcp.analysis.window_full",
                                       "tcp.analysis.keep_alive",
                                       "tcp.analysis.reused_ports"};

std::vector<Dissection> read_capture(const TcpPair& pair) {
  const std::string file = std::filesystem::path(::testing::TempDir()) / fmt::format("weft_tcp_{}.pcapng", getpid());
  auto writer = wire::PcapngWriter::create(file);
  EXPECT_TRUE(writer.has_value());
  const auto tap = writer->add_interface("tap", wire::LinkType::kEthernet);
  EXPECT_TRUE(tap.has_value());
  for (const TcpPair::Frame& frame : pair.frames()) {
    EXPECT_TRUE(writer->write(*tap, frame.at, frame.bytes).has_value());
  }
  EXPECT_TRUE(writer->close().has_value());
  auto read = dissect_file(file, kFields);
  std::filesystem::remove(file);
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().message);
  return read.value_or(std::vector<Dissection>{});
}

TcpPair::Options transfer(transport::TcpCongestionControl& control) {
  TcpPair::Options options;
  options.opening = Opening::kHandshake;
  options.plans[0].to_write = 400'000;
  options.plans[1].to_write = 3'000;
  options.tcp[0].congestion_control = &control;
  options.tcp[0].time_wait = options.tcp[1].time_wait = 1_s;
  return options;
}

/// Which remarks of the analysis occurred, and that every packet is right.
std::set<std::string> remarks(const std::vector<Dissection>& packets) {
  std::set<std::string> found;
  for (const Dissection& packet : packets) {
    EXPECT_EQ(packet.at("_ws.malformed"), "");
    EXPECT_EQ(packet.at("tcp.checksum.status"), "1");  // good
    for (const auto& [field, value] : packet) {
      if (field.starts_with("tcp.analysis.") && field != "tcp.analysis.flags" && !value.empty()) {
        found.insert(field);
      }
    }
  }
  return found;
}

TEST(TcpCapture, ALosslessConnectionHasNothingToRemark) {
  transport::Cubic control;
  TcpPair pair(transfer(control));
  pair.keep_frames();
  ASSERT_TRUE(pair.run());
  const auto packets = read_capture(pair);
  ASSERT_EQ(packets.size(), pair.frames().size());
  ASSERT_GT(packets.size(), 300U);
  EXPECT_EQ(remarks(packets), std::set<std::string>{});
  for (const Dissection& packet : packets) {
    EXPECT_EQ(packet.at("tcp.analysis.flags"), "");
  }
  const Dissection& syn = packets[0];
  EXPECT_EQ(syn.at("tcp.flags"), "0x0002");
  EXPECT_EQ(packets[1].at("tcp.flags"), "0x0012");
  EXPECT_EQ(syn.at("tcp.options.mss_val"), "1460");
  EXPECT_EQ(syn.at("tcp.options.wscale.shift"), "7");
  EXPECT_NE(syn.at("tcp.options.sack_perm"), "");
  EXPECT_NE(syn.at("tcp.options.timestamp.tsval"), "");
}

TEST(TcpCapture, ALossyConnectionHasTheRemarksOfLossOnly) {
  transport::Cubic control;
  TcpPair::Options options = transfer(control);
  options.faults.loss = Probability::from_ratio({.numerator = 3, .denominator = 100});
  TcpPair pair(options);
  pair.keep_frames();
  ASSERT_TRUE(pair.run());
  const auto packets = read_capture(pair);
  ASSERT_EQ(packets.size(), pair.frames().size());
  const auto found = remarks(packets);
  const std::set<std::string> allowed{
      "tcp.analysis.retransmission", "tcp.analysis.fast_retransmission", "tcp.analysis.spurious_retransmission",
      "tcp.analysis.duplicate_ack",  "tcp.analysis.out_of_order",        "tcp.analysis.lost_segment"};
  for (const std::string& remark : found) {
    EXPECT_TRUE(allowed.contains(remark)) << remark;
  }
  EXPECT_TRUE(found.contains("tcp.analysis.lost_segment"));
  EXPECT_TRUE(found.contains("tcp.analysis.duplicate_ack"));
  std::size_t with_sack = 0;
  for (const Dissection& packet : packets) {
    with_sack += packet.at("tcp.options.sack.count").empty() ? 0 : 1;
  }
  EXPECT_GT(with_sack, 0U);
}

}  // namespace
}  // namespace weft::test
