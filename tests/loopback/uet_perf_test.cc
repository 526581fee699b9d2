// What is Ultra Ethernet's own between two processes: encryption, IPv6, captures, and sides that do not agree.
#include <gtest/gtest.h>

#include "tests/loopback/run_perf.h"
#include "wire/capture_check.h"
#include "wire/pcap_reader.h"

namespace weft::test {
namespace {

using live::PerfOp;
using live::PerfTest;
using live::PerfTransport;

security::AesKey key_from(std::uint8_t first) {
  security::AesKey key{};
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<std::byte>(first + i);
  return key;
}

PerfRun uet_run(PerfOp op, PerfTest test) {
  PerfRun run{.plan = {.op = op, .test = test, .size = 100'000, .depth = 16}};
  for (const std::uint32_t size : {1U, 4'096U, 4'097U, 100'000U})
    run.rows.push_back({.size = size, .iterations = 40});
  run.set_transport(PerfTransport::kUet);
  return run;
}

void expect_intact(const PerfRun& run) {
  const PerfOutcome outcome = run_perf(run);
  ASSERT_TRUE(outcome.client.has_value()) << outcome.failure;
  EXPECT_FALSE(outcome.visit.error.has_value()) << outcome.visit.error->message;
  EXPECT_EQ(outcome.client->wrong(), 0U);
  EXPECT_EQ(outcome.client->rows.size(), run.rows.size());
  EXPECT_EQ(outcome.client->counters.rejected() + outcome.visit.counters.rejected(), 0U);
  EXPECT_EQ(outcome.client->counters.uet.failed + outcome.visit.counters.uet.failed, 0U);
}

TEST(UetPerf, WorksOverIpv6) {
  for (const PerfOp op : {PerfOp::kWrite, PerfOp::kSend, PerfOp::kRead}) {
    PerfRun run = uet_run(op, PerfTest::kBandwidth);
    Result<live::SocketAddress> loopback = live::SocketAddress::resolve("::1", 0);
    ASSERT_TRUE(loopback.has_value());
    run.server_address = run.client_address = *loopback;
    expect_intact(run);
    run.set_key(key_from(9));
    expect_intact(run);
  }
}

TEST(UetPerf, EncryptedDataArriveIntactThroughLossAndDuplication) {
  const auto percent = [](std::uint64_t n) { return Probability::from_ratio({.numerator = n, .denominator = 100}); };
  for (const PerfOp op : {PerfOp::kWrite, PerfOp::kSend, PerfOp::kRead}) {
    PerfRun run = uet_run(op, PerfTest::kBandwidth);
    run.set_key(key_from(1));
    run.client.faults = {.loss = percent(1), .reorder = percent(3), .delay = 300_us, .seed = 5};
    expect_intact(run);
    // A duplicate is a packet played back. One that is still held back when both sides are done arrives nowhere.
    run.client.faults.duplicate = percent(5);
    const PerfOutcome outcome = run_perf(run);
    ASSERT_TRUE(outcome.client.has_value()) << outcome.failure;
    EXPECT_EQ(outcome.client->wrong(), 0U);
    const std::uint64_t replayed = outcome.visit.counters.driver.replayed;
    EXPECT_GT(replayed, 0U);
    EXPECT_LE(replayed, outcome.client->counters.faults.duplicated);
  }
}

TEST(UetPerf, SidesWithDifferentKeysExchangeNothing) {
  PerfRun run = uet_run(PerfOp::kWrite, PerfTest::kBandwidth);
  run.set_key(key_from(1));
  run.server.key = key_from(2);
  run.client.idle_timeout = Duration::milliseconds(300);
  const PerfOutcome outcome = run_perf(run);
  EXPECT_FALSE(outcome.client.has_value());
  EXPECT_GT(outcome.visit.counters.driver.wrong_icrc, 0U);
  EXPECT_EQ(outcome.visit.counters.driver.received, 0U);
}

TEST(UetPerf, SidesThatDoNotAgreeAreRefused) {
  PerfRun run = uet_run(PerfOp::kWrite, PerfTest::kBandwidth);
  run.server.transport = PerfTransport::kRoce;
  EXPECT_NE(run_perf(run).failure.find("this server serves roce"), std::string::npos);
  run.server.transport = PerfTransport::kUet;
  run.server.key = key_from(1);
  EXPECT_NE(run_perf(run).failure.find("this server encrypts"), std::string::npos);
}

TEST(UetPerf, ACaptureOfItPassesTheCheck) {
  for (const bool encrypted : {false, true}) {
    const std::string file = testing::TempDir() + "weft_live_uet_" + std::to_string(getpid()) + ".pcapng";
    Result<live::PacketTap> tap = live::PacketTap::create(file);
    ASSERT_TRUE(tap.has_value());
    PerfRun run = uet_run(PerfOp::kRead, PerfTest::kBandwidth);
    run.server.udp_port = run.client.udp_port = live::standard_port(PerfTransport::kUet);
    if (encrypted)
      run.set_key(key_from(1));
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
    EXPECT_EQ(counts.reemitted, driver.sent + driver.received);
    EXPECT_EQ(counts.verified, encrypted ? 0U : driver.sent + driver.received);
    std::remove(file.c_str());
  }
}

}  // namespace
}  // namespace weft::test
