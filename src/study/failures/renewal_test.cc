#include "study/failures/renewal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "study/failures/checkpoint_formula.h"

namespace weft::study::failures {
namespace {

// Where the closed form's assumptions hold the two agree: failures that end the job alone, a long time, four times the
// half width of the interval (3.92 / 2 x 2 standard errors).
TEST(Renewal, AgreesWithTheClosedForm) {
  for (const double mean : {2 * 3600.0, 10 * 3600.0}) {
    for (const double time : {30.0, 300.0}) {
      for (const double factor : {0.5, 1.0, 2.0}) {
        const CheckpointTerms terms{.time = time, .restart = 900, .mean_between = mean};
        const double interval = factor * best_interval(terms);
        const RenewalResult drawn = simulate_renewal(
            std::vector<FailureClass>{{.name = "gpu", .per_second = 0.75 / mean, .ends_job = true},
                                      {.name = "host", .per_second = 0.25 / mean, .ends_job = true}},
            {.interval = interval, .time = time, .restart = 900}, {.seed = 3, .replicas = 100, .horizon = 4e6});
        EXPECT_NEAR(drawn.goodput.mean, efficiency(terms, interval), 2 * drawn.goodput.half)
            << mean << " " << time << " " << factor;
        EXPECT_LT(drawn.goodput.half, 0.006);
        EXPECT_NEAR(drawn.interruptions.mean, 4e6 / mean, 2 * drawn.interruptions.half);
      }
    }
  }
}

TEST(Renewal, WithoutFailuresOnlyCheckpointsCost) {
  const RenewalResult drawn =
      simulate_renewal({}, {.interval = 900, .time = 100, .restart = 5}, {.replicas = 2, .horizon = 1e6});
  EXPECT_NEAR(drawn.goodput.mean, 0.9, 1e-3);
  EXPECT_EQ(drawn.goodput.half, 0);
  EXPECT_EQ(drawn.interruptions.mean, 0);
}

// A slow component costs (1 - speed) of the time in which at least one is slow: 1 - e^(-rate x lasts) of it.
TEST(Renewal, SlowComponentsCostWhatTheyTakeWhileTheyAreThere) {
  const FailureClass slow{.name = "gpu-slow", .per_second = 1 / 10'000.0, .speed = 0.75, .lasts = 5'000};
  const RenewalResult drawn = simulate_renewal(std::vector<FailureClass>{slow}, {.interval = 1e9, .time = 0},
                                               {.replicas = 200, .horizon = 1e6});
  EXPECT_NEAR(drawn.goodput.mean, 1 - 0.25 * (1 - std::exp(-0.5)), 2 * drawn.goodput.half + 0.001);
}

TEST(Renewal, StallsCostTheirTime) {
  const FailureClass link{.name = "link", .per_second = 1 / 5'000.0, .stall = 10};
  const RenewalResult drawn = simulate_renewal(std::vector<FailureClass>{link}, {.interval = 1e9, .time = 0},
                                               {.replicas = 100, .horizon = 1e6});
  // They overlap now and then: a share of rate x stall of them.
  EXPECT_NEAR(drawn.shares.stalled, 10 / 5'000.0, 1e-4);
}

TEST(Renewal, AnAsynchronousCheckpointLosesWorkAloneAndNoTime) {
  const double mean = 20'000;
  const std::vector<FailureClass> classes{{.name = "gpu", .per_second = 1 / mean, .ends_job = true}};
  const RenewalResult drawn = simulate_renewal(
      classes, {.interval = 600, .time = 300, .restart = 0, .asynchronous = true}, {.replicas = 200, .horizon = 5e6});
  EXPECT_EQ(drawn.shares.checkpoints, 0);
  // On average half an interval and the time to write are lost with each failure.
  EXPECT_NEAR(drawn.shares.lost, (600 / 2 + 300) / mean, 0.05 * 600 / mean);
}

TEST(Renewal, SharesAddUpAndTheSameSeedGivesTheSame) {
  const std::vector<FailureClass> classes{{.name = "gpu", .per_second = 1e-4, .ends_job = true},
                                          {.name = "slow", .per_second = 1e-4, .speed = 0.5, .lasts = 3000},
                                          {.name = "link", .per_second = 1e-3, .stall = 5}};
  const CheckpointPlan plan{.interval = 1200, .time = 60, .restart = 300};
  const RenewalResult one = simulate_renewal(classes, plan, {.seed = 7, .replicas = 20});
  const RenewalResult again = simulate_renewal(classes, plan, {.seed = 7, .replicas = 20});
  EXPECT_EQ(one.goodput.mean, again.goodput.mean);
  EXPECT_NE(one.goodput.mean, simulate_renewal(classes, plan, {.seed = 8, .replicas = 20}).goodput.mean);
  const TimeShares& s = one.shares;
  EXPECT_NEAR(s.kept + s.lost + s.slow + s.stalled + s.checkpoints + s.restarts, 1, 1e-9);
}

// A failure each microsecond would be 2.6e12 of them in a month.
TEST(Renewal, DrawsNoneWhereAMonthHasTooManyEvents) {
  const std::vector<FailureClass> classes{{.name = "gpu", .per_second = 1e6, .ends_job = true}};
  const RenewalResult drawn = simulate_renewal(classes, {.interval = 900, .time = 10, .restart = 5}, {});
  EXPECT_EQ(drawn.replicas, 0U);
  EXPECT_FALSE(drawn.interrupted);
  EXPECT_NEAR(drawn.events, 2e6 * 730 * 3600, 1e-3 * drawn.events);
  EXPECT_EQ(simulate_renewal({}, {.interval = 1e-9, .time = 1e-9}, {}).replicas, 0U);
}

TEST(Renewal, DrawsFewerWhereAllTogetherHaveTooManyEvents) {
  EXPECT_EQ(drawn_replicas(2e6, 400), static_cast<std::uint32_t>(kMostDrawnEvents / 2e6));
  EXPECT_EQ(drawn_replicas(2e6, 7), 7U);
  EXPECT_EQ(drawn_replicas(10, 400), 400U);
  EXPECT_GE(drawn_replicas(kMostReplicaEvents, 400), 2U);
  EXPECT_EQ(drawn_replicas(1.01 * kMostReplicaEvents, 400), 0U);
}

TEST(Renewal, EndsWithinOneReplicaWhenItIsInterrupted) {
  int asked = 0;
  const RenewalResult drawn = simulate_renewal({}, {.interval = 0.5, .time = 0.5},
                                               {.horizon = 1e6, .keep_going = [&asked] { return ++asked < 3; }});
  EXPECT_TRUE(drawn.interrupted);
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace weft::study::failures
