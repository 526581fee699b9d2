// What attackers reach: each attack succeeds against a network that does not resist it and fails against one that does,
// its packets add up, and guesses hit as often as they must.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using testing::HasSubstr;

/// Two rings over eight hosts of two leaves; the attacker is in the second.
constexpr std::string_view kNetwork = R"(hardware = "equal"
stop = "2 ms"
[topology]
kind = "leaf-spine"
hosts = 8
hosts_per_leaf = 4
spines = 2
[link]
rate = "100 Gbps"
[transport]
ack_timeout = 4
[[traffic]]
name = "victim"
kind = "collective"
collective = "all-reduce"
algorithm = "ring"
sources = ["host0", "host1", "host4", "host5"]
size = "256 KiB"
count = 4
[[traffic]]
name = "neighbour"
kind = "collective"
collective = "all-reduce"
algorithm = "ring"
sources = ["host2", "host3", "host6", "host7"]
size = "256 KiB"
count = 10
)";

Result<scenario::Scenario> attacked(std::string_view family, std::string_view attack,
                                    std::vector<std::string> settings = {}) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = std::move(settings);
  return scenario::parse_scenario(
      fmt::format("{}[[attack]]\nfrom = \"host3\"\nvictim = \"host0\"\n{}\n[fabric]\nfamily = \"{}\"\n", kNetwork,
                  attack, family),
      request, scenario::test_catalogue());
}

struct Attacked {
  results::RunResults results;
  results::AttackRow row;
};

/// Every packet is accounted for.
Attacked run(std::string_view family, std::string_view attack, std::vector<std::string> settings = {}) {
  Attacked done{.results = results_of(attacked(family, attack, std::move(settings))), .row = {}};
  EXPECT_EQ(done.results.attacks.size(), 1U);
  done.row = done.results.attacks.at(0);
  const results::AttackRow& row = done.row;
  EXPECT_EQ(row.sent, row.accepted + row.refused() + row.lost);
  EXPECT_GT(row.sent, 0U);
  EXPECT_EQ(row.arrived + row.switch_address + row.switch_partition + row.lost, row.sent);
  return done;
}

bool loses_job(const Attacked& done) { return done.results.run.end == results::RunEnd::kJobLost; }

constexpr std::string_view kWrites = "kind = \"forged-r-key\"\nstart = \"20 us\"\nguess = \"sequential\"\n";

TEST(AttackRun, ANextKeyThatIsKnownIsWrittenTo) {
  for (const std::string_view family : {"rocev2", "infiniband", "uet"}) {
    const Attacked done = run(family, kWrites, {"keys.r_keys=sequential"});
    EXPECT_GE(done.row.accepted, 1U) << family;
    EXPECT_EQ(done.row.bytes_written, Bytes(64) * static_cast<std::int64_t>(done.row.accepted)) << family;
  }
}

TEST(AttackRun, ARandomKeyIsMissedAndAWrongOneBreaksTheConnectionOfReliableTransports) {
  for (const std::string_view family : {"rocev2", "infiniband"}) {
    const Attacked done = run(family, kWrites);
    EXPECT_EQ(done.row.accepted, 0U) << family;
    EXPECT_GE(done.row.remote_key, 1U) << family;
    EXPECT_EQ(done.row.queue_pairs_broken, done.row.remote_key) << family;
    EXPECT_TRUE(loses_job(done)) << family;
    EXPECT_EQ(done.row.bytes_written, Bytes::zero()) << family;
  }
  const Attacked done = run("uet", kWrites);
  EXPECT_EQ(done.row.accepted, 0U);
  EXPECT_GE(done.row.remote_key, 1U);
}

TEST(AttackRun, LeavesThatCheckSourcesAndAuthenticatedPacketsLetNoForgedWriteThrough) {
  const Attacked checked = run("rocev2", kWrites, {"keys.r_keys=sequential", "keys.source_check=true"});
  EXPECT_EQ(checked.row.switch_address + checked.row.lost, checked.row.sent);
  EXPECT_FALSE(loses_job(checked));
  const Attacked tss = run("uet", kWrites, {"keys.r_keys=sequential", "uet.security=tss"});
  EXPECT_EQ(tss.row.authentication + tss.row.lost, tss.row.sent);
  EXPECT_EQ(tss.row.bytes_written, Bytes::zero());
}

