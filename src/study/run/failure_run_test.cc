// What failures do to jobs: who lives, who is lost when and why, and what a slow GPU costs.
#include <gmock/gmock.h>

#include "study/results/summary.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using testing::HasSubstr;

/// A ring over eight hosts of two leaves.
constexpr std::string_view kRing = R"(hardware = "equal"
[topology]
kind = "leaf-spine"
hosts = 8
hosts_per_leaf = 4
spines = 4
[link]
rate = "100 Gbps"
[routing]
reroute_delay = "2 ms"
[congestion_control]
algorithm = "none"
[[traffic]]
kind = "collective"
collective = "all-reduce"
algorithm = "ring"
size = "16 MiB"
)";

Result<scenario::Scenario> ring(std::string_view more, std::vector<std::string> settings = {},
                                std::string_view family = "rocev2") {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = std::move(settings);
  request.settings.push_back(fmt::format("fabric.family={}", family));
  return scenario::parse_scenario(fmt::format("{}[fabric]\nfamily = \"rocev2\"\n{}", std::string(kRing), more), request,
                                  scenario::test_catalogue());
}

std::string failure(std::string_view kind, std::string_view select, std::string_view rest = "") {
  return fmt::format("[[failure]]\nkind = \"{}\"\nselect = \"{}\"\nat = \"500 us\"\n{}\n", kind, select, rest);
}

double seconds_of(const results::RunResults& results) {
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  return results::summarise(results).jobs.at(0).collective->max.seconds();
}

const results::EventRow* event_of(const results::RunResults& results, std::string_view kind) {
  for (const results::EventRow& row : results.events) {
    if (row.kind == kind) {
      return &row;
    }
  }
  return nullptr;
}

/// The defect: all acknowledgements of a context took the path of its first packet. Where that was the one that failed,
/// the ring stood still until routes had changed, or its messages were given up.
TEST(FailureRun, OfUltraEthernetAFailedPathOfSeveralCostsLittleWhicheverItIs) {
  const double healthy = seconds_of(results_of(ring("", {"congestion_control.algorithm=nscc"}, "uet")));
  for (const char* const uplink : {"leaf0/port4", "leaf0/port5", "leaf0/port6", "leaf0/port7"}) {
    const results::RunResults results = results_of(ring(
        failure("link-down", uplink), {"congestion_control.algorithm=nscc", "routing.reroute_delay=50 ms"}, "uet"));
    EXPECT_LT(seconds_of(results), healthy + 0.02) << uplink;
  }
}

// A host whose only link has failed reaches nobody: its queue pairs retry so often, each after a timeout, and then give
// up: 4.096 us x 2^timeout x (retries + 1) after the last packet that was acknowledged.
TEST(FailureRun, AJobIsLostWhenAQueuePairHasUsedUpItsRetries) {
  for (const std::int64_t timeout : {6, 8}) {
    for (const std::int64_t retries : {1, 3}) {
      const results::RunResults lost =
          results_of(ring(failure("nic-port", "host1/nic0"), {fmt::format("transport.ack_timeout={}", timeout),
                                                              fmt::format("transport.retry_count={}", retries)}));
      ASSERT_EQ(lost.run.end, results::RunEnd::kJobLost);
      const double give_up = 4.096e-6 * static_cast<double>(1 << timeout) * static_cast<double>(retries + 1);
      const double after = (lost.run.ended_at.since_start() - 500_us).seconds();
      EXPECT_GE(after, give_up - 60e-6);  // a packet that was sent just before the failure
      EXPECT_LE(after, give_up + 200e-6);
      const results::EventRow* const row = event_of(lost, "job-lost");
      ASSERT_NE(row, nullptr);
      EXPECT_EQ(row->at, lost.run.ended_at);
      EXPECT_THAT(row->text, HasSubstr("transport retry counter exceeded"));
      EXPECT_THAT(row->text, HasSubstr("queue pair"));
      EXPECT_THAT(row->text, HasSubstr("host1/nic0"));
      EXPECT_NE(event_of(lost, "nic-port"), nullptr);
    }
  }
}

TEST(FailureRun, AJobLivesIfRoutesLearnOfTheFailureBefore) {
  const double whole = seconds_of(results_of(ring("")));
  const double failed = seconds_of(results_of(ring(failure("link-down", "leaf0/port4"), {"transport.ack_timeout=8"})));
  EXPECT_GT(failed, whole);
}

TEST(FailureRun, AJobLivesIfTheLinkIsBackBefore) {
  // Retries begin 1.05 ms after the failure, and the link is back after 3 ms.
  const results::RunResults failed =
      results_of(ring(failure("nic-port", "host1/nic0", "duration = \"3 ms\""), {"transport.ack_timeout=8"}));
  const double time = seconds_of(failed);
  EXPECT_GT(time, 3e-3);
  EXPECT_LT(time, 500e-6 + 8 * 1.05e-3 + seconds_of(results_of(ring(""))));
}

