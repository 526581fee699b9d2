#include "transport/congestion/nscc.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace weft::transport {
namespace {

using namespace literals;

constexpr Bytes kPacket = 4'150_bytes;
constexpr Bytes kPayload = 4'086_bytes;
constexpr Duration kReference = 12_us;

/// The network that gains are scaled from: a = 1, and b = 0.75 with trimming.
NsccParameters reference_parameters() {
  return nscc_parameters({.round_trip = kReference, .line = 100_gbps, .packet = kPacket, .payload = kPayload});
}

/// Time that only goes forward, and acknowledgements at it.
class Sender {
 public:
  explicit Sender(const NsccParameters& parameters, Nscc::Flow flow = {.round_trip = kReference})
      : control(parameters, flow) {}

  struct Ack {
    Duration delay;
    Bytes received = kPacket;
    bool marked = false;
    std::uint8_t penalty = 0;
    Bytes in_flight = 100_kb;
    Duration after = 100_ns;
  };
  void acknowledge(const Ack& ack) {
    now += ack.after;
    control.on_ack({.rtt = control.base_round_trip() + ack.delay,
                    .acknowledged = ack.received,
                    .marked = ack.marked,
                    .receiver_penalty = ack.penalty,
                    .received = ack.received,
                    .in_flight = ack.in_flight},
                   now);
  }
  /// Acknowledges `bytes` in samples of whole packets, until they have all been counted as an increase.
  void trim(Bytes size, bool last_hop = false) {
    now += 100_ns;
    control.on_trim({.rtt = kReference, .size = size, .in_flight = 50_kb, .last_hop = last_hop}, now);
  }
  [[nodiscard]] std::int64_t window() { return control.window(now).count(); }

