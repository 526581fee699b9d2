// A run that jumps over what repeats beside one that goes through all of it.
#include "study/run/steady_rounds.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <tuple>

#include "base/random.h"
#include "study/run/flow_simulation.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

using Repeats = FlowSimulation::Options::Repeats;

/// Records of collectives, and messages of all else; by their names.
struct Seen final : workload::MessageSink {
  void on_message(const workload::MessageRecord& record) override {
    if (record.flow.job != collective) {
      ++messages[{record.flow.job.value(), record.posted, record.finished}];
    }
    ++count;
  }
  void on_collective(const workload::CollectiveRecord& record) override {
    EXPECT_TRUE(operations.emplace(std::pair{record.rank, record.iteration}, record).second);
  }
  workload::JobId collective{0};  // the first traffic is
  std::map<std::pair<workload::RankId, std::uint32_t>, workload::CollectiveRecord> operations;
  std::map<std::tuple<std::uint32_t, Time, Time>, int> messages;
  std::uint64_t count = 0;  // of messages
  std::uint64_t rounds = 0;
  std::uint64_t left_out = 0;
  Bytes sent;
  Simulation::End end{};
  Time ended_at;
};

Seen run(const scenario::Scenario& scenario, Repeats repeats) {
  Seen seen;
  const auto made = FlowSimulation::create(scenario, seen, {.repeats = repeats});
  EXPECT_TRUE(made) << made.error().message;
  seen.end = (*made)->run([](const Progress&) { return true; });
  seen.ended_at = (*made)->ended_at();
  seen.rounds = (*made)->jumped(0).rounds;
  seen.left_out = (*made)->jumped(0).operations;
  for (std::uint32_t rank = 0; rank < (*made)->jobs().front().rank_endpoints.size(); ++rank) {
    const TierBytes bytes = (*made)->collective_bytes(0, rank);
    seen.sent += bytes.scale_out + bytes.scale_up;
  }
  return seen;
}

scenario::Scenario parse(const std::string& text) {
  auto parsed = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                         scenario::test_catalogue());
  EXPECT_TRUE(parsed) << parsed.error().message << text;
  return *parsed;
}

void expect_same(const Seen& jumped, const Seen& stepped) {
  // Each time that repeats does so up to two picoseconds.
  const Duration slack = Duration::picoseconds(10 + 2 * static_cast<std::int64_t>(jumped.rounds + jumped.left_out));
  const auto near = [slack](Time a, Time b) { return a - b <= slack && b - a <= slack; };
  EXPECT_EQ(jumped.end, stepped.end);
  EXPECT_TRUE(near(jumped.ended_at, stepped.ended_at)) << jumped.ended_at << " " << stepped.ended_at;
  EXPECT_EQ(jumped.sent, stepped.sent);
  ASSERT_EQ(jumped.operations.size(), stepped.operations.size());
  for (const auto& [name, record] : stepped.operations) {
    const auto found = jumped.operations.find(name);
    ASSERT_NE(found, jumped.operations.end()) << name.first.value() << " " << name.second;
    EXPECT_TRUE(near(found->second.started, record.started)) << found->second.started << " " << record.started;
    EXPECT_TRUE(near(found->second.finished, record.finished)) << found->second.finished << " " << record.finished;
  }
  ASSERT_EQ(jumped.messages.size(), stepped.messages.size());
  auto other = jumped.messages.begin();
  for (const auto& [name, count] : stepped.messages) {
    EXPECT_TRUE(near(std::get<1>(other->first), std::get<1>(name)));
    EXPECT_TRUE(near(std::get<2>(other->first), std::get<2>(name)));
    ++other;
  }
}

/// What is drawn of a regular schedule, of what runs beside it, and of the network below both.
std::string random_scenario(RandomStream& random) {
  const auto one_of = [&random](auto... values) {
    const std::array<std::string_view, sizeof...(values)> all{values...};
    return all[random.uniform(all.size())];
  };
  std::string text =
      fmt::format("fidelity = \"flow\"\nseed = {}\n{}[fabric]\nfamily = \"{}\"\n[topology]\n{}\n", random.uniform(100),
                  one_of("", "", "", "stop = \"4 ms\"\n"), one_of("infiniband", "rocev2"),
                  one_of("kind = \"single-switch\"\nhosts = 42", "kind = \"single-switch\"\nhosts = 17",
                         "kind = \"leaf-spine\"\nleaves = 2\nhosts_per_leaf = 17\nspines = 17",
                         "kind = \"leaf-spine\"\nleaves = 3\nhosts_per_leaf = 7\nspines = 1"));
  text += fmt::format(
      "[collectives]\nprofile = \"{}\"\nqueue_pairs = {}\nqueue_pair_use = \"{}\"\nchunk = \"{}\"\n"
      "buffer = \"{}\"\n{}",
      one_of("ideal", "h100-cx7"), one_of("1", "2"), one_of("round-robin", "split"), one_of("64 KiB", "512 KiB"),
      one_of("1 MiB", "4 MiB"), one_of("", "reduce_rate = \"200 Gbps\"\n"));
  text += fmt::format(
      "[[traffic]]\nname = \"ring\"\nkind = \"collective\"\ncollective = \"{}\"\nsize = \"{}\"\ncount = {}\n",
      one_of("all-reduce\"\nalgorithm = \"ring", "reduce-scatter\"\nalgorithm = \"ring",
             "all-reduce\"\nalgorithm = \"tree", "all-to-all\"\nalgorithm = \"direct"),
      one_of("8568 KiB", "2142 KiB", "999600 B"), one_of("1", "2", "40"));
  if (random.uniform(2) == 0) {
    text += fmt::format(
        "[[traffic]]\nname = \"other\"\nkind = \"flows\"\nsources = [\"host0\"]\ndestinations = [\"host3\"]\n"
        "size = \"300 kB\"\ncount = {}\nstart = \"{}\"\n",
        one_of("1", "7"), one_of("0 us", "700 us", "2 ms", "3 ms"));
  }
  return text;
}

