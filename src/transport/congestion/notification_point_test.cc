#include "transport/congestion/notification_point.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

constexpr Duration kInterval = Duration::microseconds(50);

TEST(NotificationPoint, UnmarkedPacketsAreNotAnswered) {
  NotificationPoint point(kInterval);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(point.on_data(false, Time::zero() + kInterval * i), CongestionSignal::kNone);
  }
  EXPECT_FALSE(point.wants(false));
  EXPECT_TRUE(point.wants(true));
}

TEST(NotificationPoint, AnswersAtMostOncePerInterval) {
  NotificationPoint point(kInterval);
  Time last_answer;
  int answers = 0;
  for (int us = 0; us < 1'000; ++us) {
    const Time now = Time::zero() + Duration::microseconds(us);
    if (point.on_data(true, now) == CongestionSignal::kNone) {
      continue;
    }
    if (answers > 0) {
      EXPECT_GE(now - last_answer, kInterval);
    }
    last_answer = now;
    ++answers;
  }
  EXPECT_EQ(answers, 1'000 / 50);
}

TEST(NotificationPoint, MarkInsideTheIntervalIsNotAnsweredLater) {
  NotificationPoint point(kInterval);
  EXPECT_EQ(point.on_data(true, Time::zero()), CongestionSignal::kCnp);
  EXPECT_EQ(point.on_data(true, Time::zero() + kInterval - Duration::picoseconds(1)), CongestionSignal::kNone);
  EXPECT_EQ(point.on_data(false, Time::zero() + kInterval), CongestionSignal::kNone);
  EXPECT_EQ(point.on_data(true, Time::zero() + kInterval), CongestionSignal::kCnp);
}

TEST(NotificationPoint, WithoutIntervalEveryMarkIsAnswered) {
  NotificationPoint point(Duration::zero());
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(point.on_data(true, Time::zero()), CongestionSignal::kCnp);
  }
}

}  // namespace
}  // namespace weft::transport
