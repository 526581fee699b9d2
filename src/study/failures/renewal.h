// A job among failures, month after month, by chance: what part of its time becomes work that is kept.
//
// Failures of each class come as a Poisson process. Those that end the job cost what has not been saved, and a restart,
// which fails like anything else; others cost a stall, and make the job slower until they are repaired (of several at a
// time the slowest counts). f(seed) alone. All times in seconds.
//
// Events are drawn one by one, which has a bound: fewer replicas are drawn where the events of all of them would be
// more than kMostDrawnEvents, and none where one alone would have more than kMostReplicaEvents.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace weft::study::failures {

struct FailureClass {
  std::string name{};
  double per_second = 0;  // of all components together
  bool ends_job = false;
  double stall = 0;  // of one that does not end it
  double speed = 1;  // of the job while such a failure lasts; 0 < speed <= 1
  double lasts = 0;
};

struct CheckpointPlan {
  double interval = 0;  // of work between two; > 0
  double time = 0;      // to write one
  double restart = 0;
  bool asynchronous = false;  // work goes on meanwhile; what it costs the job is part of its step time
};

/// Failures, repairs, and the beginning and end of checkpoints.
inline constexpr double kMostReplicaEvents = 1e7;
inline constexpr double kMostDrawnEvents = 2e8;

struct RenewalOptions {
  std::uint64_t seed = 1;
  std::uint32_t replicas = 400;   // at least 2
  double horizon = 730.0 * 3600;  // of each: a month
  /// Asked some hundred times a second. False: an interrupt.
  std::function<bool()> keep_going = [] { return true; };
};

/// Mean over the replicas, with half of the 95 % confidence interval.
struct Estimated {
  double mean = 0;
  double half = 0;
};

/// Shares of the time; they add up to 1.
struct TimeShares {
  double kept = 0;  // work, at full speed, that is not lost later
  double lost = 0;  // work that was done again
  double slow = 0;  // that slow components cost
  double stalled = 0;
  double checkpoints = 0;
  double restarts = 0;
};

struct RenewalResult {
  std::uint32_t replicas = 0;  // that were drawn; 0: one has too many events, and there are no figures
  bool interrupted = false;    // there are no figures then either
  double events = 0;           // of one replica, expected
  Estimated goodput{};         // share of the time
  Estimated interruptions{};   // failures that ended the job, in the horizon
  TimeShares shares{};         // means
};

/// Expected in so much time.
[[nodiscard]] double expected_events(std::span<const FailureClass> classes, const CheckpointPlan& plan, double horizon);

/// How many of those wanted fit into the two bounds.
[[nodiscard]] std::uint32_t drawn_replicas(double events, std::uint32_t wanted);

[[nodiscard]] RenewalResult simulate_renewal(std::span<const FailureClass> classes, const CheckpointPlan& plan,
                                             const RenewalOptions& options);

}  // namespace weft::study::failures