TEST(SteadyRounds, AJumpTakesTheTimeOfAllThatItLeavesOut) {
  std::uint64_t in_rounds = 0;
  std::uint64_t in_operations = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    RandomStream random(seed, "steady rounds");
    const std::string text = random_scenario(random);
    SCOPED_TRACE(text);
    const scenario::Scenario scenario = parse(text);
    const Seen jumped = run(scenario, Repeats::kAreJumpedOver);
    const Seen stepped = run(scenario, Repeats::kAreRun);
    expect_same(jumped, stepped);
    EXPECT_EQ(stepped.rounds + stepped.left_out, 0U);
    in_rounds += jumped.rounds > 0 ? 1 : 0;
    in_operations += jumped.left_out > 0 ? 1 : 0;
  }
  EXPECT_GE(in_rounds, 3U) << in_operations;
  EXPECT_GE(in_operations, 3U) << in_rounds;
}

constexpr std::string_view kRing =
    "fidelity = \"flow\"\n[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"single-switch\"\nhosts = 64\n"
    "[[traffic]]\nname = \"ring\"\nkind = \"collective\"\nsize = \"64 MiB\"\nalgorithm = \"ring\"\n";

TEST(SteadyRounds, MostOfARingIsNotRunMessageByMessage) {
  const scenario::Scenario scenario = parse(std::string(kRing));
  const Seen jumped = run(scenario, Repeats::kAreJumpedOver);
  const Seen stepped = run(scenario, Repeats::kAreRun);
  expect_same(jumped, stepped);
  EXPECT_GT(jumped.rounds, 90U);                                    // of 126
  EXPECT_EQ(jumped.count + jumped.rounds * 64 * 2, stepped.count);  // two chunks each
}

// What begins in the midst is met where it is, and behind it the ring is jumped over again.
TEST(SteadyRounds, OtherTrafficBreaksAJumpOff) {
  const scenario::Scenario scenario =
      parse(std::string(kRing) +
            "count = 2\n[[traffic]]\nname = \"other\"\nkind = \"flows\"\nsources = [\"host5\"]\n"
            "destinations = [\"host9\"]\nsize = \"64 kB\"\nstart = \"1 ms\"\n");
  const Seen jumped = run(scenario, Repeats::kAreJumpedOver);
  const Seen stepped = run(scenario, Repeats::kAreRun);
  const Seen alone = run(parse(std::string(kRing) + "count = 2\n"), Repeats::kAreJumpedOver);
  expect_same(jumped, stepped);
  EXPECT_GT(jumped.rounds, 90U);
  EXPECT_LT(jumped.rounds, alone.rounds);
  EXPECT_GT(jumped.ended_at, alone.ended_at);
}

// Paths that differ in length, and what lags behind on them for many rounds.
TEST(SteadyRounds, ARingOverSeveralLeavesRepeatsOnceLagsHaveSpread) {
  std::string text(kRing);
  const std::string_view one_switch = "kind = \"single-switch\"\nhosts = 64\n";
  text.replace(text.find(one_switch), one_switch.size(),
               "kind = \"rail-optimised\"\nhosts = 64\nnics_per_host = 1\nhosts_per_leaf = 16\nspines = 16\n"
               "[transport]\nack_interval = 64\n"
               "[collectives]\nprofile = \"h100-cx7\"\n");
  const scenario::Scenario scenario = parse(text);
  const Seen jumped = run(scenario, Repeats::kAreJumpedOver);
  EXPECT_GT(jumped.rounds, 60U);  // of 126
  expect_same(jumped, run(scenario, Repeats::kAreRun));
}

// Segments that differ by an element are no rounds that are alike.
TEST(SteadyRounds, UnequalPiecesAreRun) {
  scenario::Scenario scenario = parse(std::string(kRing));
  scenario.traffic.front().size = scenario.traffic.front().size + Bytes(4);
  const Seen jumped = run(scenario, Repeats::kAreJumpedOver);
  EXPECT_EQ(jumped.rounds, 0U);
  expect_same(jumped, run(scenario, Repeats::kAreRun));
}

}  // namespace
}  // namespace weft::study::run
