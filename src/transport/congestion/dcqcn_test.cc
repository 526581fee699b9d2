#include "transport/congestion/dcqcn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "transport/congestion/dcqcn_test_parameters.h"

namespace weft::transport {
namespace {

using namespace literals;

// Divisible by 2^13, so that halving is exact for a while.
constexpr Rate kLine = 400_gbps;
constexpr Duration kTick = Duration::picoseconds(1);
const Time kStart = Time::zero() + 7_us;

/// Recovery by the timer alone.
DcqcnParameters timer_only() {
  DcqcnParameters parameters = dcqcn_paper(kLine);
  parameters.byte_counter = Bytes::max();
  return parameters;
}

TEST(Dcqcn, IsNotPacedBeforeTheFirstNotification) {
  const DcqcnParameters parameters = dcqcn_paper(kLine);
  Dcqcn control(parameters);
  for (int i = 0; i < 100; ++i) {
    const Time now = Time::zero() + 1_s * i;
    EXPECT_EQ(control.transmit(100_mb, now), Duration::zero());
    EXPECT_EQ(control.pacing_rate(now), Rate::zero());
    EXPECT_EQ(control.current_rate(now), kLine);
  }
  EXPECT_FALSE(control.wants_acks());
  EXPECT_EQ(control.window(Time::zero()), Bytes::max());
}

TEST(Dcqcn, FirstNotificationHalvesAndEachTimerEventHalvesTheRest) {
  const DcqcnParameters parameters = timer_only();
  Dcqcn control(parameters);
  control.on_congestion(kStart);
  EXPECT_EQ(control.current_rate(kStart), kLine / 2);
  EXPECT_EQ(control.pacing_rate(kStart), kLine / 2);
  EXPECT_EQ(control.transmit(Bytes(4'096), kStart), (kLine / 2).transmit_time(Bytes(4'096)));
  for (int n = 1; n <= 6; ++n) {
    const Time event = kStart + parameters.increase_timer * n;
    const auto after = [](int events) { return kLine - kLine / (std::int64_t{1} << (events + 1)); };
    EXPECT_EQ(control.current_rate(event - kTick), after(n - 1)) << n;
    EXPECT_EQ(control.current_rate(event), after(n)) << n;  // from event F on additive, with a target that is capped
    EXPECT_EQ(control.target_rate(event), kLine);
  }
}

TEST(Dcqcn, TargetRisesByRaiFromEventFOn) {
  const DcqcnParameters parameters = dcqcn_paper(kLine);  // whose byte counter stands still
  Dcqcn control(parameters);
  control.on_congestion(kStart);
  control.on_congestion(kStart);  // the target is below line rate now
  const Rate target = kLine / 2;
  EXPECT_EQ(control.target_rate(kStart), target);
  for (int n = 1; n <= 20; ++n) {
    const int additive = std::max(0, n - parameters.fast_recovery_threshold + 1);
    const Time event = kStart + parameters.increase_timer * n;
    EXPECT_EQ(control.target_rate(event), target + parameters.additive_increase * additive) << n;
  }
}

TEST(Dcqcn, AlphaDecaysByGainPerTimerAndGrowsWithEachNotification) {
  const DcqcnParameters parameters = timer_only();
  Dcqcn control(parameters);
  EXPECT_EQ(control.alpha(kStart), Probability::one());
  control.on_congestion(kStart);
  EXPECT_EQ(control.alpha(kStart), Probability::one());  // (1 - g) + g
  const Probability kept = parameters.gain.complement();
  EXPECT_EQ(control.alpha(kStart + parameters.alpha_timer - kTick), Probability::one());
  EXPECT_EQ(control.alpha(kStart + parameters.alpha_timer), kept);
  EXPECT_EQ(control.alpha(kStart + parameters.alpha_timer * 2), kept * kept);
  const Time later = kStart + parameters.alpha_timer * 3;
  const Rate before = control.current_rate(later);
  const Probability alpha = control.alpha(later);
  control.on_congestion(later);
  const auto cut = static_cast<std::int64_t>((static_cast<Uint128>(before.bits_per_second()) * alpha.raw()) >> 64);
  EXPECT_NEAR(static_cast<double>(control.current_rate(later).bits_per_second()),
              static_cast<double>(before.bits_per_second() - cut), 1);
  EXPECT_EQ(control.alpha(later).raw(), (alpha * kept).raw() + parameters.gain.raw());
}

TEST(Dcqcn, EveryFullByteCounterIsAnIncreaseEvent) {
  DcqcnParameters parameters = dcqcn_paper(kLine);
  parameters.byte_counter = 10'000_bytes;
  Dcqcn control(parameters);
  control.on_congestion(kStart);
  Rate expected = kLine / 2;
  for (int event = 1; event <= 5; ++event) {
    for (int packet = 0; packet < 9; ++packet) {
      (void)control.transmit(1'000_bytes, kStart);
      EXPECT_EQ(control.current_rate(kStart), expected);
    }
    expected = kLine - (kLine - expected) / 2;
    // The packet that fills the counter already leaves the new gap behind it.
    EXPECT_EQ(control.transmit(1'000_bytes, kStart), expected.transmit_time(1'000_bytes));
    EXPECT_EQ(control.current_rate(kStart), expected);
  }
  // One packet may fill it several times over.
  (void)control.transmit(30'000_bytes, kStart);
  for (int i = 0; i < 3; ++i) {
    expected = kLine - (kLine - expected) / 2;
  }
  EXPECT_EQ(control.current_rate(kStart), expected);
}

TEST(Dcqcn, NotificationEmptiesTheByteCounter) {
  DcqcnParameters parameters = dcqcn_paper(kLine);
  parameters.byte_counter = 10'000_bytes;
  Dcqcn control(parameters);
  control.on_congestion(kStart);
  (void)control.transmit(9'999_bytes, kStart);
  control.on_congestion(kStart);
  (void)control.transmit(9'999_bytes, kStart);
  EXPECT_EQ(control.current_rate(kStart), kLine / 4);
  (void)control.transmit(1_bytes, kStart);
  EXPECT_EQ(control.current_rate(kStart), kLine / 4 + kLine / 8);
}

/// The rise of the target at each of the events after both stages have reached `stage`.
std::vector<Rate> rises_beyond(std::int64_t stage, DcqcnParameters parameters) {
  parameters.byte_counter = 1'000'000_bytes;
  parameters.decrease_interval = Duration::zero();
  parameters.target_clamp = TargetClamp::kAlways;
  Dcqcn control(parameters);
  for (int i = 0; i < 20; ++i) {
    control.on_congestion(kStart);
  }
  Time now = kStart;
  for (std::int64_t i = 0; i < stage; ++i) {
    (void)control.transmit(1'000'000_bytes, now);
    now += parameters.increase_timer;
    (void)control.current_rate(now);
  }
  std::vector<Rate> rises;
  for (int i = 0; i < 3; ++i) {
    Rate before = control.target_rate(now);
    (void)control.transmit(1'000'000_bytes, now);
    rises.push_back(control.target_rate(now) - before);
    before = control.target_rate(now);
    now += parameters.increase_timer;
    rises.push_back(control.target_rate(now) - before);
  }
  return rises;
}

TEST(Dcqcn, HyperIncreaseGrowsOnceBothStagesExceedF) {
  const DcqcnParameters parameters = dcqcn_paper(kLine);
  const Rate additive = parameters.additive_increase;
  const Rate hyper = parameters.hyper_increase;
  // min(T, BC) - F + 1 = 2 when both have just passed F.
  EXPECT_EQ(rises_beyond(5, parameters),
            (std::vector<Rate>{additive, hyper * 2, hyper * 2, hyper * 3, hyper * 3, hyper * 4}));
}

TEST(Dcqcn, HyperIncreaseOfTheFirmwareIsConstant) {
  const DcqcnParameters parameters = dcqcn_connectx(kLine);
  const Rate additive = parameters.additive_increase;
  const Rate hyper = parameters.hyper_increase;
  EXPECT_EQ(rises_beyond(1, parameters), (std::vector<Rate>{additive, hyper, hyper, hyper, hyper, hyper}));
}

// As RateIncEventMlx of the HPCC simulator (ns-3): F events of fast recovery, one additive increase, hyper increases.
TEST(Dcqcn, HyperIncreaseFollowsTheTimerWhereThereIsNoByteCounter) {
  for (const HyperIncrease steps : {HyperIncrease::kConstant, HyperIncrease::kGrowing}) {
    DcqcnParameters parameters = timer_only();
    parameters.hyper_steps = steps;
    Dcqcn stepped(parameters);
    Dcqcn asked_late(parameters);
    for (int i = 0; i < 20; ++i) {
      stepped.on_congestion(kStart);
      asked_late.on_congestion(kStart);
    }
    const std::int64_t threshold = parameters.fast_recovery_threshold;
    Rate target = stepped.target_rate(kStart);
    for (std::int64_t n = 1; n <= 40; ++n) {
      const std::int64_t stage = n - 1;
      if (stage == threshold) {
        target = target + parameters.additive_increase;
      } else if (stage > threshold) {
        target = target + parameters.hyper_increase * (steps == HyperIncrease::kGrowing ? stage - threshold + 1 : 1);
      }
      EXPECT_EQ(stepped.target_rate(kStart + parameters.increase_timer * n), std::min(target, kLine)) << n;
    }
    const Time end = kStart + parameters.increase_timer * 40;
    EXPECT_EQ(asked_late.target_rate(end), stepped.target_rate(end));
    EXPECT_EQ(asked_late.current_rate(end), stepped.current_rate(end));
  }
}

TEST(Dcqcn, CutAfterAnIncreaseOfTheTimerLowersTheTargetEvenWithoutClamp) {
  DcqcnParameters parameters = timer_only();
  parameters.target_clamp = TargetClamp::kAfterTimeIncrease;
  Dcqcn control(parameters);
  control.on_congestion(kStart);
  control.on_congestion(kStart);
  EXPECT_EQ(control.target_rate(kStart), kLine);  // the timer has not fired between the two
  const Time later = kStart + parameters.increase_timer;
  const Rate raised = control.current_rate(later);
  control.on_congestion(later);
  EXPECT_EQ(control.target_rate(later), raised);
}

TEST(Dcqcn, NeverFallsBelowTheMinimumRate) {
  DcqcnParameters parameters = timer_only();
  parameters.minimum_rate = 3_gbps;
  Dcqcn control(parameters);
  for (int i = 0; i < 50; ++i) {
    control.on_congestion(kStart + 1_us * i);
  }
  EXPECT_EQ(control.current_rate(kStart + 50_us), parameters.minimum_rate);
}

TEST(Dcqcn, ComesBackToLineRateExactlyAndIsFreeAgain) {
  for (const DcqcnParameters& parameters : {dcqcn_paper(kLine), dcqcn_connectx(kLine)}) {
    Dcqcn control(parameters);
    for (int i = 0; i < 30; ++i) {
      control.on_congestion(kStart + 5_us * i);
    }
    const Time much_later = kStart + 1_s * 1'000'000;
    EXPECT_EQ(control.pacing_rate(much_later), Rate::zero());
    EXPECT_EQ(control.current_rate(much_later), kLine);
    EXPECT_LE(control.alpha(much_later).raw(), 1U);
    EXPECT_EQ(control.transmit(4'096_bytes, much_later), Duration::zero());
  }
}

TEST(Dcqcn, WindowLimitIsTheWindow) {
  DcqcnParameters parameters = dcqcn_paper(kLine);
  parameters.window_limit = 64_kib;
  Dcqcn control(parameters);
  EXPECT_EQ(control.window(kStart), 64_kib);
}

TEST(Dcqcn, FirstNotificationMaySetTheRateThatIsCut) {
  DcqcnParameters parameters = timer_only();
  parameters.rate_on_first_cnp = 100_gbps;
  Dcqcn control(parameters);
  control.on_congestion(kStart);
  EXPECT_EQ(control.current_rate(kStart), 50_gbps);
  EXPECT_EQ(control.target_rate(kStart), 100_gbps);
  const Rate present = control.current_rate(kStart + 10_us);
  control.on_congestion(kStart + 10_us);
  EXPECT_EQ(control.target_rate(kStart + 10_us), present);
}

TEST(Dcqcn, CutIsAtMostTheLargestAllowed) {
  DcqcnParameters parameters = timer_only();
  parameters.maximum_cut = Probability::from_ratio({.numerator = 1, .denominator = 8});
  Dcqcn control(parameters);
  control.on_congestion(kStart);
  EXPECT_EQ(control.current_rate(kStart), kLine - kLine / 8);
}

TEST(DcqcnConnectx, CutsAtMostOncePerIntervalAndOnItsBoundary) {
  const DcqcnParameters parameters = dcqcn_connectx(kLine);
  Dcqcn control(parameters);
  control.on_congestion(kStart);
  const Rate first = control.current_rate(kStart);
  EXPECT_LT(first, kLine);
  // Three notifications in the interval that begins two intervals later.
  const Time begin = kStart + parameters.decrease_interval * 2;
  for (int i = 0; i < 3; ++i) {
    control.on_congestion(begin + 1_us * i);
  }
  const Time boundary = begin + parameters.decrease_interval;
  EXPECT_EQ(control.current_rate(boundary - kTick), first);
  const Rate second = control.current_rate(boundary);
  EXPECT_LT(second, first);
  EXPECT_EQ(control.current_rate(boundary + parameters.decrease_interval * 3), second);
}

TEST(DcqcnConnectx, AlphaChangesOnTicksOfItsOwnTimerOnly) {
  const DcqcnParameters parameters = dcqcn_connectx(kLine);
  Dcqcn control(parameters);
  control.on_congestion(kStart);
  EXPECT_EQ(control.alpha(kStart), parameters.initial_alpha);
  const Probability kept = parameters.gain.complement();
  const Probability decayed = parameters.initial_alpha * kept;
  control.on_congestion(kStart + 1_us + 300_ns);
  EXPECT_EQ(control.alpha(kStart + 1_us + 300_ns), decayed);
  EXPECT_EQ(control.alpha(kStart + 2_us - kTick), decayed);
  const std::uint64_t grown = (decayed * kept).raw() + parameters.gain.raw();
  EXPECT_EQ(control.alpha(kStart + 2_us).raw(), grown);
  EXPECT_EQ(control.alpha(kStart + 3_us), Probability::from_raw(grown) * kept);
}

TEST(DcqcnConnectx, TargetIsClampedOnlyAfterAnIncreaseByTime) {
  const DcqcnParameters parameters = dcqcn_connectx(kLine);
  const Time second = kStart + parameters.decrease_interval;
  Dcqcn soon(parameters);
  soon.on_congestion(kStart);
  soon.on_congestion(kStart + 1_us);
  EXPECT_EQ(soon.target_rate(second), kLine);

  Dcqcn late(parameters);
  late.on_congestion(kStart);
  const Time after_increase = kStart + parameters.increase_timer + 1_us;
  const Rate present = late.current_rate(after_increase);
  late.on_congestion(after_increase);
  EXPECT_EQ(late.target_rate(after_increase + parameters.decrease_interval), present);
}

TEST(DcqcnConnectx, TargetClampMayBeOffOrOn) {
  DcqcnParameters parameters = dcqcn_connectx(kLine);
  const Time second = kStart + parameters.decrease_interval;
  for (const TargetClamp clamp : {TargetClamp::kNever, TargetClamp::kAlways}) {
    parameters.target_clamp = clamp;
    Dcqcn control(parameters);
    control.on_congestion(kStart);
    const Rate first = control.current_rate(kStart);
    control.on_congestion(kStart + 1_us);
    EXPECT_EQ(control.target_rate(second), clamp == TargetClamp::kAlways ? first : kLine);
  }
}

TEST(DcqcnDeathTest, RefusesParametersThatMeanNothing) {
  DcqcnParameters parameters = dcqcn_paper(kLine);
  parameters.minimum_rate = kLine + 1_bps;
  EXPECT_DEATH(Dcqcn{parameters}, "minimum_rate");
  parameters = dcqcn_paper(kLine);
  parameters.alpha_timer = Duration::zero();
  EXPECT_DEATH(Dcqcn{parameters}, "alpha_timer");
}

// Random notifications and packets; between them the answer is asked for densely, sparsely, or never.

struct Step {
  Time at;
  bool notification = false;
  Bytes size;
};

DcqcnParameters draw_parameters(RandomStream& random) {
  DcqcnParameters parameters = random.uniform(2) == 0 ? dcqcn_paper(100_gbps) : dcqcn_connectx(100_gbps);
  parameters.alpha_timer = Duration::picoseconds(static_cast<std::int64_t>(1'000 + random.uniform(20'000'000)));
  parameters.increase_timer = Duration::picoseconds(static_cast<std::int64_t>(1'000 + random.uniform(20'000'000)));
  if (parameters.decrease_interval > Duration::zero()) {
    parameters.decrease_interval = Duration::picoseconds(static_cast<std::int64_t>(1'000 + random.uniform(20'000'000)));
  }
  parameters.byte_counter = Bytes(static_cast<std::int64_t>(1 + random.uniform(300'000)));
  parameters.fast_recovery_threshold = static_cast<std::int32_t>(1 + random.uniform(6));
  parameters.target_clamp = static_cast<TargetClamp>(random.uniform(3));
  parameters.additive_increase = Rate::bits_per_second(static_cast<std::int64_t>(1 + random.uniform(1'000'000'000)));
  return parameters;
}

std::vector<Step> draw_steps(RandomStream& random) {
  std::vector<Step> steps;
  Time now = kStart;
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t span = random.uniform(8) == 0 ? 3'000'000'000 : 30'000'000;
    now += Duration::picoseconds(static_cast<std::int64_t>(random.uniform(span)));
    const bool notification = random.uniform(6) == 0;
    steps.push_back({now, notification, Bytes(static_cast<std::int64_t>(64 + random.uniform(9'000)))});
  }
  return steps;
}

struct Outcome {
  Duration gap;
  Rate current;
  Rate target;
  Probability alpha;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

template <class Between>
std::vector<Outcome> play(const DcqcnParameters& parameters, const std::vector<Step>& steps, Between between) {
  Dcqcn control(parameters);
  std::vector<Outcome> outcomes;
  Time before = kStart;
  for (const Step& step : steps) {
    between(control, before, step.at);
    before = step.at;
    Duration gap;
    if (step.notification) {
      control.on_congestion(step.at);
    } else {
      gap = control.transmit(step.size, step.at);
    }
    outcomes.push_back({gap, control.current_rate(step.at), control.target_rate(step.at), control.alpha(step.at)});
  }
  return outcomes;
}

TEST(DcqcnProperty, LazyEvaluationEqualsEvaluationAtEveryInstant) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "dcqcn");
    const DcqcnParameters parameters = draw_parameters(random);
    const std::vector<Step> steps = draw_steps(random);
    const auto lazily = play(parameters, steps, [](Dcqcn&, Time, Time) {});
    const auto densely = play(parameters, steps, [&](Dcqcn& control, Time from, Time to) {
      // Finer than the shortest timer, or at least often.
      const Duration fine = std::max(Duration::picoseconds(997), (to - from) / 500);
      for (Time now = from; now < to; now += fine) {
        (void)control.pacing_rate(now);
      }
    });
    ASSERT_EQ(lazily == densely, true) << "seed " << seed;
  }
}

/// The paper's algorithm, event by event and in floating point.
class SlowDcqcn {
 public:
  explicit SlowDcqcn(const DcqcnParameters& parameters)
      : parameters_(parameters), line_(number(parameters.line_rate)), current_(line_), target_(line_) {}

  void on_congestion(Time now) {
    advance(now);
    target_ = current_;
    current_ = std::max(current_ * (1 - alpha_ / 2), number(parameters_.minimum_rate));
    alpha_ = alpha_ * (1 - gain()) + gain();
    next_alpha_ = now + parameters_.alpha_timer;
    next_increase_ = now + parameters_.increase_timer;
    bytes_ = Bytes::zero();
    time_stage_ = byte_stage_ = 0;
  }
  void on_transmit(Bytes size, Time now) {
    advance(now);
    for (bytes_ += size; bytes_ >= parameters_.byte_counter; bytes_ -= parameters_.byte_counter) {
      ++byte_stage_;
      raise();
    }
  }
  [[nodiscard]] double rate(Time now) {
    advance(now);
    return current_;
  }

 private:
  static double number(Rate rate) { return static_cast<double>(rate.bits_per_second()); }
  [[nodiscard]] double gain() const { return static_cast<double>(parameters_.gain.raw()) / Probability::kOne; }
  void advance(Time now) {
    for (; next_alpha_ <= now; next_alpha_ += parameters_.alpha_timer) {
      alpha_ *= 1 - gain();
    }
    for (; next_increase_ <= now; next_increase_ += parameters_.increase_timer) {
      ++time_stage_;
      raise();
    }
  }
  void raise() {
    const int threshold = parameters_.fast_recovery_threshold;
    const int least = std::min(time_stage_, byte_stage_);
    if (least > threshold) {
      target_ += number(parameters_.hyper_increase) * (least - threshold + 1);
    } else if (std::max(time_stage_, byte_stage_) >= threshold) {
      target_ += number(parameters_.additive_increase);
    }
    target_ = std::min(target_, line_);
    current_ = (target_ + current_) / 2;
  }

  DcqcnParameters parameters_;
  double line_;
  double current_;
  double target_;
  double alpha_ = 1;
  Time next_alpha_ = Time::never();
  Time next_increase_ = Time::never();
  Bytes bytes_;
  int time_stage_ = 0;
  int byte_stage_ = 0;
};

TEST(DcqcnProperty, FollowsThePaperEventByEvent) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "paper");
    DcqcnParameters parameters = draw_parameters(random);
    parameters.decrease_interval = Duration::zero();
    parameters.target_clamp = TargetClamp::kAlways;
    parameters.hyper_steps = HyperIncrease::kGrowing;
    parameters.initial_alpha = Probability::one();
    Dcqcn control(parameters);
    SlowDcqcn slow(parameters);
    for (const Step& step : draw_steps(random)) {
      if (step.notification) {
        control.on_congestion(step.at);
        slow.on_congestion(step.at);
      } else {
        (void)control.transmit(step.size, step.at);
        slow.on_transmit(step.size, step.at);
      }
      // Rounding adds up to less than a hundred bits per second.
      ASSERT_NEAR(static_cast<double>(control.current_rate(step.at).bits_per_second()), slow.rate(step.at), 100)
          << "seed " << seed;
    }
  }
}

// At the minimum rate a packet of 4 KiB would block its flow for 33 ms; the rate rises long before.
TEST(Dcqcn, TheGapAfterAPacketEndsWhenTheRisingRateHasCarriedIt) {
  const DcqcnParameters parameters = dcqcn_paper(40_gbps);
  Dcqcn flow(parameters);
  Time now;
  while (flow.current_rate(now) > parameters.minimum_rate) {
    flow.on_congestion(now);
  }
  const Bytes size(4'178);
  const Duration gap = flow.gap_after(size, now);
  EXPECT_LT(gap, parameters.minimum_rate.transmit_time(size) / 4);
  // What the rates of the gap, step by step, carry is the packet, up to what the last picosecond carries.
  Int128 carried = 0;
  const Int128 wanted = static_cast<Int128>(size.count()) * 8 * 1'000'000'000'000;
  Dcqcn stepped = flow;
  const Duration step = 1_us;
  for (Duration passed; passed < gap; passed += step) {
    const Duration part = std::min(step, gap - passed);
    carried += static_cast<Int128>(stepped.current_rate(now + passed).bits_per_second()) * part.picoseconds();
  }
  EXPECT_GE(carried, wanted);
  EXPECT_LT(carried, wanted + stepped.current_rate(now + gap).bits_per_second());
}

TEST(Dcqcn, TheGapOfAConstantRateIsThePacketsTime) {
  const DcqcnParameters parameters = dcqcn_paper(40_gbps);
  Dcqcn flow(parameters);
  flow.on_congestion(Time::zero());
  const Bytes size(1'000);
  EXPECT_EQ(flow.gap_after(size, Time::zero()), flow.current_rate(Time::zero()).transmit_time(size));
}

}  // namespace
}  // namespace weft::transport