TEST(AttackRun, AnotherPartitionIsRefusedByTheNicAndAKnownPartitionByTheSwitch) {
  constexpr std::string_view kGuess = "kind = \"forged-p-key\"\nstart = \"20 us\"\n";
  constexpr std::string_view kKnown =
      "kind = \"forged-p-key\"\nstart = \"20 us\"\nknows = [\"qpn\", \"psn\", \"r-key\", \"p-key\"]\n";
  for (const std::string_view family : {"rocev2", "infiniband"}) {
    const Attacked guessed = run(family, kGuess, {"keys.partitions=per-job"});
    EXPECT_EQ(guessed.row.accepted, 0U) << family;
    EXPECT_EQ(guessed.row.partition + guessed.row.lost, guessed.row.sent) << family;
    EXPECT_FALSE(loses_job(guessed)) << family;
    const Attacked known = run(family, kKnown, {"keys.partitions=per-job"});
    EXPECT_GE(known.row.accepted, 1U) << family;
    const Attacked all_alike = run(family, kKnown);
    EXPECT_GE(all_alike.row.accepted, 1U) << family;
  }
  const Attacked enforced = run("infiniband", kKnown, {"keys.partitions=per-job", "keys.switch_enforcement=true"});
  EXPECT_EQ(enforced.row.switch_partition + enforced.row.lost, enforced.row.sent);
  EXPECT_FALSE(loses_job(enforced));
}

// Where everything is as it was but for the partitions' numbers, nothing changes.
TEST(AttackRun, PartitionsCostGenuineTrafficNothing) {
  constexpr std::string_view kCnp = "kind = \"cnp-flood\"\nstart = \"20 us\"\n";
  const auto quiet = [&](std::vector<std::string> settings) {
    settings.push_back("keys.attacks=false");
    return results_of(attacked("infiniband", kCnp, std::move(settings)));
  };
  const results::RunResults plain = quiet({});
  const results::RunResults parted = quiet({"keys.partitions=per-job", "keys.switch_enforcement=true"});
  EXPECT_EQ(plain.run.ended_at, parted.run.ended_at);
  EXPECT_EQ(plain.run.events, parted.run.events);
  EXPECT_TRUE(plain.attacks.empty());
}

// A guess is taken if it falls on the next packet, or into the window in front of it that a receiver keeps: with a
// window of W of 2^B numbers, N guesses hit N W / 2^B times, give or take five standard deviations.
void expect_hits(const results::AttackRow& row, double probability) {
  const auto guesses = static_cast<double>(row.sent - row.lost);
  const double expected = guesses * probability;
  EXPECT_GT(expected, 25);
  EXPECT_NEAR(static_cast<double>(row.accepted), expected, 5 * std::sqrt(expected)) << row.sent << " sent";
}

constexpr std::string_view kGuesses = "kind = \"psn-guess\"\nstart = \"400 us\"\nrate = 20000000\n";

