// What encryption, firewalls and management in band cost a run, against closed forms.
#include <gmock/gmock.h>

#include "study/run/flow_run.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using Settings = std::vector<std::string>;

constexpr std::string_view kShort =
    "[[traffic]]\nkind = \"flows\"\noperation = \"write-imm\"\nsources = [\"host0\"]\ndestinations = [\"host1\"]\nsize "
    "= "
    "\"64 B\"\n";
constexpr std::string_view kLong =
    "[[traffic]]\nkind = \"flows\"\nsources = [\"host0\"]\ndestinations = [\"host1\"]\nsize = \"16 MiB\"\n";
constexpr std::string_view kIncast =
    "[[traffic]]\nkind = \"incast\"\nsources = [\"host0\", \"host1\"]\ndestinations = [\"host2\"]\nsize = \"8 MiB\"\n";

Result<scenario::Scenario> scenario_of(std::string_view traffic, const Settings& more) {
  Settings settings{"hardware=equal", "nic.port_rate=400 Gbps", "switch.port_rate=400 Gbps",
                    "congestion_control.algorithm=none"};
  settings.insert(settings.end(), more.begin(), more.end());
  return scenario::scenario_with(traffic, {.file = {}, .case_name = {}, .settings = settings});
}

results::RunResults run_of(std::string_view traffic, const Settings& more) {
  return results_of(scenario_of(traffic, more));
}

// The closed form of a message on an idle network has the bytes and latencies, too.
workload::MessageRecord message_of_run(std::string_view traffic, const Settings& more) {
  const results::RunResults results = run_of(traffic, more);
  EXPECT_EQ(results.messages.size(), 1U);
  const results::MessageRow& row = results.messages.front();
  EXPECT_NEAR((row.record.finished - row.record.posted).seconds() / row.ideal.seconds(), 1, 0.001);
  return row.record;
}

/// Until the receiver has it, and until the sender knows.
struct Times {
  Duration delivered;
  Duration finished;
};
Times short_times(const Settings& more) {
  const results::RunResults results = run_of(kShort, more);
  const workload::MessageRecord& record = results.messages.front().record;
  return {.delivered = record.delivered - record.posted, .finished = record.finished - record.posted};
}

Duration long_time(const Settings& more) {
  const workload::MessageRecord record = message_of_run(kLong, more);
  return record.finished - record.posted;
}

TEST(SecurityRun, EncryptionFromEndToEndAddsItsLatencyAtBothEnds) {
  const Times plain = short_times({});
  const Times made =
      short_times({"security.encryption=psp", "security.encryption_bytes=0", "security.encryption_latency=100 ns"});
  EXPECT_EQ(made.delivered - plain.delivered, 200_ns);
  EXPECT_EQ(made.finished - plain.finished, 400_ns);
}

TEST(SecurityRun, EncryptionOfLinksAddsItsLatencyAtBothEndsOfEachCable) {
  const Times plain = short_times({});
  const Times made =
      short_times({"security.encryption=macsec", "security.encryption_bytes=0", "security.encryption_latency=100 ns"});
  EXPECT_EQ(made.delivered - plain.delivered, 400_ns);
  EXPECT_EQ(made.finished - plain.finished, 800_ns);
}

TEST(SecurityRun, AMessageMeetsTheFirewallOfTheSenderAndThatOfTheReceiver) {
  const Times plain = short_times({});
  const Times made = short_times(
      {"security.firewall=dpu-offloaded", "security.firewall_packet_rate=unlimited", "security.firewall_latency=1 us"});
  EXPECT_EQ(made.delivered - plain.delivered, 2_us);
  EXPECT_EQ(made.finished - plain.finished, 4_us);
}

