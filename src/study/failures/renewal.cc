#include "study/failures/renewal.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/assert.h"
#include "base/distribution.h"
#include "base/random.h"

namespace weft::study::failures {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Between two looks at whether to go on: some milliseconds.
constexpr std::uint32_t kEventsPerLook = 1U << 16U;

/// One job from the start to the horizon.
class Life {
 public:
  Life(std::span<const FailureClass> classes, const CheckpointPlan& plan, RandomStream random)
      : classes_(classes), plan_(plan), random_(std::move(random)) {
    for (const FailureClass& one : classes_) {
      rate_ += one.per_second;
    }
    next_failure_ = draw();
  }

  /// False: `keep_going` said no.
  [[nodiscard]] bool run(double horizon, const std::function<bool()>& keep_going) {
    for (std::uint32_t events = 1; now_ < horizon; ++events) {
      if (events % kEventsPerLook == 0 && !keep_going()) {
        return false;
      }
      const double event = std::min({next_failure_, state_end(), first_repair(), save_at_, horizon});
      pass(event - now_);
      now_ = event;
      if (now_ >= horizon) {
        break;
      }
      if (save_at_ <= now_) {
        saved_ = pending_;
        save_at_ = kNever;
      }
      std::erase_if(slow_, [this](const Slow& one) { return one.until <= now_; });
      if (next_failure_ <= now_) {
        fail();
        next_failure_ = now_ + draw();
      } else if (state_end() <= now_) {
        end_state();
      }
    }
    return true;
  }

  /// Seconds of each.
  [[nodiscard]] TimeShares spent() const {
    TimeShares spent = spent_;
    spent.kept = work_;
    return spent;
  }
  [[nodiscard]] double interruptions() const { return interruptions_; }

 private:
  enum class State : std::uint8_t { kWorking, kStalled, kWriting, kRestarting };
  struct Slow {
    double until = 0;
    double speed = 1;
  };

  double unit() {
    constexpr std::int64_t kUnit = 1'000'000'000'000;
    return static_cast<double>(sample_exponential(kUnit, random_)) / static_cast<double>(kUnit);
  }
  double draw() { return rate_ > 0 ? unit() / rate_ : kNever; }

  [[nodiscard]] double speed() const {
    double least = 1;
    for (const Slow& one : slow_) {
      least = std::min(least, one.speed);
    }
    return least;
  }
  [[nodiscard]] double first_repair() const {
    double first = kNever;
    for (const Slow& one : slow_) {
      first = std::min(first, one.until);
    }
    return first;
  }
  [[nodiscard]] double state_end() const {
    return state_ == State::kWorking ? now_ + (plan_.interval - since_checkpoint_) : until_;
  }

  void pass(double time) {
    switch (state_) {
      case State::kWorking:
        work_ += time * speed();
        spent_.slow += time * (1 - speed());
        since_checkpoint_ += time;
        break;
      case State::kStalled:
        spent_.stalled += time;
        break;
      case State::kWriting:
        spent_.checkpoints += time;
        break;
      case State::kRestarting:
        spent_.restarts += time;
        break;
    }
  }

  void end_state() {
    switch (state_) {
      case State::kWorking:
        since_checkpoint_ = 0;
        if (!plan_.asynchronous) {
          state_ = State::kWriting;
          until_ = now_ + plan_.time;
        } else if (save_at_ == kNever) {
          // One that is still being written is waited for; the next interval takes the next.
          pending_ = work_;
          save_at_ = now_ + plan_.time;
        }
        break;
      case State::kWriting:
        saved_ = work_;
        state_ = State::kWorking;
        break;
      case State::kStalled:
      case State::kRestarting:
        state_ = State::kWorking;
        break;
    }
  }