TEST(AttackRun, GuessesOfAPsnHitAsOftenAsTheWindowIsWide) {
  const Attacked done = run("rocev2", kGuesses,
                            {"transport.loss_recovery=selective-repeat", "transport.loss_detection=time",
                             "nic.reorder_packets=65535", "transport.flight_packets=65536", "traffic[1].count=40"});
  expect_hits(done.row, 65'536 / std::exp2(24));
}

TEST(AttackRun, GuessesOfAMessageNumberHitAsOftenAsAResponderKeepsMessages) {
  const Attacked done = run("uet", kGuesses,
                            {"traffic[0].count=10", "traffic[0].size=1 MiB", "traffic[1].size=1 MiB",
                             "attack[0].start=0 s", "attack[0].rate=5000000"});
  expect_hits(done.row, 1'024 / std::exp2(16));
}

TEST(AttackRun, HalfOfTheGuessesAreBehindTheNextPsnAndHalfAhead) {
  const Attacked done = run("rocev2", kGuesses, {"traffic[1].count=20"});
  const auto guesses = static_cast<double>(done.row.ahead + done.row.behind);
  EXPECT_GT(guesses, 1'000);
  EXPECT_NEAR(static_cast<double>(done.row.ahead), guesses / 2, 5 * std::sqrt(guesses) / 2);
}

constexpr std::string_view kNotices = "kind = \"cnp-flood\"\nrate = 500000\n";

TEST(AttackRun, ForgedNotificationsSlowTheVictimDownUnlessTheyAreLimitedOrRefused) {
  const std::vector<std::string> dcqcn = {"congestion_control.algorithm=dcqcn"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), dcqcn.begin(), dcqcn.end());
    return more;
  };
  const results::RunResults quiet = results_of(attacked("rocev2", kNotices, with({"keys.attacks=false"})));
  const Attacked flooded = run("rocev2", kNotices, with({}));
  EXPECT_GT(flooded.row.throttled, 1_ms);
  const auto victims_steps = [](const results::RunResults& results) {
    return std::ranges::count_if(results.collectives, [](const workload::CollectiveRecord& record) {
      return record.job.value() == 0 && !record.finished.is_never();
    });
  };
  EXPECT_EQ(victims_steps(quiet), 4 * 4);
  EXPECT_LT(victims_steps(flooded.results), victims_steps(quiet));
  const Attacked limited = run("rocev2", kNotices, with({"keys.cnp_limit=1 ms"}));
  EXPECT_GT(limited.row.limit, 0U);
  EXPECT_GT(victims_steps(limited.results), victims_steps(flooded.results));
  const Attacked refused = run("rocev2", kNotices, with({"keys.source_check=true"}));
  EXPECT_EQ(refused.row.switch_address + refused.row.lost, refused.row.sent);
  EXPECT_EQ(victims_steps(refused.results), victims_steps(quiet));
}

TEST(AttackRun, ANotificationNeedsAQueuePairAndItsPartition) {
  const std::vector<std::string> dcqcn = {"congestion_control.algorithm=dcqcn"};
  const auto knowing = [&](std::string_view fields) {
    return run("rocev2", fmt::format("{}knows = [{}]\n", kNotices, fields), dcqcn).row;
  };
  const results::AttackRow nothing = knowing("\"p-key\"");
  EXPECT_EQ(nothing.queue_pair + nothing.lost, nothing.sent);
  EXPECT_EQ(nothing.throttled, Duration::zero());
  const results::AttackRow number = knowing("\"qpn\"");
  EXPECT_GT(number.partition, number.sent * 9 / 10);
  const results::AttackRow both = knowing("\"qpn\", \"p-key\"");
  EXPECT_EQ(both.accepted + both.lost + both.queue_pair, both.sent);
  EXPECT_GT(both.accepted, 0U);
}

constexpr std::string_view kPauses = "kind = \"pause-flood\"\nstart = \"50 us\"\nstop = \"1 ms\"\nrate = 20000\n";

TEST(AttackRun, ForgedPausesHoldTheAttackersPortUntilTheWatchdogGivesUp) {
  // Attacked from its start to its stop, and one pause of 65,535 quanta of 512 bit times longer.
  const Attacked done = run("rocev2", kPauses, {"transport.ack_timeout=10"});
  EXPECT_GT(done.row.accepted, 0U);
  EXPECT_GT(done.row.paused, 900_us);
  const Attacked watched = run("rocev2", kPauses, {"transport.ack_timeout=10", "ethernet.watchdog_detect=100 us"});
  EXPECT_LT(watched.row.paused, 400_us);
}

TEST(AttackRun, WhatAFamilyCannotSufferIsSaidAndNothingIsSent) {
  const results::RunResults stated = results_of(attacked("rocev2", kPauses, {"fabric.family=infiniband"}));
  ASSERT_EQ(stated.attacks.size(), 1U);
  EXPECT_THAT(stated.attacks[0].not_possible, HasSubstr("no pause frames"));
  EXPECT_EQ(stated.attacks[0].sent, 0U);
  EXPECT_THAT(scenario::message_of(attacked("infiniband", kPauses)),
              HasSubstr("attack[0].kind: 'pause-flood' is not possible with family \"infiniband\": InfiniBand has no"));
}

TEST(AttackRun, AnAddressThatIsClaimedDivertsTheVictimsPackets) {
  constexpr std::string_view kClaims = "kind = \"gid-spoof\"\nstart = \"20 us\"\nrate = 10000\n";
  for (const std::string_view family : {"rocev2", "uet"}) {
    const Attacked done = run(family, kClaims);
    EXPECT_GT(done.row.accepted, 0U) << family;
    EXPECT_GT(done.row.diverted, 0U) << family;
    const Attacked checked = run(family, kClaims, {"keys.source_check=true"});
    EXPECT_EQ(checked.row.switch_address + checked.row.lost, checked.row.sent) << family;
    EXPECT_EQ(checked.row.diverted, 0U) << family;
    EXPECT_FALSE(loses_job(checked)) << family;
  }
  EXPECT_THAT(scenario::message_of(attacked("infiniband", kClaims)), HasSubstr("no host announces its own"));
}

TEST(AttackRun, AQueueKeyThatIsKnownFillsTheReceiveQueueAndOneThatIsGuessedDoesNot) {
  constexpr std::string_view kGuess = "kind = \"forged-q-key\"\nstart = \"20 us\"\n";
  constexpr std::string_view kKnown = "kind = \"forged-q-key\"\nstart = \"20 us\"\nknows = [\"qpn\", \"q-key\"]\n";
  for (const std::string_view family : {"rocev2", "infiniband", "uet"}) {
    const Attacked guessed = run(family, kGuess);
    EXPECT_EQ(guessed.row.queue_key + guessed.row.lost, guessed.row.sent) << family;
    const Attacked known = run(family, kKnown);
    EXPECT_EQ(known.row.accepted + known.row.lost, known.row.sent) << family;
  }
}

TEST(AttackRun, AResetEndsASessionOnlyWithItsSequenceNumberAndFromNearEnough) {
  constexpr std::string_view kResets = "kind = \"bgp-spoof\"\nstart = \"20 us\"\nrate = 100000\n";
  const std::vector<std::string> bgp = {"control.kind=bgp"};
  const auto with = [&](const std::string& setting) { return std::vector<std::string>{bgp[0], setting}; };
  const Attacked done = run("rocev2", kResets, bgp);
  EXPECT_GE(done.row.sessions_broken, 1U);
  const Attacked blind = run("rocev2", kResets, with("attack[0].knows=[]"));
  EXPECT_EQ(blind.row.sessions_broken, 0U);
  EXPECT_EQ(blind.row.ahead + blind.row.lost, blind.row.sent);
  const Attacked password = run("rocev2", kResets, with("keys.bgp_password=true"));
  EXPECT_EQ(password.row.switch_key + password.row.lost, password.row.sent);
  const Attacked near = run("rocev2", kResets, with("keys.bgp_ttl_security=true"));
  EXPECT_GE(near.row.sessions_broken, 1U) << "a host of the leaf is no hop away";
  const Attacked far = run("rocev2", kResets, {bgp[0], "keys.bgp_ttl_security=true", "attack[0].from=host7"});
  EXPECT_EQ(far.row.switch_key + far.row.lost, far.row.sent);
  EXPECT_THAT(scenario::message_of(attacked("rocev2", kResets)), HasSubstr("set control.kind = \"bgp\""));
}

TEST(AttackRun, ForwardingTablesAreWrittenOnlyWithoutAnMKey) {
  constexpr std::string_view kTables = "kind = \"rogue-sm\"\nstart = \"20 us\"\nrate = 10000\n";
  const Attacked done = run("infiniband", kTables);
  EXPECT_GT(done.row.diverted, 0U);
  const Attacked keyed = run("infiniband", kTables, {"keys.m_key=true"});
  EXPECT_EQ(keyed.row.switch_key + keyed.row.lost, keyed.row.sent);
  EXPECT_EQ(keyed.row.diverted, 0U);
  EXPECT_FALSE(loses_job(keyed));
}

constexpr std::string_view kQuestions = "kind = \"forged-sm-key\"\nstart = \"20 us\"\nrate = 50000\n";

/// The manager is at host0, so another host is attacked.
Attacked ask(std::vector<std::string> settings, std::string_view attack = kQuestions) {
  settings.emplace_back("attack[0].victim=host1");
  return run("infiniband", attack, std::move(settings));
}

TEST(AttackRun, AnMKeyThatIsToldToWhoKnowsTheDefaultSmKeyProtectsNothing) {
  const Attacked done = ask({"keys.m_key=true"});
  EXPECT_EQ(done.row.sm_key + done.row.switch_key, 0U);
  EXPECT_GE(done.row.accepted, 2U) << "an answer, and a table";
  EXPECT_GT(done.row.diverted, 0U);
}

TEST(AttackRun, SubnetAdministrationWithAnSmKeyOfItsOwnTellsNoMKey) {
  const Attacked done = ask({"keys.m_key=true", "keys.sa_key=true"});
  EXPECT_EQ(done.row.accepted, 0U);
  EXPECT_EQ(done.row.diverted, 0U);
  EXPECT_FALSE(loses_job(done));
  // In turn: discarded, answered with an M_Key of 0, and that refused by the switch.
  EXPECT_GT(done.row.sm_key, 4U);
  EXPECT_NEAR(static_cast<double>(done.row.untrusted), static_cast<double>(done.row.sm_key), 2);
  EXPECT_NEAR(static_cast<double>(done.row.switch_key), static_cast<double>(done.row.untrusted), 2);
  EXPECT_EQ(done.row.sm_key + done.row.untrusted + done.row.switch_key + done.row.lost, done.row.sent);
}

TEST(AttackRun, AnSmKeyThatIsKnownOrAnMKeyThatIsNotSetIsEnough) {
  const Attacked known = ask({"keys.m_key=true", "keys.sa_key=true", "attack[0].knows=[\"sm-key\"]"});
  EXPECT_EQ(known.row.sm_key, 0U);
  EXPECT_GT(known.row.diverted, 0U);
  const Attacked open = ask({"keys.sa_key=true"});
  EXPECT_GT(open.row.untrusted, 0U) << "an M_Key of 0, which is right";
  EXPECT_GT(open.row.diverted, 0U);
}

// A request takes 400 ns through one switch, so does its answer: nothing but requests leaves within 500 ns.
TEST(AttackRun, AskingForKeysTakesTheTimeOfARequestAndItsAnswer) {
  constexpr std::string_view kBrief =
      "kind = \"forged-sm-key\"\nstart = \"20 us\"\nstop = \"20500 ns\"\nrate = 10000000\n";
  const Attacked brief = ask({"keys.m_key=true"}, kBrief);
  EXPECT_GE(brief.row.sent, 2U);
  EXPECT_GE(brief.row.accepted, 1U);
  EXPECT_GE(brief.row.untrusted, 1U);
  EXPECT_EQ(brief.row.switch_key, 0U);
  EXPECT_EQ(brief.row.diverted, 0U);
}

TEST(AttackRun, WhoCannotOrNeedNotAskForKeysIsRefused) {
  const auto message = [](std::string_view family, std::vector<std::string> settings) {
    const Result<scenario::Scenario> made = attacked(family, kQuestions, std::move(settings));
    if (!made) {
      return made.error().message;
    }
    Collector collector;
    const auto simulation = Simulation::create(*made, collector);
    return simulation ? std::string("no error") : simulation.error().message;
  };
  EXPECT_THAT(message("rocev2", {}), HasSubstr("no subnet administration"));
  EXPECT_THAT(message("infiniband", {"attack[0].from=host0", "attack[0].victim=host1"}),
              HasSubstr("the subnet manager is at host0, and knows all keys"));
  EXPECT_THAT(scenario::message_of(attacked("rocev2", "kind = \"forged-q-key\"\n", {"keys.sa_key=true"})),
              HasSubstr("is of InfiniBand"));
  EXPECT_THAT(scenario::message_of(attacked("infiniband", kQuestions, {"attack[0].guess=sequential"})),
              HasSubstr("attack[0].guess"));
}

TEST(AttackRun, TheSameSeedGivesTheSameAttack) {
  const Attacked first = run("rocev2", kGuesses);
  const Attacked second = run("rocev2", kGuesses);
  EXPECT_EQ(first.row, second.row);
  EXPECT_EQ(first.results.run.events, second.results.run.events);
  EXPECT_EQ(first.results.run.ended_at, second.results.run.ended_at);
}

TEST(AttackRun, WrongInputSaysWhatWouldBeRight) {
  const auto message = [](std::string_view attack, std::vector<std::string> settings = {}) {
    const Result<scenario::Scenario> made = attacked("rocev2", attack, std::move(settings));
    if (!made) {
      return made.error().message;
    }
    Collector collector;
    const auto simulation = Simulation::create(*made, collector);
    return simulation ? std::string("no error") : simulation.error().message;
  };
  EXPECT_THAT(message("kind = \"cnp-flod\""), HasSubstr("cnp-flood"));
  EXPECT_THAT(message(kNotices, {"attack[0].victim=host3"}), HasSubstr("attacks itself"));
  EXPECT_THAT(message(kNotices, {"attack[0].victim=host9"}), HasSubstr("no host or port 'host9'"));
  EXPECT_THAT(message(kNotices, {"attack[0].from=hots3"}), HasSubstr("no host or port 'hots3'"));
  EXPECT_THAT(message(kNotices, {"attack[0].start=3 ms", "attack[0].stop=1 ms"}), HasSubstr("the attack starts at"));
  EXPECT_THAT(message("kind = \"gid-spoof\"", {"attack[0].from=host7"}), HasSubstr("name a host of the victim's leaf"));
  EXPECT_THAT(message(kNotices, {"keys.switch_enforcement=true"}),
              HasSubstr("switches of Ethernet do not read P_Keys"));
  EXPECT_THAT(message(kNotices, {"keys.m_key=true"}), HasSubstr("is of InfiniBand"));
  EXPECT_THAT(message(kNotices, {"attack[0].rate=0"}), HasSubstr("1 to 1000000000"));
}

// The least index of the table becomes its last: a packet waits for 127 times its own time after each.
TEST(AttackRun, CongestionControlIsSetOnlyWithoutACcKey) {
  constexpr std::string_view kSettings = "kind = \"rogue-cc\"\nstart = \"20 us\"\nrate = 100000\n";
  const std::vector<std::string> controlled{"congestion_control.algorithm=ib-cc", "keys.attacks=true"};
  const auto with = [&](const std::string& setting) {
    return std::vector<std::string>{controlled[0], controlled[1], setting};
  };
  const Attacked done = run("infiniband", kSettings, controlled);
  EXPECT_GT(done.row.accepted, 0U);
  EXPECT_EQ(done.row.accepted + done.row.lost, done.row.sent);
  EXPECT_GT(done.row.throttled, Duration::milliseconds(1));
  const Attacked keyed = run("infiniband", kSettings, with("keys.cc_key=true"));
  EXPECT_EQ(keyed.row.switch_key + keyed.row.lost, keyed.row.sent);
  EXPECT_EQ(keyed.row.throttled, Duration::zero());
  const auto messages = [](const Attacked& one) {
    return std::ranges::count_if(
        one.results.messages, [](const results::MessageRow& row) { return row.record.flow.job == workload::JobId(0); });
  };
  EXPECT_LT(2 * messages(done), messages(keyed));
  EXPECT_THAT(scenario::message_of(attacked("infiniband", kSettings)),
              HasSubstr("congestion_control.algorithm = \"ib-cc\""));
  EXPECT_THAT(scenario::message_of(attacked("rocev2", kSettings)), HasSubstr("no packet of another host changes it"));
}

// A rate of bits counts what is on the wire: 10 Gb/s of MADs of 256 bytes with their headers.
TEST(AttackRun, ARateInBitsASecondCountsWhatIsOnTheWire) {
  constexpr std::string_view kSettings =
      "kind = \"rogue-sm\"\nstart = \"100 us\"\nstop = \"600 us\"\nbandwidth = \"10 Gbps\"\n";
  // The attacker's host sends nothing of its own meanwhile.
  const Attacked done = run("infiniband", kSettings, {"keys.m_key=true", "traffic[1].start=1 ms"});
  const double each = 256 + 8 + 12 + 8 + 4 + 2;  // LRH, BTH, DETH, ICRC, VCRC
  const double expected = 500e-6 * 10e9 / 8 / each;
  EXPECT_NEAR(static_cast<double>(done.row.sent), expected, expected / 20);
  EXPECT_THAT(scenario::message_of(attacked("infiniband", kSettings, {"attack[0].rate=7"})),
              HasSubstr("attack[0].bandwidth: stands in place of rate"));
}

}  // namespace
}  // namespace weft::study::run