TEST(SecurityRun, GoodputFallsByTheBytesOfEachPacket) {
  constexpr std::int64_t kPackets = 16 * 256;  // 16 MiB in packets of 4096 bytes
  const Duration plain = long_time({});
  const Rate line = Rate::bits_per_second(400'000'000'000);
  const auto check = [&](const char* encryption, std::int64_t bytes) {
    const Duration made =
        long_time({std::string("security.encryption=") + encryption, "security.encryption_latency=0 ns"});
    const Duration expected = line.transmit_time(Bytes(bytes)) * kPackets;
    // The last packet and its acknowledgement cross two cables each.
    const Duration rest = line.transmit_time(Bytes(bytes)) * 4;
    EXPECT_GE(made - plain, expected) << encryption;
    EXPECT_LE(made - plain, expected + rest) << encryption;
  };
  check("macsec", 24);
  check("ipsec", 36);
  check("psp", 40);
}

TEST(SecurityRun, AFirewallOfHalfTheRateHalvesGoodput) {
  const Duration plain = long_time({});
  const Duration half = run_of(kLong, {"security.firewall=dpu-cores", "security.firewall_rate=200 Gbps",
                                       "security.firewall_packet_rate=unlimited", "security.firewall_latency=0 ns"})
                            .run.ended_at.since_start();
  EXPECT_NEAR(half.seconds() / plain.seconds(), 2, 0.02);
}

TEST(SecurityRun, AFirewallOfFewPacketsPerSecondTakesAsLongAsItsPackets) {
  constexpr double kPackets = 16 * 256;
  const results::RunResults results =
      run_of(kLong, {"security.firewall=dpu-offloaded", "security.firewall_packet_rate=4000000"});
  EXPECT_NEAR(results.run.ended_at.since_start().seconds(), kPackets / 4e6, 0.02 * kPackets / 4e6);
  ASSERT_TRUE(results.security);
  // Each packet is busy at the sender and at the receiver.
  EXPECT_GE(results.security->firewall_busy.seconds(), 2 * kPackets / 4e6);
}

TEST(SecurityRun, ASlowCipherIsASlowFirewall) {
  const Duration plain = long_time({});
  const results::RunResults results = run_of(kLong, {"security.encryption=psp", "security.encryption_rate=200 Gbps"});
  EXPECT_NEAR(results.run.ended_at.since_start().seconds() / plain.seconds(), 2.0 * (4178 + 40) / 4178, 0.02);
  ASSERT_TRUE(results.security);
  EXPECT_GT(results.security->encryption_busy, Duration::zero());
}

Settings slow_firewall(const char* overflow) {
  return {"security.firewall=dpu-cores",
          "security.firewall_rate=200 Gbps",
          "security.firewall_packet_rate=unlimited",
          "security.firewall_latency=0 ns",
          "security.buffer=256 KiB",
          std::string("security.overflow=") + overflow};
}

TEST(SecurityRun, AFullBufferBeforeAFirewallLosesPackets) {
  const results::RunResults results = run_of(kIncast, slow_firewall("drop"));
  ASSERT_TRUE(results.security);
  EXPECT_GT(results.security->dropped, 0U);
  EXPECT_EQ(results.security->pauses, 0U);
  EXPECT_LE(results.security->peak, Bytes(256 * 1024));
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << "what is lost is sent again";
}

TEST(SecurityRun, AFullBufferBeforeAFirewallPausesTheSwitch) {
  const results::RunResults results = run_of(kIncast, slow_firewall("pause"));
  ASSERT_TRUE(results.security);
  EXPECT_EQ(results.security->dropped, 0U);
  EXPECT_GT(results.security->pauses, 0U);
  EXPECT_GT(results.security->peak, Bytes(128 * 1024));
  // 16 MiB of payload through 200 Gb/s.
  const double expected = 16.0 * 1024 * 1024 * 8 / 200e9 * 4178 / 4096;
  EXPECT_NEAR(results.run.ended_at.since_start().seconds(), expected, 0.03 * expected);
}

TEST(SecurityRun, ResultsSayWhatWasAdded) {
  const results::RunResults results = run_of(kShort, {"security.encryption=psp"});
  ASSERT_TRUE(results.security);
  EXPECT_EQ(results.security->packets, 2U);  // and its acknowledgement
  EXPECT_EQ(results.security->added, Bytes(2 * 40));
  EXPECT_FALSE(run_of(kShort, {}).security);
}

TEST(SecurityRun, TssBySecurityIsTssByUet) {
  const Times own = short_times({"fabric.family=uet", "uet.security=tss", "uet.security_latency=400 ns"});
  const Times made = short_times({"fabric.family=uet", "security.encryption=tss"});
  EXPECT_EQ(own.delivered, made.delivered);
  EXPECT_EQ(own.finished, made.finished);
}

TEST(SecurityRun, ManagementInBandSharesThePorts) {
  const Settings in_band{"stop=200 us", "security.management=in-band", "security.management_rate=20 Gbps"};
  const results::RunResults results = run_of(kLong, in_band);
  ASSERT_EQ(results.jobs.size(), 2U);
  EXPECT_EQ(results.jobs[1].name, "management");
  std::int64_t sent = 0;
  for (const results::MessageRow& row : results.messages) {
    sent += row.record.flow.job.value() == 1 ? row.record.size.count() : 0;
  }
  const double expected = 4 * 20e9 / 8 * 200e-6;  // four ports
  EXPECT_NEAR(static_cast<double>(sent), expected, 0.4 * expected);
}

TEST(SecurityRun, TheFlowLevelHasTheRateOfTheFirewallAndTheBytes) {
  const auto time_of = [](const Settings& more) {
    const Result<scenario::Scenario> scenario = scenario_of(kLong, more);
    EXPECT_TRUE(scenario) << scenario::message_of(scenario);
    const auto ran = run_as_flows(*scenario, {});
    EXPECT_TRUE(ran) << ran.error().message;
    return ran->results.run.ended_at.since_start().seconds();
  };
  const double plain = time_of({"fidelity=flow"});
  EXPECT_NEAR(time_of({"fidelity=flow", "security.firewall=dpu-cores", "security.firewall_rate=200 Gbps",
                       "security.firewall_packet_rate=unlimited", "security.firewall_latency=0 ns"}) /
                  plain,
              2, 0.01);
  EXPECT_NEAR(time_of({"fidelity=flow", "security.encryption=psp", "security.encryption_latency=0 ns"}) / plain,
              (4178.0 + 40) / 4178, 0.001);
}

}  // namespace
}  // namespace weft::study::run