  Nscc control;
  Time now = Time::zero() + 1_ms;
};

/// The first sample of a flow adds a step, as a period without one has passed. It opens the first period of quick
/// adapt.
Sender started(const NsccParameters& parameters, Bytes window) {
  Sender sender(parameters, {.round_trip = kReference, .initial_window = window});
  sender.acknowledge({.delay = 2_us, .received = 0_bytes});
  return sender;
}

TEST(Nscc, ParametersScaleFromTheReferenceNetwork) {
  const NsccParameters at_reference = reference_parameters();
  EXPECT_EQ(at_reference.target, 9_us);
  EXPECT_EQ(at_reference.proportional_gain, Bytes(4 * 4'086 * 3 / 4));
  EXPECT_EQ(at_reference.fair_gain, Bytes(5 * 4'086));
  EXPECT_EQ(at_reference.step, Bytes(15 * 4'086 / 100));
  EXPECT_EQ(at_reference.fast_gain_per_mib, 256_kib);
  EXPECT_EQ(at_reference.quick_adapt_delay, 36_us);
  EXPECT_EQ(at_reference.adjust_bytes, 8 * kPacket);
  EXPECT_EQ(at_reference.least_window, kPacket);
  // a = 2 by the rate, b = 2 by the round trip, which counts in a as well.
  const NsccParameters larger =
      nscc_parameters({.round_trip = 2 * kReference, .line = 200_gbps, .packet = kPacket, .payload = kPayload});
  EXPECT_EQ(larger.fair_gain, 4 * at_reference.fair_gain);
  EXPECT_EQ(larger.proportional_gain, 8 * at_reference.proportional_gain);
  EXPECT_EQ(larger.fast_gain_per_mib, 4 * at_reference.fast_gain_per_mib);
}

TEST(Nscc, TargetIsThreeQuartersOfARoundTripWithTrimmingAndOneWithout) {
  NsccNetwork network{.round_trip = 10_us, .line = 400_gbps, .packet = kPacket, .payload = kPayload};
  EXPECT_EQ(nscc_parameters(network).target, 7'500_ns);
  network.trimming = Trimming::kOff;
  EXPECT_EQ(nscc_parameters(network).target, 10_us);
  network.target = 3_us;
  EXPECT_EQ(nscc_parameters(network).target, 3_us);
}

TEST(Nscc, StartsWithOneAndAHalfBandwidthDelayProducts) {
  const NsccParameters parameters = reference_parameters();
  Sender sender(parameters);
  EXPECT_EQ(sender.window(), 150'000 * 3 / 2);
  EXPECT_EQ(sender.control.pacing_rate(sender.now), Rate::zero());
  EXPECT_EQ(sender.control.transmit(kPacket, sender.now), Duration::zero());
  EXPECT_TRUE(sender.control.wants_acks());
}

TEST(Nscc, ASmallerRoundTripLowersTheLargestWindow) {
  const NsccParameters parameters = reference_parameters();
  Sender sender(parameters);
  sender.acknowledge({.delay = -4_us});
  EXPECT_EQ(sender.control.base_round_trip(), 8_us);
  EXPECT_EQ(sender.window(), 100'000 * 3 / 2);
}

TEST(Nscc, BelowTheTargetAWindowAcknowledgedAddsTheGainInProportionToWhatIsLeftOfTheTarget) {
  const NsccParameters parameters = reference_parameters();
  for (const Duration delay : {2_us, 3_us, 6_us}) {
    Sender sender = started(parameters, 60_kb);
    const std::int64_t before = sender.window();
    constexpr std::int64_t kReceived = 9 * 4'150;
    sender.acknowledge({.delay = delay, .received = Bytes(kReceived)});
    const std::int64_t gain = parameters.proportional_gain.count() * kReceived * ((9_us - delay) / 1_us) / 9;
    EXPECT_EQ(sender.window(), before + gain / before) << delay;
  }
}

TEST(Nscc, FromTheTargetOnUnmarkedAcknowledgementsAddTheSameAtAnyDelay) {
  const NsccParameters parameters = reference_parameters();
  for (const Duration delay : {9_us, 20_us}) {
    Sender sender = started(parameters, 60_kb);
    const std::int64_t before = sender.window();
    sender.acknowledge({.delay = delay, .received = 9 * kPacket});
    EXPECT_EQ(sender.window(), before + parameters.fair_gain.count() * 9 * kPacket.count() / before) << delay;
  }
}

TEST(Nscc, IncreasesAreAppliedEveryEightPackets) {
  const NsccParameters parameters = reference_parameters();
  Sender sender = started(parameters, 60_kb);
  const std::int64_t before = sender.window();
  for (int packet = 1; packet <= 8; ++packet) {
    sender.acknowledge({.delay = 9_us});
    EXPECT_EQ(sender.window(), before) << packet;
  }
  sender.acknowledge({.delay = 9_us});
  EXPECT_EQ(sender.window(), before + 9 * (parameters.fair_gain.count() * kPacket.count()) / before);
}

TEST(Nscc, AStepIsAddedOncePerPeriod) {
  const NsccParameters parameters = reference_parameters();
  Sender sender = started(parameters, 60_kb);
  const std::int64_t before = sender.window();
  // Marked and below the target: nothing but steps.
  for (int i = 0; i < 30; ++i) {
    sender.acknowledge({.delay = 2_us, .marked = true, .after = 1'999_ns});
  }
  // 59.97 us: four periods of 12 us have ended, and the sample after each of them added a step.
  EXPECT_EQ(sender.window(), before + 4 * parameters.step.count());
}

TEST(Nscc, WithoutAnyQueueForAWholeWindowItGrowsByAQuarterOfWhatIsAcknowledged) {
  const NsccParameters parameters = reference_parameters();
  Sender sender = started(parameters, 60_kb);
  const std::int64_t before = sender.window();
  // Not yet: a window has to be acknowledged first.
  sender.acknowledge({.delay = 999_ns, .received = Bytes(before - 10'000), .after = 10_ns});
  const std::int64_t proportional = sender.window();
  EXPECT_GT(proportional, before);
  sender.acknowledge({.delay = 999_ns, .received = 20_kb, .after = 10_ns});
  EXPECT_EQ(sender.window(), proportional + 5'000);
  sender.acknowledge({.delay = 0_us, .received = 4_kb, .after = 10_ns});
  EXPECT_EQ(sender.window(), proportional + 6'000);
  // A microsecond of queue ends it, and the count begins anew.
  sender.acknowledge({.delay = 1_us, .received = 4_kb, .after = 10_ns});
  const std::int64_t ended = sender.window();
  sender.acknowledge({.delay = 0_us, .received = 4_kb, .after = 10_ns});
  EXPECT_EQ(sender.window(), ended);
}

TEST(Nscc, MarksBelowTheTargetChangeNothing) {
  const NsccParameters parameters = reference_parameters();
  Sender sender = started(parameters, 60_kb);
  const std::int64_t before = sender.window();
  for (int i = 0; i < 20; ++i) {
    sender.acknowledge({.delay = 8_us, .received = 4 * kPacket, .marked = true});
  }
  EXPECT_EQ(sender.window(), before);
}

TEST(Nscc, AverageDelayMovesByAnEightiethTowardsEachSample) {
  const NsccParameters parameters = reference_parameters();
  Sender sender(parameters);
  sender.acknowledge({.delay = 8_us});
  EXPECT_NEAR(static_cast<double>(sender.control.average_delay().picoseconds()), 100'000, 2);
  sender.acknowledge({.delay = 8_us, .marked = true});
  EXPECT_NEAR(static_cast<double>(sender.control.average_delay().picoseconds()), 198'750, 4);
}

TEST(Nscc, AnUnmarkedDelayBeyondTheTargetCountsAsAQuarterOfTheRoundTrip) {
  const NsccParameters parameters = reference_parameters();
  Sender sender(parameters);
  sender.acknowledge({.delay = 80_us});
  EXPECT_NEAR(static_cast<double>(sender.control.average_delay().picoseconds()), 3e6 / 80, 2);
}

TEST(Nscc, MarksBeyondTheTargetCutByTheExcessOfTheAveragedDelayAtMostByHalfOncePerRoundTrip) {
  const NsccParameters parameters = reference_parameters();
  Sender sender = started(parameters, 200_kb);
  // The average is not beyond the target yet: no cut, though each sample is.
  for (int i = 0; i < 40; ++i) {
    sender.acknowledge({.delay = 18_us, .received = 0_bytes, .marked = true, .after = 1_ns});
  }
  const std::int64_t before = sender.window();
  ASSERT_LT(sender.control.average_delay(), parameters.target);
  while (sender.control.average_delay() <= parameters.target) {
    ASSERT_EQ(sender.window(), before);
    sender.acknowledge({.delay = 18_us, .received = 0_bytes, .marked = true, .after = 1_ns});
  }
  const auto average = static_cast<double>(sender.control.average_delay().picoseconds());
  const double left = 1 - 0.8 * (average - 9e6) / average;
  EXPECT_NEAR(static_cast<double>(sender.window()), static_cast<double>(before) * left, 2);
  // Not again before a round trip has passed.
  const std::int64_t once = sender.window();
  for (int i = 0; i < 200; ++i) {
    sender.acknowledge({.delay = 30_us, .received = 0_bytes, .marked = true, .after = 1_ns});
  }
  EXPECT_EQ(sender.window(), once);
  for (int i = 0; i < 400; ++i) {
    sender.acknowledge({.delay = 35_us, .received = 0_bytes, .marked = true, .after = 1_ns});
  }
  sender.acknowledge({.delay = 35_us, .received = 0_bytes, .marked = true, .after = 12_us});
  // 0.8 x 26 / 35 is more than half; the step of the period that has ended comes on top.
  ASSERT_GT(sender.control.average_delay(), 30_us);
  EXPECT_EQ(sender.window(), once / 2 + parameters.step.count());
}

TEST(Nscc, ATrimmedPacketTakesItsSizeAndCountsAsADelayOfARoundTrip) {
  const NsccParameters parameters = reference_parameters();
  Sender sender = started(parameters, 100_kb);
  const std::int64_t before = sender.window();
  const Duration average = sender.control.average_delay();
  sender.trim(kPacket);
  EXPECT_EQ(sender.window(), before - kPacket.count());
  EXPECT_NEAR(static_cast<double>((sender.control.average_delay() - average).picoseconds()),
              static_cast<double>((12_us - average).picoseconds()) / 80, 4);
  for (int i = 0; i < 100; ++i) {
    sender.trim(kPacket);
  }
  EXPECT_EQ(sender.window(), kPacket.count());
}

TEST(Nscc, ATrimAtTheLastHopLeavesTheWindowWhereCreditsLimitThatHop) {
  NsccParameters parameters = reference_parameters();
  parameters.credits = true;
  Sender sender = started(parameters, 100_kb);
  const std::int64_t before = sender.window();
  sender.trim(kPacket, true);
  EXPECT_EQ(sender.window(), before);
  sender.trim(kPacket, false);
  EXPECT_EQ(sender.window(), before - kPacket.count());
}

TEST(Nscc, QuickAdaptTakesWhatWasReceivedInARoundTripAndTargetForTheWindow) {
  const NsccParameters parameters = reference_parameters();
  Sender sender = started(parameters, 200_kb);
  sender.acknowledge({.delay = 10_us, .received = 12_kb, .marked = true, .after = 10_us});
  sender.trim(kPacket);  // still inside the 21 us
  const std::int64_t before = sender.window();
  EXPECT_GT(before, 150'000);
  sender.now += 11_us;
  sender.trim(kPacket);
  EXPECT_EQ(sender.window(), 12'000);
  // Marks of the 50 kB that were in flight are old news; unmarked acknowledgements are not.
  for (int i = 0; i < 5; ++i) {
    sender.acknowledge({.delay = 60_us, .received = 8_kb, .marked = true});
    EXPECT_EQ(sender.window(), 12'000);
  }
  sender.acknowledge({.delay = 10_us, .received = 40_kb});
  EXPECT_GT(sender.window(), 12'000);
}

TEST(Nscc, QuickAdaptNeedsLittleReceivedAndALossOrAVeryLongDelay) {
  const NsccParameters parameters = reference_parameters();
  // 225 kB >> 3 is 28,125.
  struct Case {
    Bytes received;
    Duration delay;
    bool adapts;
  };
  for (const Case& one :
       {Case{28'124_bytes, 37_us, true}, Case{28'125_bytes, 37_us, false}, Case{28'124_bytes, 36_us, false}}) {
    Sender sender = started(parameters, 200_kb);
    sender.acknowledge({.delay = one.delay, .received = one.received, .marked = true, .after = 22_us});
    EXPECT_EQ(sender.window() == one.received.count(), one.adapts) << one.received << " " << one.delay;
  }
}

TEST(Nscc, QuickAdaptFollowsALossThatWasInferred) {
  const NsccParameters parameters = reference_parameters();
  Sender sender = started(parameters, 200_kb);
  sender.control.on_loss(LossEvent::kDetected, sender.now);
  EXPECT_GT(sender.window(), 190'000);
  sender.acknowledge({.delay = 3_us, .received = 10_kb, .after = 22_us});
  EXPECT_EQ(sender.window(), 10'000);
}

TEST(Nscc, ATimeoutTakesAPacket) {
  const NsccParameters parameters = reference_parameters();
  Sender sender = started(parameters, 10_kb);
  const std::int64_t before = sender.window();
  sender.control.on_loss(LossEvent::kTimeout, sender.now);
  EXPECT_EQ(sender.window(), before - kPacket.count());
  sender.control.on_loss(LossEvent::kTimeout, sender.now);
  sender.control.on_loss(LossEvent::kTimeout, sender.now);
  EXPECT_EQ(sender.window(), kPacket.count());
}

TEST(Nscc, ReceiversPenaltyTakesItsPartOfWhatWasReceived) {
  const NsccParameters parameters = reference_parameters();
  Sender sender = started(parameters, 100_kb);
  const std::int64_t before = sender.window();
  sender.acknowledge({.delay = 8_us, .received = 12'800_bytes, .marked = true, .penalty = 64});
  EXPECT_EQ(sender.window(), before - 6'400);
  sender.acknowledge({.delay = 8_us, .received = 12'800_bytes, .marked = true, .penalty = 127});
  EXPECT_EQ(sender.window(), before - 6'400 - 12'700);
}

TEST(Nscc, WithoutARoundTripTheAverageStandsForTheDelay) {
  const NsccParameters parameters = reference_parameters();
  Sender sender = started(parameters, 60_kb);
  const std::int64_t before = sender.window();
  const Duration average = sender.control.average_delay();
  sender.control.on_ack({.rtt = Duration::picoseconds(-1), .acknowledged = 40_kb, .received = 40_kb}, sender.now);
  EXPECT_EQ(sender.control.average_delay(), average);
  // It is below a microsecond here, but 40 kB are less than a window: proportional.
  ASSERT_LT(average, 1_us);
  const auto gain = static_cast<double>(parameters.proportional_gain.count()) * 40'000 *
                    (1 - static_cast<double>(average.picoseconds()) / 9e6);
  EXPECT_NEAR(static_cast<double>(sender.window() - before), gain / static_cast<double>(before), 1);
}

/// The same rules in floating point, with the gains as the source defines them.
class SlowNscc {
 public:
  SlowNscc(double rate_bytes_per_us, double round_trip_us)
      : rate_(rate_bytes_per_us),
        network_(round_trip_us),
        target_(0.75 * round_trip_us),
        a_(rate_bytes_per_us * round_trip_us / 150'000),
        base_(round_trip_us),
        largest_(1.5 * rate_bytes_per_us * round_trip_us),
        window(largest_) {}

  void on_ack(double rtt, double received, bool marked, double penalty, double in_flight, double now) {
    achieved_ += received;
    received_ += received;
    ignored_ += received;
    window = std::max(window - received * penalty / 128, kMtu);
    base_ = std::min(base_, rtt);
    largest_ = 1.5 * rate_ * base_;
    const double delay = rtt - base_;
    const double towards = !marked && delay > target_ ? base_ / 4 : delay;
    average_ += (towards - average_) / 80;
    if (adapts(delay, marked, false, in_flight, now)) {
      return;
    }
    if (!marked && delay >= target_) {
      increase_ += 5 * kMss * a_ * received;
    } else if (!marked) {
      quiet_ = delay < 1 ? quiet_ + received : 0;
      fast_ = delay < 1 && (quiet_ > window || fast_);
      if (fast_) {
        window += received * 0.25 * a_;
      } else {
        increase_ += 4 * kMss * a_ * target_ / 12 / target_ * received * (target_ - delay);
      }
    } else if (delay >= target_) {
      fast_ = false;
      quiet_ = 0;
      if (average_ > target_ && now - decreased_ > base_) {
        window *= std::max(1 - 0.8 * (average_ - target_) / average_, 0.5);
        decreased_ = now;
      }
    }
    window = std::clamp(window, kMtu, largest_);
    if (received_ > 8 * kMtu || now - stepped_ > network_) {
      window += increase_ / window;
      if (now - stepped_ >= network_) {
        window += 0.15 * kMss * a_;
        stepped_ = now;
      }
      increase_ = received_ = 0;
    }
    window = std::clamp(window, kMtu, largest_);
  }

  void on_trim(double size, double in_flight, double now) {
    ignored_ += size;
    average_ += (network_ - average_) / 80;
    armed_ = true;
    if (!adapts(0, true, true, in_flight, now)) {
      window = std::clamp(window - size, kMtu, largest_);
    }
  }

 private:
  static constexpr double kMtu = 4'150;
  static constexpr double kMss = 4'086;

  bool adapts(double delay, bool marked, bool loss, double in_flight, double now) {
    bool alone = false;
    if (ignored_ < to_ignore_ && marked) {
      alone = true;
    } else if (now > adapt_at_) {
      if (adapt_at_ != 0 && (armed_ || loss || delay > 4 * target_) && achieved_ < largest_ / 8) {
        window = std::max(achieved_, kMtu);
        to_ignore_ = in_flight;
        ignored_ = 0;
        armed_ = false;
        alone = true;
      }
      achieved_ = 0;
      adapt_at_ = now + base_ + target_;
    }
    if (alone) {
      increase_ = received_ = 0;
    }
    return alone;
  }

  double rate_;
  double network_;
  double target_;
  double a_;
  double base_;
  double largest_;
  double increase_ = 0;
  double received_ = 0;
  double achieved_ = 0;
  double ignored_ = 0;
  double to_ignore_ = 0;
  double quiet_ = 0;
  double average_ = 0;
  double adapt_at_ = 0;
  double decreased_ = 0;
  double stepped_ = 0;
  bool armed_ = false;
  bool fast_ = false;

 public:
  double window;
};

double microseconds(Duration span) { return static_cast<double>(span.picoseconds()) * 1e-6; }

// A queue that the windows fill and drain, with marks and trims from its length, so that every rule takes its turn.
TEST(NsccProperty, FollowsTheRulesInFloatingPoint) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, "nscc");
    const Duration round_trip = 8_us + 1_us * static_cast<std::int64_t>(random.uniform(12));
    const Rate line = 100_gbps * (1 + static_cast<std::int64_t>(random.uniform(8)));
    const NsccParameters parameters =
        nscc_parameters({.round_trip = round_trip, .line = line, .packet = kPacket, .payload = kPayload});
    Sender sender(parameters, {.round_trip = round_trip});
    SlowNscc slow(static_cast<double>(line.bits_per_second()) / 8e6, microseconds(round_trip));
    std::int64_t queue = 0;  // picoseconds
    double worst = 0;
    for (int i = 0; i < 20'000; ++i) {
      const bool burst = i / 2'000 % 2 == 1;
      const auto swing = static_cast<std::int64_t>(random.uniform(burst ? 2'200'000 : 1'900'000)) - 1'000'000;
      queue = std::clamp<std::int64_t>(queue + swing, 0, 6 * parameters.target.picoseconds());
      const Duration delay = Duration::picoseconds(queue);
      const Bytes in_flight = 10_kb * static_cast<std::int64_t>(random.uniform(20));
      sender.now += Duration::nanoseconds(static_cast<std::int64_t>(random.uniform(600)));
      const double now = microseconds(sender.now - Time::zero());
      if (delay > 2 * parameters.target && random.uniform(4) == 0) {
        sender.control.on_trim({.rtt = round_trip + delay, .size = kPacket, .in_flight = in_flight}, sender.now);
        slow.on_trim(4'150, static_cast<double>(in_flight.count()), now);
      } else {
        const bool marked = delay > parameters.target / 2 && random.uniform(3) != 0;
        const Bytes received = kPacket * static_cast<std::int64_t>(random.uniform(5));
        const auto penalty = static_cast<std::uint8_t>(random.uniform(50) == 0 ? random.uniform(128) : 0);
        sender.acknowledge({.delay = delay,
                            .received = received,
                            .marked = marked,
                            .penalty = penalty,
                            .in_flight = in_flight,
                            .after = Duration::zero()});
        slow.on_ack(microseconds(round_trip + delay), static_cast<double>(received.count()), marked, penalty,
                    static_cast<double>(in_flight.count()), now);
      }
      worst = std::max(worst, std::abs(static_cast<double>(sender.window()) / slow.window - 1));
    }
    EXPECT_LT(worst, 0.01) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weft::transport
