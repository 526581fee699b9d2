// Every operation and many sizes between two sides over loopback: each message arrives once and intact, also on a bad
// network.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/loopback/run_perf.h"
#include "wire/capture_check.h"
#include "wire/pcap_reader.h"

namespace weft::test {
namespace {

using live::PerfOp;
using live::PerfTest;
using live::PerfTransport;

struct Case {
  PerfOp op;
  PerfTest test;
  PerfTransport transport = PerfTransport::kRoce;
};

void PrintTo(const Case& value, std::ostream* out) {
  *out << to_string(value.transport) << '_' << to_string(value.op) << '_' << to_string(value.test);
}

class EveryOperation : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] PerfRun run() const {
    PerfRun run{.plan = {.op = GetParam().op, .test = GetParam().test, .size = 1 << 20, .depth = 16}};
    run.set_transport(GetParam().transport);
    if (is_atomic(GetParam().op)) {
      run.plan.size = 8;
      run.rows = {{.size = 8, .iterations = 400}, {.size = 8, .iterations = 1}};
      return run;
    }
    for (const std::uint32_t size : {1U, 2U, 7U, 8U, 9U, 63U, 1'000U, 4'095U, 4'096U, 4'097U, 65'536U, 1U << 20})
      run.rows.push_back({.size = size, .iterations = size > 100'000 ? 4U : 40U});
    return run;
  }

  static void expect_all_right(const PerfRun& run, const PerfOutcome& outcome) {
    ASSERT_TRUE(outcome.client.has_value()) << outcome.failure;
    EXPECT_FALSE(outcome.visit.error.has_value()) << outcome.visit.error->message;
    EXPECT_EQ(outcome.client->wrong(), 0U);
    EXPECT_EQ(outcome.client->rows.size(), run.rows.size());
    EXPECT_EQ(outcome.visit.rows, run.rows.size());
    EXPECT_EQ(outcome.client->counters.rejected() + outcome.visit.counters.rejected(), 0U);
  }
};

TEST_P(EveryOperation, DeliversEveryMessageIntact) {
  const PerfRun given = run();
  expect_all_right(given, run_perf(given));
}

TEST_P(EveryOperation, WorksWithoutSegmentationAndAtTheSmallestMtu) {
  PerfRun given = run();
  given.client.offload = live::UdpSocketOptions::Offload::kOff;
  given.client.mtu = verbs::PathMtu::k256;
  const PerfOutcome outcome = run_perf(given);
  expect_all_right(given, outcome);
  EXPECT_EQ(outcome.client->connection.mtu, 256);
}

TEST_P(EveryOperation, SurvivesLossReorderingAndDuplication) {
  PerfRun given = run();
  const auto percent = [](std::uint64_t n) { return Probability::from_ratio({.numerator = n, .denominator = 100}); };
  for (live::PerfSideOptions* const side : {&given.server, &given.client}) {
    side->faults = {.loss = percent(1), .duplicate = percent(4), .reorder = percent(3), .delay = 300_us, .seed = 7};
  }
  given.client.faults.seed = 8;
  const PerfOutcome outcome = run_perf(given);
  expect_all_right(given, outcome);
  const live::PerfCounters& client = outcome.client->counters;
  const live::PerfCounters& server = outcome.visit.counters;
  EXPECT_GT(client.faults.lost + server.faults.lost, 0U);
  EXPECT_GT(client.faults.duplicated + server.faults.duplicated, 0U);
  EXPECT_GT(client.rc.retransmitted_packets + client.uet.retransmissions + server.rc.retransmitted_packets +
                server.uet.retransmissions,
            0U);
}

INSTANTIATE_TEST_SUITE_P(
    Perf, EveryOperation,
    testing::Values(Case{PerfOp::kWrite, PerfTest::kBandwidth}, Case{PerfOp::kWrite, PerfTest::kLatency},
                    Case{PerfOp::kSend, PerfTest::kBandwidth}, Case{PerfOp::kSend, PerfTest::kLatency},
                    Case{PerfOp::kRead, PerfTest::kBandwidth}, Case{PerfOp::kRead, PerfTest::kLatency},
                    Case{PerfOp::kCas, PerfTest::kBandwidth}, Case{PerfOp::kFadd, PerfTest::kLatency}),
    testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(UltraEthernet, EveryOperation,
                         testing::Values(Case{PerfOp::kWrite, PerfTest::kBandwidth, PerfTransport::kUet},
                                         Case{PerfOp::kWrite, PerfTest::kLatency, PerfTransport::kUet},
                                         Case{PerfOp::kSend, PerfTest::kBandwidth, PerfTransport::kUet},
                                         Case{PerfOp::kSend, PerfTest::kLatency, PerfTransport::kUet},
                                         Case{PerfOp::kRead, PerfTest::kBandwidth, PerfTransport::kUet},
                                         Case{PerfOp::kRead, PerfTest::kLatency, PerfTransport::kUet},
                                         Case{PerfOp::kCas, PerfTest::kBandwidth, PerfTransport::kUet},
                                         Case{PerfOp::kFadd, PerfTest::kLatency, PerfTransport::kUet}),
                         testing::PrintToStringParamName());

TEST(PerfCapture, PassesTheCheckWithEveryPacket) {
  const std::string file = testing::TempDir() + "weft_live_" + std::to_string(getpid()) + ".pcapng";
  Result<live::PacketTap> tap = live::PacketTap::create(file);
  ASSERT_TRUE(tap.has_value());
  PerfRun run{.plan = {.op = PerfOp::kWrite, .size = 40'000}, .rows = {{.size = 40'000, .iterations = 20}}};
  run.server.udp_port = run.client.udp_port = 4791;
  run.client.tap = &*tap;
  const PerfOutcome outcome = run_perf(run);
  ASSERT_TRUE(outcome.client.has_value()) << outcome.failure;
  ASSERT_TRUE(tap->close().has_value());

  Result<wire::PcapReader> reader = wire::PcapReader::open(file);
  ASSERT_TRUE(reader.has_value());
  wire::CaptureCounts counts;
  ASSERT_TRUE(wire::check_capture(*reader, counts, [](std::uint64_t number, std::string_view what) {
                ADD_FAILURE() << number << ": " << what;
              }).has_value());
  const live::DriverCounters& driver = outcome.client->counters.driver;
  EXPECT_EQ(counts.verified, driver.sent + driver.received);
  EXPECT_EQ(counts.faults, 0U);

  // tshark lists the packets that it cannot make sense of.
  const std::string listed = file + ".txt";
  const std::string command = "timeout 120 tshark -n -r " + file + " -Y _ws.malformed >" + listed + " 2>/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(std::filesystem::file_size(listed), 0U);
  std::filesystem::remove(listed);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace weft::test