TEST(FailureRun, TheLibraryGivesUpAfterItsWatchdogAndNotBefore) {
  const results::RunResults lost =
      results_of(ring(failure("nic-port", "host1/nic0"), {"library.watchdog=5 ms", "transport.ack_timeout=14"}));
  ASSERT_EQ(lost.run.end, results::RunEnd::kJobLost);
  EXPECT_THAT(lost.run.error, HasSubstr("watchdog"));
  const double after = (lost.run.ended_at.since_start() - 500_us).seconds();
  EXPECT_GT(after, 5e-3 - 100e-6);
  EXPECT_LT(after, 5e-3 + seconds_of(results_of(ring(""))));  // the others go on for less than a whole ring
  // A job that goes on is left alone.
  EXPECT_EQ(results_of(ring("", {"library.watchdog=100 us"})).run.end, results::RunEnd::kFinished);
}

TEST(FailureRun, TheLibraryOfNcclSetsItsTimeouts) {
  const auto scenario = ring("[library]\nprofile = \"nccl\"\n");
  ASSERT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  EXPECT_EQ(scenario->transport.ack_timeout, 20);
  EXPECT_EQ(scenario->transport.retry_count, 7);
  EXPECT_EQ(scenario->library.watchdog, 600_s);
}

TEST(FailureRun, OverTcpOnlyTheWatchdogGivesUp) {
  const results::RunResults lost =
      results_of(ring(failure("nic-port", "host1/nic0"), {"library.watchdog=50 ms"}, "tcp"));
  ASSERT_EQ(lost.run.end, results::RunEnd::kJobLost) << lost.run.error;
  EXPECT_THAT(lost.run.error, HasSubstr("watchdog"));
}

// Without a manager nobody finds another path; with the standby's sweep the retries last long enough or not.
TEST(FailureRun, WithoutASubnetManagerNoPathIsFoundUntilTheStandbyTakesOver) {
  const auto run = [](std::string_view takeover) {
    return results_of(ring(failure("link-down", "leaf0/port4") +
                               fmt::format("[[failure]]\nkind = \"subnet-manager\"\nat = \"400 us\"\nduration = "
                                           "\"{}\"\n",
                                           takeover),
                           {"transport.ack_timeout=8"}, "infiniband"));
  };
  const double soon = seconds_of(run("1 us"));
  const double late = seconds_of(run("4 ms"));
  EXPECT_GE(late - soon, 1e-3);
  // Eight timeouts of 1.05 ms do not outlast it.
  EXPECT_EQ(run("50 ms").run.end, results::RunEnd::kJobLost);
}

TEST(FailureRun, LostLanesSlowTheRingAsMuchAsTheyLoseRate) {
  const double whole = seconds_of(results_of(ring("")));
  const double half = seconds_of(results_of(
      ring("[[failure]]\nkind = \"degraded-lanes\"\nselect = \"host1/nic0\"\nat = \"0 s\"\nwidth = \"50%\"\n")));
  // Acknowledgements share the slow link with data.
  EXPECT_GT(half / whole, 1.98);
  EXPECT_LT(half / whole, 2.2);
}

TEST(FailureRun, ErrorCorrectionThatTakesLongerIsPaidEachTimeThatAChunkPasses) {
  const auto time = [](std::string_view latency) {
    return seconds_of(results_of(
        ring(fmt::format("[[failure]]\nkind = \"degraded-lanes\"\nselect = \"host1/nic0\"\nat = \"0 s\"\nwidth = "
                         "\"100%\"\nfec_latency = \"{}\"\n",
                         latency),
             {"traffic[0].size=64 KiB"})));
  };
  // A chunk goes around the ring twice, in and out of host 1 each time.
  const double added = time("5 us") - time("0 ns");
  EXPECT_GE(added, 4 * 5e-6);
  EXPECT_LE(added, 2 * 4 * 5e-6);
}

TEST(FailureRun, BitErrorsBeginAndEndWithTheFailure) {
  for (const char* const family : {"rocev2", "infiniband"}) {
    const results::RunResults failed = results_of(
        ring(failure("degraded-lanes", "host1/nic0", "width = \"100%\"\nbit_error_rate = 1e-6\nduration = \"400 us\""),
             {"transport.ack_timeout=6"}, family));
    EXPECT_EQ(failed.run.end, results::RunEnd::kFinished) << failed.run.error;
    EXPECT_GT(failed.drops.damaged + failed.nics.at(1).damaged, 0U) << family;
  }
}

TEST(FailureRun, TheSameSeedDrawsTheSameFailures) {
  const std::string drawn = "[[failure]]\nkind = \"link-down\"\nfit = 2000000000000000\nduration = \"100 us\"\n";
  const auto run = [&](std::int64_t seed) {
    return results_of(ring(drawn, {"stop=20 ms", "transport.ack_timeout=6", fmt::format("seed={}", seed)}));
  };
  const results::RunResults one = run(1);
  EXPECT_EQ(one.run.events, run(1).run.events);
  EXPECT_NE(one.run.events, run(2).run.events);
  EXPECT_GT(one.drops.link_down, 0U);
}

