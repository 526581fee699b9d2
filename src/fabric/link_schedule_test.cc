#include "fabric/link_schedule.h"

#include <gtest/gtest.h>

#include <vector>

#include "fabric/topology/single_switch.h"

namespace weft::fabric {
namespace {

/// A switch with two hosts, whose cables go as a schedule says.
class Cables {
 public:
  explicit Cables(const std::vector<LinkEvent>& events)
      : graph_(build_graph(SingleSwitchOptions{.hosts = 2}).value()), routes_(graph_), schedule_(events) {}

  /// Does what is due, up to `until`.
  void run(Time until) {
    while (schedule_.next() <= until) {
      schedule_.run_due(
          schedule_.next(), routes_,
          [this](const LinkEvent& event) {
            kinds.push_back(event.kind);
            down_ = event.kind == LinkEvent::Kind::kFail || (event.kind == LinkEvent::Kind::kDegrade && down_);
          },
          [this](LinkIndex /*link*/) { return down_; });
    }
  }
  [[nodiscard]] bool routed() const { return !routes_.next_hops(0, EndpointId(0)).empty(); }
  [[nodiscard]] Time next() const { return schedule_.next(); }

  std::vector<LinkEvent::Kind> kinds;

 private:
  Graph graph_;
  Routes routes_;
  LinkSchedule schedule_;
  bool down_ = false;
};

LinkEvent event(LinkEvent::Kind kind, Duration at, Duration reroute_delay) {
  return {.at = Time::zero() + at, .link = LinkIndex(0), .kind = kind, .rate = 1_gbps, .reroute_delay = reroute_delay};
}

constexpr auto kFail = LinkEvent::Kind::kFail;
constexpr auto kDegrade = LinkEvent::Kind::kDegrade;
constexpr auto kRestore = LinkEvent::Kind::kRestore;

TEST(LinkSchedule, RoutesLearnOfAFailureAfterItsDelayAndNotBefore) {
  Cables cables({event(kFail, 1_us, 5_us)});
  cables.run(Time::zero() + 6_us - Duration::picoseconds(1));
  EXPECT_EQ(cables.kinds, std::vector{kFail});
  EXPECT_TRUE(cables.routed());
  cables.run(Time::zero() + 6_us);
  EXPECT_FALSE(cables.routed());
  EXPECT_TRUE(cables.next().is_never());
}

TEST(LinkSchedule, LateNewsOfAFailureDoNotHideARestoredCable) {
  Cables cables({event(kFail, 1_us, 9_us), event(kRestore, 2_us, Duration::zero())});
  cables.run(Time::zero() + 1_s);
  EXPECT_EQ(cables.kinds, (std::vector{kFail, kRestore}));
  EXPECT_TRUE(cables.routed());
}

TEST(LinkSchedule, ACableThatIsSlowerIsNoNewsForRoutes) {
  Cables cables({event(kDegrade, 3_us, 1_us)});
  EXPECT_EQ(cables.next(), Time::zero() + 3_us);
  cables.run(Time::zero() + 3_us);
  EXPECT_TRUE(cables.next().is_never());
  EXPECT_TRUE(cables.routed());
}

TEST(LinkSchedule, EventsOfOneInstantHappenInTheOrderGiven) {
  Cables cables({event(kRestore, 1_us, Duration::zero()), event(kFail, 1_us, Duration::zero())});
  cables.run(Time::zero() + 1_us);
  EXPECT_EQ(cables.kinds, (std::vector{kRestore, kFail}));
  EXPECT_FALSE(cables.routed());
}

}  // namespace
}  // namespace weft::fabric
