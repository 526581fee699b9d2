// Captures of simulated ports with Ultra Ethernet: weft checks every packet of them, and tshark reads them with the
// dissector that weft ships.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/test_paths.h"
#include "study/run/capture_tap.h"
#include "study/run/collector.h"
#include "study/scenario/scenario_load.h"
#include "tests/tshark/tshark.h"
#include "wire/capture_check.h"
#include "wire/pcap_reader.h"

namespace weft::test {
namespace {

using study::run::Simulation;

const std::string kScript = std::string(test_data_dir()) + "/../../share/wireshark/uet.lua";

/// Two senders meet at the third host, and more comes than its queue holds.
constexpr const char* kScenario = R"(
[fabric]
family = "uet"
[topology]
kind = "single-switch"
hosts = 3
[[traffic]]
kind = "incast"
size = "300 kB"
operation = "write"
)";

struct UetCapture {
  wire::CaptureCounts counts;
  std::vector<Dissection> read;
};

UetCapture capture(const std::vector<std::string>& settings, const std::vector<std::string>& fields) {
  UetCapture captured;
  const auto catalogue = study::scenario::Catalogue::load(std::nullopt);
  const auto scenario = study::scenario::parse_scenario(
      kScenario, {.file = "capture.toml", .case_name = {}, .settings = settings}, *catalogue);
  EXPECT_TRUE(scenario) << scenario.error().message;
  study::run::Collector collector;
  auto simulation = Simulation::create(*scenario, collector);
  EXPECT_TRUE(simulation) << simulation.error().message;
  const std::string file =
      (std::filesystem::path(testing::TempDir()) / fmt::format("weft_uet_tap_{}.pcapng", getpid())).string();
  auto tap = study::run::CaptureTap::open((*simulation)->world(), 1, {{.port = "host2/nic0", .file = file}});
  EXPECT_TRUE(tap) << tap.error().message;
  EXPECT_EQ((*simulation)->run([](const study::run::Progress&) { return true; }), Simulation::End::kFinished);
  EXPECT_TRUE((*tap)->close());
  Result<wire::PcapReader> reader = wire::PcapReader::open(file);
  EXPECT_TRUE(reader.has_value());
  EXPECT_TRUE(wire::check_capture(*reader, captured.counts, [](std::uint64_t number, std::string_view what) {
                ADD_FAILURE() << number << ": " << what;
              }).has_value());
  auto read = dissect_file(file, fields, kScript);
  EXPECT_TRUE(read) << read.error().message;
  captured.read = *read;
  std::filesystem::remove(file);
  return captured;
}

constexpr std::uint64_t kDataPackets = 2 * 74;  // 300 kB in packets of 4096 bytes, from each of two senders

TEST(UetCapture, EveryPacketIsRightToWeftAndToTshark) {
  for (const char* encapsulation : {"udp", "native"}) {
    for (const char* version : {"ipv4", "ipv6"}) {
      SCOPED_TRACE(fmt::format("{} {}", encapsulation, version));
      const UetCapture captured =
          capture({fmt::format("uet.encapsulation={}", encapsulation), fmt::format("fabric.ip_version={}", version)},
                  {"uet.pds.type", "uet.pds.psn"});
      EXPECT_GT(captured.counts.packets, kDataPackets);
      EXPECT_EQ(captured.counts.verified, captured.counts.packets);
      EXPECT_EQ(captured.counts.reemitted, captured.counts.packets);
      ASSERT_EQ(captured.read.size(), captured.counts.packets);
      for (const Dissection& packet : captured.read) {
        EXPECT_EQ(packet.at("_ws.malformed"), "");
        EXPECT_FALSE(packet.at("uet.pds.type").empty());
      }
    }
  }
}

// Offsets of all packets of a message, its length in each, and one message of each sender.
TEST(UetCapture, HeadersOfAMessageTellItsLengthAndWhereEachPacketBelongs) {
  const UetCapture captured =
      capture({"uet.retries=255"}, {"uet.ses.req_len", "uet.ses.msg_off", "uet.ses.job_id", "uet.pds.type"});
  std::set<std::string> jobs;
  std::set<std::pair<std::string, std::string>> offsets;
  for (const Dissection& packet : captured.read) {
    if (packet.at("uet.ses.req_len").empty()) {
      continue;
    }
    EXPECT_EQ(packet.at("uet.ses.req_len"), "300000");
    jobs.insert(packet.at("uet.ses.job_id"));
    if (!packet.at("uet.ses.msg_off").empty()) {
      offsets.emplace(packet.at("uet.ses.job_id"), packet.at("uet.ses.msg_off"));
    }
  }
  EXPECT_EQ(jobs.size(), 2U);
  EXPECT_EQ(offsets.size(), kDataPackets - 2);  // first packets have none
}

TEST(UetCapture, TrimmedPacketsHaveAllTheirHeaders) {
  const UetCapture captured = capture({"ethernet.trimming.enabled=true", "ethernet.priority.0.egress_limit=40 kB",
                                       "ethernet.priority.3.egress_limit=40 kB"},
                                      {"uet.pds.nack_code"});
  EXPECT_EQ(captured.counts.verified, captured.counts.packets);
  EXPECT_TRUE(std::ranges::any_of(captured.read,
                                  [](const Dissection& packet) { return !packet.at("uet.pds.nack_code").empty(); }));
}

TEST(UetCapture, WithTssNothingButItsHeaderIsReadable) {
  for (const char* security : {"tss", "tss-source"}) {
    const UetCapture plain = capture({}, {"frame.len"});
    const UetCapture captured =
        capture({fmt::format("uet.security={}", security)}, {"uet.pds.type", "uet.pds.psn", "frame.len"});
    EXPECT_EQ(captured.counts.verified, 0U);
    EXPECT_EQ(captured.counts.reemitted, captured.counts.packets);
    const auto longest = [](const UetCapture& of) {
      std::uint64_t bytes = 0;
      for (const Dissection& packet : of.read) {
        bytes = std::max<std::uint64_t>(bytes, std::stoull(packet.at("frame.len")));
      }
      return bytes;
    };
    EXPECT_EQ(longest(captured), longest(plain) + (std::string_view(security) == "tss" ? 24 : 28));
    for (const Dissection& packet : captured.read) {
      EXPECT_EQ(packet.at("uet.pds.psn"), "");
    }
  }
}

}  // namespace
}  // namespace weft::test
