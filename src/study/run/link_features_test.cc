// Trimming, link layer retry and credits as a scenario has them: what is refused, what options follow, what results
// say.
#include <gmock/gmock.h>

#include <algorithm>

#include "study/assembly/build_fabric.h"
#include "study/assembly/build_topology.h"
#include "study/results/summary.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using scenario::message_of;
using scenario::scenario_with;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kIncast =
    "[nic]\nport_rate = \"100 Gbps\"\n[[traffic]]\nkind = \"incast\"\nsize = \"400 kB\"\n";

fabric::EthernetOptions options_of(const Result<scenario::Scenario>& scenario) {
  EXPECT_TRUE(scenario) << message_of(scenario);
  return *assembly::ethernet_options(*scenario, *assembly::build_topology(*scenario));
}

std::uint64_t total(const results::RunResults& results, std::string_view member) {
  const results::Summary summary = results::summarise(results);
  const auto found = std::ranges::find_if(summary.network.totals,
                                          [&](const results::CounterTotal& own) { return own.about.json == member; });
  return found == summary.network.totals.end() ? 0 : found->sum;
}

TEST(LinkFeatures, CreditsBesidePfcOnOnePriorityAreRefusedWithThePlace) {
  EXPECT_THAT(message_of(scenario_with("[ethernet.priority.3]\nlossless = true\ncredits = true\n")),
              AllOf(HasSubstr("test.toml"), HasSubstr("ethernet.priority.3.credits"), HasSubstr("leave one")));
  EXPECT_THAT(message_of(scenario_with(
                  "[[override]]\nselect = \"switch\"\nethernet.priority.3.lossless = true\nethernet.priority.3.credits "
                  "= true\n")),
              HasSubstr("ethernet.priority.3.credits"));
}

TEST(LinkFeatures, TheClassOfTrimmedPacketsHasNoCredits) {
  EXPECT_THAT(message_of(scenario_with(
                  "[ethernet.trimming]\nenabled = true\npriority = 5\n[ethernet.priority.5]\ncredits = true\n")),
              AllOf(HasSubstr("ethernet.trimming.priority"), HasSubstr("choose another")));
}

TEST(LinkFeatures, AQueueWithALimitOfItsOwnIsLossy) {
  EXPECT_THAT(message_of(scenario_with("[ethernet.priority.3]\nlossless = true\negress_limit = \"100 kB\"\n")),
              HasSubstr("ethernet.priority.3.egress_limit"));
}

TEST(LinkFeatures, KeysBecomeOptions) {
  const fabric::EthernetOptions options = options_of(scenario_with(
      "[ethernet]\necn_moment = \"end\"\n[ethernet.trimming]\nenabled = true\nsize = \"96 B\"\npriority = 5\ndscp = "
      "7\nlast_dscp = 9\nvictim = \"coin\"\n[ethernet.llr]\nenabled = true\nbuffer = \"32 kB\"\nreplays = "
      "4\n[ethernet.cbfc]\nunit = \"256 B\"\n[ethernet.priority.2]\negress_limit = \"178450 B\"\n[ethernet.priority.4]"
      "\ncredits = true\ncredit_buffer = \"64 KiB\"\n"));
  const fabric::EthernetPortOptions& port = options.ports.at(0);
  EXPECT_EQ(port.ecn_decision, fabric::EcnDecision::kEnd);
  ASSERT_TRUE(port.trimming);
  EXPECT_EQ(port.trimming->size, Bytes(96));
  EXPECT_EQ(port.trimming->priority, 5);
  EXPECT_EQ(port.trimming->dscp, 7);
  EXPECT_EQ(port.trimming->last_dscp, 9);
  EXPECT_EQ(port.trimming->victim, fabric::TrimmingOptions::Victim::kCoin);
  ASSERT_TRUE(port.retry);
  EXPECT_EQ(port.retry->buffer, Bytes(32'000));
  EXPECT_EQ(port.retry->replays, 4U);
  EXPECT_EQ(port.credit_link.unit, Bytes(256));
  EXPECT_EQ(port.priorities[2].egress_limit, Bytes(178'450));
  ASSERT_TRUE(port.priorities[4].credits);
  EXPECT_EQ(port.priorities[4].credits->buffer, Bytes(65'536));
  EXPECT_EQ(options.frame_gap, Bytes(20));
}

TEST(LinkFeatures, OffMeansNothing) {
  const fabric::EthernetOptions options = options_of(scenario_with(""));
  EXPECT_FALSE(options.ports.at(0).trimming);
  EXPECT_FALSE(options.ports.at(0).retry);
  EXPECT_FALSE(options.ports.at(0).priorities[3].credits);
}

TEST(LinkFeatures, ADegradedDirectionIsThatOfTheSelectedPort) {
  const std::string event =
      "[[event]]\nat = \"0 ns\"\nselect = \"host1/nic0\"\naction = \"degrade\"\nrate = \"100 Gbps\"\n";
  const auto senders = [&](const std::string& more) {
    std::vector<fabric::LinkEvent::Sender> found;
    for (const fabric::LinkEvent& own : options_of(scenario_with(event + more)).events) {
      found.push_back(own.sender);
    }
    return found;
  };
  using Sender = fabric::LinkEvent::Sender;
  EXPECT_EQ(senders(""), std::vector{Sender::kBoth});
  const auto out = senders("direction = \"out\"\n");
  ASSERT_EQ(out.size(), 1U);
  EXPECT_NE(out[0], Sender::kBoth);
}

TEST(LinkFeatures, WithRetryDamagedFramesCostNoRetransmission) {
  const std::string errors = "[link]\npacket_error_rate = \"1%\"\n";
  const results::RunResults bare = results_of(scenario_with(std::string(kIncast) + errors));
  EXPECT_GT(results::summarise(bare).network.retransmitted, 0U);
  EXPECT_EQ(total(bare, "replays"), 0U);
  const results::RunResults retried =
      results_of(scenario_with(std::string(kIncast) + errors + "[ethernet.llr]\nenabled = true\nreplays = 20\n"));
  EXPECT_EQ(results::summarise(retried).network.retransmitted, 0U);
  EXPECT_GT(total(retried, "replays"), 0U);
  EXPECT_GE(total(retried, "replayed"), total(retried, "replays"));
  EXPECT_EQ(retried.drops.total(), 0U);
}

TEST(LinkFeatures, CreditsCarryAnIncastWithoutADrop) {
  const results::RunResults results =
      results_of(scenario_with(std::string(kIncast) + "[ethernet.priority.3]\nlossless = false\ncredits = true\n"));
  EXPECT_EQ(results.run.lossless, results::Lossless::kCredits);
  EXPECT_EQ(results.drops.total(), 0U);
  EXPECT_EQ(results::summarise(results).network.retransmitted, 0U);
  EXPECT_GT(*results::summarise(results).network.held, Duration::zero());
  const bool said =
      std::ranges::any_of(results.ports, [](const results::PortRow& row) { return row.credits_sent > 0; });
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace weft::study::run