  void fail() {
    const FailureClass& met = choose();
    if (!met.ends_job) {
      if (met.stall > 0 && (state_ == State::kWorking || state_ == State::kStalled)) {
        until_ = std::max(state_ == State::kStalled ? until_ : 0, now_ + met.stall);
        state_ = State::kStalled;
      }
      if (met.speed < 1 && met.lasts > 0) {
        slow_.push_back({.until = now_ + met.lasts, .speed = met.speed});
      }
      return;
    }
    ++interruptions_;
    spent_.lost += work_ - saved_;
    work_ = saved_;
    save_at_ = kNever;
    since_checkpoint_ = 0;
    state_ = State::kRestarting;
    until_ = now_ + plan_.restart;
  }

  const FailureClass& choose() {
    double at = rate_ * (static_cast<double>(random_.next() >> 11U) * 0x1.0p-53);
    for (const FailureClass& one : classes_) {
      if (at < one.per_second) {
        return one;
      }
      at -= one.per_second;
    }
    return *std::ranges::find_if(classes_, [](const FailureClass& one) { return one.per_second > 0; });
  }

  std::span<const FailureClass> classes_;
  const CheckpointPlan& plan_;
  RandomStream random_;
  double rate_ = 0;
  double now_ = 0;
  double next_failure_ = kNever;
  State state_ = State::kWorking;
  double until_ = 0;
  double since_checkpoint_ = 0;
  double work_ = 0;
  double saved_ = 0;
  double pending_ = 0;
  double save_at_ = kNever;
  std::vector<Slow> slow_;
  TimeShares spent_{};
  double interruptions_ = 0;
};

Estimated estimated(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) {
    mean += value / count;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return {.mean = mean, .half = 1.96 * std::sqrt(squares / (count - 1) / count)};
}

}  // namespace

std::uint32_t drawn_replicas(double events, std::uint32_t wanted) {
  static_assert(kMostDrawnEvents >= 2 * kMostReplicaEvents);  // two at least, for an interval
  if (events > kMostReplicaEvents) {
    return 0;
  }
  return static_cast<std::uint32_t>(std::min<double>(wanted, kMostDrawnEvents / std::max(events, 1.0)));
}

double expected_events(std::span<const FailureClass> classes, const CheckpointPlan& plan, double horizon) {
  double rate = 2 / (plan.interval + (plan.asynchronous ? 0 : plan.time));
  for (const FailureClass& one : classes) {
    rate += 2 * one.per_second;  // it comes, and it is over
  }
  return rate * horizon;
}

RenewalResult simulate_renewal(std::span<const FailureClass> classes, const CheckpointPlan& plan,
                               const RenewalOptions& options) {
  WEFT_ASSERT(plan.interval > 0 && options.replicas >= 2 && options.horizon > 0);
  std::vector<double> goodput;
  std::vector<double> interruptions;
  RenewalResult result{.events = expected_events(classes, plan, options.horizon)};
  result.replicas = drawn_replicas(result.events, options.replicas);
  if (result.replicas == 0) {
    return result;
  }
  for (std::uint32_t replica = 0; replica < result.replicas; ++replica) {
    Life life(classes, plan, RandomStream(options.seed, fmt::format("renewal {}", replica)));
    if (!life.run(options.horizon, options.keep_going) || !options.keep_going()) {
      return {.interrupted = true};
    }
    const TimeShares spent = life.spent();
    goodput.push_back(
        std::min(1.0, spent.kept / options.horizon));  // parts of the horizon are rounded as they are added
    interruptions.push_back(life.interruptions());
    const double part = 1 / (options.horizon * result.replicas);
    result.shares.kept += spent.kept * part;
    result.shares.lost += spent.lost * part;
    result.shares.slow += spent.slow * part;
    result.shares.stalled += spent.stalled * part;
    result.shares.checkpoints += spent.checkpoints * part;
    result.shares.restarts += spent.restarts * part;
  }
  result.goodput = estimated(goodput);
  result.interruptions = estimated(interruptions);
  return result;
}

}  // namespace weft::study::failures
