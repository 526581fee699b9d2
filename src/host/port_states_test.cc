#include "host/port_states.h"

#include <gtest/gtest.h>

namespace weft::host {
namespace {

constexpr EndpointId kPort{3};

Time at(std::int64_t microseconds) { return Time::zero() + Duration::microseconds(microseconds); }
PortStates::Change change(std::int64_t microseconds, bool up, std::int64_t known_after) {
  return {.port = kPort, .at = at(microseconds), .up = up, .known_after = Duration::microseconds(known_after)};
}

TEST(PortStates, AFailureIsKnownAfterItsDelay) {
  const PortStates states({change(10, false, 5), change(40, true, 5)});
  EXPECT_TRUE(states.is_up(kPort, at(14)));
  EXPECT_FALSE(states.is_up(kPort, at(15)));
  EXPECT_FALSE(states.is_up(kPort, at(44)));
  EXPECT_TRUE(states.is_up(kPort, at(45)));
  EXPECT_TRUE(states.is_up(EndpointId(4), at(20)));
}

TEST(PortStates, NewsTellTheStateAtTheirOwnTime) {
  // Down for 2 us, which nobody hears of: the news of the failure come when the link is back.
  const PortStates states({change(12, true, 5), change(10, false, 5)});
  for (int microsecond = 0; microsecond < 30; ++microsecond) {
    EXPECT_TRUE(states.is_up(kPort, at(microsecond))) << microsecond;
  }
}

TEST(PortStates, NewsComeInTheOrderOfTime) {
  const PortStates states({change(40, true, 5), change(10, false, 5)});
  EXPECT_EQ(states.next_news(kPort, at(0)), at(15));
  EXPECT_EQ(states.next_news(kPort, at(15)), at(15));
  EXPECT_EQ(states.next_news(kPort, at(16)), at(45));
  EXPECT_TRUE(states.next_news(kPort, at(46)).is_never());
  EXPECT_TRUE(states.next_news(EndpointId(4), at(0)).is_never());
  EXPECT_TRUE(PortStates().empty());
}

}  // namespace
}  // namespace weft::host
