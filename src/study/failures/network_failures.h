// What failures do to a job on one network, as plain rows: what each kind costs, and the goodput that follows.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/failures/component_counts.h"
#include "study/failures/renewal.h"

namespace weft::study::failures {

/// An operation of the ring that was watched: when it ended, since the failure, and how fast it was against a healthy
/// one.
struct TimelinePoint {
  double at = 0;
  double speed = 0;
};

/// One kind of failure. Times in seconds.
struct FailureOutcome {
  std::string kind{};       // "link", "leaf", "gpu"
  std::string component{};  // that was made to fail: "leaf0/port9"; empty: none was
  std::int64_t count = 0;   // of such components under the job
  double fit = 0;           // of each
  double lasts = 0;
  bool known = true;  // false: `reason` says why nothing was measured
  std::string reason{};
  bool lost = false;      // the job is
  double lost_after = 0;  // since the failure
  std::string why{};      // which queue pair, or the watchdog
  double stall = 0;       // that it adds to what was under way
  double speed = 1;       // of communication, until it is repaired
  double speed_after = 1;
  std::optional<double> step_during{};  // of the job
  /// Until routes avoid it, as its subnet manager takes it; none: no cable fails, or the network has one time for all.
  std::optional<double> reroute_delay{};
  std::vector<TimelinePoint> timeline{};

  /// In 730 hours, of all of them.
  [[nodiscard]] double per_month() const { return static_cast<double>(count) * fit * 730e-9; }
};

/// Goodput where failures come so much more often.
struct RatePoint {
  double factor = 1;
  double goodput = 0;
};

struct NetworkFailures {
  std::string name{};
  std::string family{};
  bool possible = true;
  std::string reason{};
  std::string library{};
  std::int64_t ack_timeout = 0;
  std::int64_t retry_count = 0;
  bool uses_queue_pairs = true;  // with retries of RC
  std::optional<double> watchdog{};
  std::optional<double> reroute_delay{};  // none: each failure has its own
  ComponentCounts counts{};
  std::optional<double> step{};  // of the job, healthy
  std::vector<FailureOutcome> outcomes{};
  // Checkpoints.
  double checkpoint_time = 0;
  double restart = 0;
  bool asynchronous = false;
  double mean_between = 0;  // failures that end the job; infinite ones are 0
  double young = 0;
  double daly = 0;
  double best = 0;
  double interval = 0;    // in use
  double formula = 0;     // goodput, in closed form
  RenewalResult drawn{};  // in a month; without replicas: by formula, as too much happens in one to draw it
  std::vector<RatePoint> by_rate{};
};

struct FailureReport {
  std::string version{};  // of weft
  std::string command{};  // "weft failures FILE ...": what does all of it again
  std::string scenario{};
  std::string rates{};  // of the catalogue
  std::vector<NetworkFailures> networks{};
};

[[nodiscard]] nlohmann::ordered_json to_json(const NetworkFailures& network);
/// Errors: a text that to_json did not write.
[[nodiscard]] Result<NetworkFailures> network_from_json(const std::string& text);

}  // namespace weft::study::failures
