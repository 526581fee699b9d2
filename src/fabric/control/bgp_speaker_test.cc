#include "fabric/control/bgp_speaker.h"

#include <gtest/gtest.h>

namespace weft::fabric {
namespace {

using Ports = std::vector<std::uint16_t>;

/// A speaker with AS 100 and neighbours at ports 0 to 2 with identifiers 30, 20, 10.
struct OneSpeaker {
  explicit OneSpeaker(Duration mrai = Duration::zero(), DrainMethod drain = DrainMethod::kCommunity)
      : speaker({.as_number = 100,
                 .prefixes = 3,
                 .own_prefix = 2,
                 .peer_identifiers = {30, 20, 10},
                 .mrai = mrai,
                 .drain = drain},
                paths, RandomStream(1, "speaker")) {
    for (const std::uint16_t port : {0, 1, 2}) {
      speaker.peer_up(port);
      (void)speaker.take_updates(port);
    }
  }
  PathId path(std::vector<std::uint32_t> numbers, bool shuts_down = false) {
    return paths.of({.numbers = std::move(numbers), .shuts_down = shuts_down});
  }

  PathTable paths;
  BgpSpeaker speaker;
};

TEST(BgpSpeaker, UsesAllPathsOfTheSmallestLengthWhateverTheirAsNumbers) {
  OneSpeaker one;
  one.speaker.on_route(0, 0, one.path({1, 9}));
  one.speaker.on_route(1, 0, one.path({2, 9}));
  one.speaker.on_route(2, 0, one.path({3, 4, 9}));
  EXPECT_EQ(one.speaker.next_hops(0), Ports({0, 1}));
  one.speaker.on_route(0, 0, kNoPath);
  EXPECT_EQ(one.speaker.next_hops(0), Ports({1}));
  one.speaker.peer_down(1);
  EXPECT_EQ(one.speaker.next_hops(0), Ports({2}));
  one.speaker.on_route(2, 0, kNoPath);
  EXPECT_TRUE(one.speaker.next_hops(0).empty());
}

//= rfc4271 9.1.2
TEST(BgpSpeaker, TakesNoPathThatItsOwnAsNumberIsIn) {
  OneSpeaker one;
  one.speaker.on_route(0, 0, one.path({1, 100, 9}));
  EXPECT_TRUE(one.speaker.next_hops(0).empty());
}

TEST(BgpSpeaker, TellsTheBestPathOnButNotBack) {
  OneSpeaker one;
  one.speaker.on_route(0, 0, one.path({1, 9}));
  one.speaker.on_route(1, 0, one.path({2, 9}));  // the smaller identifier: best
  EXPECT_TRUE(one.speaker.take_updates(1).empty());
  for (const std::uint16_t port : {0, 2}) {
    const std::vector<RouteUpdate> told = one.speaker.take_updates(port);
    ASSERT_EQ(told.size(), 1U) << port;
    EXPECT_EQ(one.paths[told[0].path].numbers, (std::vector<std::uint32_t>{100, 2, 9}));
    EXPECT_EQ(told[0].prefixes, std::vector<PrefixId>{0});
  }
}

TEST(BgpSpeaker, SaysNothingTwice) {
  OneSpeaker one;
  one.speaker.on_route(0, 0, one.path({1, 9}));
  EXPECT_EQ(one.speaker.take_updates(2).size(), 1U);
  one.speaker.on_route(0, 0, kNoPath);
  one.speaker.on_route(0, 0, one.path({1, 9}));
  EXPECT_TRUE(one.speaker.take_updates(2).empty());
}

TEST(BgpSpeaker, WithdrawsWhatHasNoPathLeft) {
  OneSpeaker one;
  one.speaker.on_route(0, 0, one.path({1, 9}));
  one.speaker.on_route(0, 1, one.path({1, 9}));
  (void)one.speaker.take_updates(2);
  one.speaker.peer_down(0);
  const std::vector<RouteUpdate> told = one.speaker.take_updates(2);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].path, kNoPath);
  EXPECT_EQ(told[0].prefixes, (std::vector<PrefixId>{0, 1}));
}

//= rfc4271 10
TEST(BgpSpeaker, WaitsMraiLessUpToAQuarterBetweenUpdates) {
  OneSpeaker one(4_s);
  one.speaker.on_route(0, 0, one.path({1, 9}));
  EXPECT_EQ(one.speaker.poll(2, Time::zero()).size(), 1U);
  one.speaker.on_route(0, 0, kNoPath);
  const Time next = one.speaker.next_update(2);
  EXPECT_GE(next, Time::zero() + 3_s);
  EXPECT_LE(next, Time::zero() + 4_s);
  EXPECT_TRUE(one.speaker.poll(2, next - 1_ps).empty());
  EXPECT_EQ(one.speaker.poll(2, next).size(), 1U);
}

//= rfc8326 4
TEST(BgpSpeaker, APathThatShutsDownIsUsedWhereThereIsNoOther) {
  OneSpeaker one;
  one.speaker.on_route(0, 0, one.path({9}, true));
  EXPECT_EQ(one.speaker.next_hops(0), Ports({0}));
  one.speaker.on_route(1, 0, one.path({2, 3, 4, 9}));
  EXPECT_EQ(one.speaker.next_hops(0), Ports({1}));
}

TEST(BgpSpeaker, ADrainingLinkIsLeftByBothDirections) {
  for (const DrainMethod method : {DrainMethod::kCommunity, DrainMethod::kPrepend}) {
    OneSpeaker one(Duration::zero(), method);
    one.speaker.on_route(0, 0, one.path({1, 9}));
    one.speaker.on_route(1, 0, one.path({2, 9}));
    one.speaker.set_drain(1, BgpSpeaker::Drain::kOn);
    EXPECT_EQ(one.speaker.next_hops(0), Ports({0}));
    const std::vector<RouteUpdate> told = one.speaker.take_updates(1);
    bool own_told = false;
    for (const RouteUpdate& update : told) {
      const AsPath& path = one.paths[update.path];
      EXPECT_EQ(path.shuts_down, method == DrainMethod::kCommunity);
      own_told = own_told || update.prefixes == std::vector<PrefixId>{2};
      EXPECT_GE(path.numbers.size(), method == DrainMethod::kPrepend ? 4U : 1U);
    }
    EXPECT_TRUE(own_told);
    one.speaker.set_drain(1, BgpSpeaker::Drain::kOff);
    EXPECT_EQ(one.speaker.next_hops(0), Ports({0, 1}));
  }
}

}  // namespace
}  // namespace weft::fabric
