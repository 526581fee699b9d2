#include "subnet/manager/timed_subnet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "subnet/manager/test_swept.h"

namespace weft::subnet {
namespace {

const std::string kTwoHosts = "Hca 1 \"H1\"\n[1] \"H2\"[1]\n\nHca 1 \"H2\"\n\n";

constexpr Duration kAgent = Duration::microseconds(10);
const MadTimes kTimes{.switch_agent = kAgent, .hca_agent = kAgent, .cable = Duration::nanoseconds(50)};

/// From a request that leaves H1 until its answer is back, without the manager: at its own agent, and at H2's.
struct RoundTrips {
  Duration own = kAgent;
  // 4x SDR carries 8 Gbps: 290 bytes take 290 ns.
  Duration far = kAgent + (Duration::nanoseconds(290) + kTimes.cable) * 2;
};

// One request at a time: NodeInfo, NodeDescription, PortInfo and two blocks of P_Keys of each host, a LID for each, and
// each port Armed, then Active. Nothing else, for there is no switch. The manager's thread handles an answer while the
// next request is on its way, if there is one: it is waited for after NodeInfo, PortInfo, the last of the P_Keys and
// the LID of each host, and after each round of states.
TEST(TimedSubnet, BringsUpTwoHostsInTheSumOfTheirRoundTrips) {
  ManagerOptions options;
  options.smps.most_on_wire = 1;
  options.mad_time = Duration::microseconds(3);
  const Swept swept(parsed(kTwoHosts), options, kTimes);
  const RoundTrips trip;
  constexpr std::int64_t kEach = 5 + 1 + 2;
  const Duration expected = (trip.own + trip.far) * kEach + options.mad_time * (2 * 4 + 2);
  EXPECT_EQ(swept.last().total_requests(), 2 * kEach);
  EXPECT_EQ((swept.last().end - swept.last().begin).picoseconds(), expected.picoseconds());
}

// Four at a time: what an agent is asked together, it answers one after another, and the manager's thread waits for it.
TEST(TimedSubnet, BringsUpTwoHostsWithFourRequestsUnderWay) {
  ManagerOptions options;
  options.mad_time = Duration::microseconds(3);
  const Swept swept(parsed(kTwoHosts), options, kTimes);
  const RoundTrips trip;
  const Duration thread = options.mad_time;
  // NodeInfo; then NodeDescription and PortInfo together; then two blocks of P_Keys.
  const Duration own = (trip.own + thread) + (trip.own * 2 + thread) + (trip.own * 2 + thread);
  const Duration far = (trip.far + thread) + (trip.far + kAgent + thread) + (trip.far + kAgent + thread);
  const Duration lids = (trip.own + thread) + (trip.far + thread);
  // Both hosts at once: the other's answer comes 680 ns after the own one, and waits for the thread.
  const Duration states = (trip.own + thread * 2) * 2;
  EXPECT_EQ((swept.last().end - swept.last().begin).picoseconds(), (own + far + lids + states).picoseconds());
}

// Each switch on the way takes its time in both directions, and each link sends the MAD anew.
TEST(TimedSubnet, AddsAHopForEachSwitchOnTheWay) {
  const std::string chain =
      "Hca 1 \"H1\"\n[1] \"S1\"[1]\n\nHca 1 \"H2\"\n[1] \"S2\"[1]\n\n"
      "Switch 2 \"S1\"\n[2] \"S2\"[2]\n\nSwitch 2 \"S2\"\n\n";
  ManagerOptions options;
  options.smps.most_on_wire = 1;
  options.mad_time = Duration::zero();
  options.entry_time = Duration::zero();
  const Swept swept(parsed(chain), options, kTimes);
  const Duration hop = Duration::nanoseconds(290) + kTimes.cable;
  const auto trip = [&](std::int64_t hops) {
    return kAgent + hop * (2 * hops) + kTimes.pass * std::max<std::int64_t>(0, 2 * (hops - 1));
  };
  // To H1: NodeInfo, NodeDescription, PortInfo, 2 P_Keys, LID, 2 states. To H2 the same. To a switch: NodeInfo,
  // NodeDescription, SwitchInfo, 3 PortInfo, 1 + 2 * 2 P_Keys, PortStateChange, enforcement, LID, top, block, 2 links,
  // 2 * 2 states.
  constexpr std::int64_t kHost = 8;
  constexpr std::int64_t kSwitch = 1 + 1 + 1 + 3 + 5 + 1 + 1 + 1 + 1 + 1 + 2 + 4;
  const Duration expected = trip(0) * kHost + trip(1) * kSwitch + trip(2) * kSwitch + trip(3) * kHost;
  EXPECT_EQ(swept.last().total_requests(), 2 * kHost + 2 * kSwitch);
  EXPECT_EQ((swept.last().end - swept.last().begin).picoseconds(), expected.picoseconds());
}

// One request at a time, so each waits for the agent that answers it and for no other.
TEST(TimedSubnet, SlowerAgentsDelayTheAnswersOfTheirOwnKindOfNode) {
  const std::string network = "Hca 1 \"H1\"\n[1] \"S1\"[1]\n\nHca 1 \"H2\"\n[1] \"S1\"[2]\n\nSwitch 2 \"S1\"\n\n";
  ManagerOptions options;
  options.smps.most_on_wire = 1;
  constexpr Duration kSlower = Duration::microseconds(100);
  const auto bring_up = [&](Duration of_switch, Duration of_hca) {
    MadTimes times = kTimes;
    times.switch_agent += of_switch;
    times.hca_agent += of_hca;
    const Swept swept(parsed(network), options, times);
    return std::pair(swept.last().end - swept.last().begin, swept.last().total_requests());
  };
  constexpr std::int64_t kHosts = 2 * 8;  // as in the chain above
  const auto [usual, requests] = bring_up(Duration::zero(), Duration::zero());
  const auto others = static_cast<std::int64_t>(requests) - kHosts;
  EXPECT_GT(others, 0);
  EXPECT_EQ(bring_up(Duration::zero(), kSlower).first - usual, kSlower * kHosts);
  EXPECT_EQ(bring_up(kSlower, Duration::zero()).first - usual, kSlower * others);
}

TEST(TimedSubnet, LosesWhatIsOnACableThatIsPulled) {
  TimedSubnet world(parsed(kTwoHosts), kTimes);
  world.add_manager({.node = NodeIndex(0), .port = 1}, {});
  world.start_manager(0, Time::zero());
  world.set_cable({.node = NodeIndex(0), .port = 1}, ServedSubnet::Cable::kUnplugged,
                  Time::zero() + Duration::microseconds(60));
  world.run([&] { return !world.manager(0).sweeps().empty(); }, Time::zero() + Duration::seconds(60));
  ASSERT_FALSE(world.manager(0).sweeps().empty());
  EXPECT_EQ(world.manager(0).sweeps()[0].retried, 3 * world.manager(0).sweeps()[0].failed);
  EXPECT_NE(world.manager(0).sweeps()[0].error, "");
}

TEST(TimedSubnet, ElectsTheHigherPriorityAndTakesOverWhenItIsGone) {
  const Subnet subnet = parsed(fat_tree_text(2, 2, 2));
  TimedSubnet world(subnet, {});
  const PortPlace first{.node = NodeIndex(0), .port = 1};
  const PortPlace second{.node = NodeIndex(3), .port = 1};
  world.add_manager(first, {});
  world.add_manager(second, {.priority = 3});
  world.start_manager(0, Time::zero());
  world.start_manager(1, Time::zero());
  const Time elected = Time::zero() + Duration::seconds(1);
  world.run([] { return false; }, elected);
  EXPECT_EQ(world.manager(0).state(), ManagerState::kStandby);
  EXPECT_EQ(world.manager(1).state(), ManagerState::kMaster);
  world.stop_manager(1, elected);
  world.run([] { return false; }, elected + Duration::seconds(60));
  EXPECT_EQ(world.manager(0).state(), ManagerState::kMaster);
  const std::vector<SweepReport>& sweeps = world.manager(0).sweeps();
  const auto taken = std::ranges::find(sweeps, SweepCause::kTakeover, &SweepReport::cause);
  ASSERT_NE(taken, sweeps.end());
  // Four polls in vain, ten seconds apart.
  EXPECT_GE(taken->begin, elected + Duration::seconds(30));
  EXPECT_LE(taken->begin, elected + Duration::seconds(42));
}

}  // namespace
}  // namespace weft::subnet