// The link is back after 20 ms; four tries of a queue pair, a wait and the exchange last 5.3 ms. So its first four
// connections come to nothing, and the fifth goes on where the operation stood.
TEST(FailureRun, AJobLivesThroughALongFailureIfItsLibraryConnectsAnewAndGoesOnWhenThatSays) {
  const std::string down = failure("nic-port", "host1/nic0", "duration = \"20 ms\"");
  const std::vector<std::string> without{"transport.ack_timeout=8", "transport.retry_count=3",
                                         "routing.reroute_delay=0 s"};
  std::vector<std::string> with = without;
  for (const std::string_view key : {"attempts=5", "wait=1 ms", "interval=1 ms", "exchange=100 us"}) {
    with.push_back(fmt::format("library.reconnect_{}", key));
  }
  const double cycle = 4 * 4.096e-6 * 256 + 1.1e-3;
  for (const std::string_view family : {"rocev2", "rocev1", "infiniband"}) {
    EXPECT_EQ(results_of(ring(down, without, family)).run.end, results::RunEnd::kJobLost) << family;
    const double whole = seconds_of(results_of(ring("", without, family)));
    EXPECT_EQ(seconds_of(results_of(ring("", with, family))), whole) << family;
    const results::RunResults lived = results_of(ring(down, with, family));
    const double resumes = 500e-6 + 4 * cycle;
    ASSERT_GT(resumes, 20.5e-3);
    EXPECT_NEAR(seconds_of(lived), resumes + (whole - 500e-6), 0.15e-3) << family;
    const results::JobRow& job = lived.jobs.at(0);
    EXPECT_GE(job.reconnections, 8U) << family;  // of the two connections of the host, four times
    EXPECT_EQ(job.reconnections % 4, 0U) << family;
    EXPECT_NEAR(job.disconnected.seconds(), 3 * cycle + 1.1e-3, 0.15e-3) << family;
    // One attempt less than it takes.
    std::vector<std::string> fewer = with;
    fewer.emplace_back("library.reconnect_attempts=3");
    const results::RunResults lost = results_of(ring(down, fewer, family));
    EXPECT_EQ(lost.run.end, results::RunEnd::kJobLost) << family;
    EXPECT_NEAR(lost.run.ended_at.since_start().seconds(), 500e-6 + 4 * cycle - 1.1e-3, 0.15e-3) << family;
  }
}

TEST(FailureRun, TheWatchdogDecidesOverALibraryThatWouldConnectAnewForEver) {
  const results::RunResults lost =
      results_of(ring(failure("nic-port", "host1/nic0"),
                      {"transport.ack_timeout=6", "library.reconnect_attempts=1000000", "library.reconnect_wait=1 ms",
                       "library.reconnect_interval=1 ms", "library.watchdog=80 ms"}));
  ASSERT_EQ(lost.run.end, results::RunEnd::kJobLost);
  EXPECT_THAT(lost.run.error, HasSubstr("watchdog"));
  EXPECT_GT(lost.jobs.at(0).reconnections, 2U);
}

// With real bytes every rank has the right sums, however often chunks were sent.
TEST(FailureRun, SumsAreRightAfterQueuePairsWereConnectedAnew) {
  for (const std::string_view at : {"300 us", "431 us", "500 us", "777 us"}) {
    auto scenario = ring(
        fmt::format("[[failure]]\nkind = \"nic-port\"\nselect = \"host1/nic0\"\nat = \"{}\"\n"
                    "duration = \"6 ms\"\n",
                    at),
        {"transport.ack_timeout=6", "transport.retry_count=2", "library.reconnect_attempts=20",
         "library.reconnect_wait=700 us", "library.reconnect_interval=300 us", "library.reconnect_exchange=50 us"});
    ASSERT_TRUE(scenario) << scenario::message_of(scenario);
    Collector collector;
    auto simulation = Simulation::create(*scenario, collector, Payload::kBytes);
    ASSERT_TRUE(simulation) << simulation.error().message;
    collector.watch(**simulation);
    ASSERT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished);
    EXPECT_GT((*simulation)->connection_counts(0).made_anew, 0U);
    const Result<void> right = (*simulation)->check_bytes();
    EXPECT_TRUE(right) << right.error().message;
  }
}

TEST(FailureRun, ConnectingAnewIsOfQueuePairsAloneAndSaysSo) {
  EXPECT_EQ(scenario::message_of(ring("[library]\nreconnect_attempts = 2\n", {}, "rocev2")), "no error");
  for (const std::string_view family : {"tcp", "iwarp", "uet"}) {
    EXPECT_THAT(scenario::message_of(ring("", {"library.reconnect_attempts=2"}, family)),
                HasSubstr("RoCE and InfiniBand alone"));
    // A file that another family is tried on keeps its line, without effect.
    EXPECT_EQ(scenario::message_of(ring("[library]\nreconnect_attempts = 2\n", {}, family)), "no error");
  }
}

}  // namespace
}  // namespace weft::study::run
