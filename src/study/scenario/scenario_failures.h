// What a scenario says of failures: those that happen in a run, how often they happen at all, what a job does about
// them, and its checkpoints.
//
// Rates are in FIT: failures in 10^9 hours of one component.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/probability.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::study::scenario {

enum class FailureKind : std::uint8_t {
  kLinkDown,
  kFlapping,
  kDegradedLanes,
  kSwitchReboot,
  kNicPort,
  kGpuSlow,
  kSubnetManager,
};

/// One [[failure]]. Which members mean something depends on the kind.
struct FailureSettings {
  std::string name{};  // "failure0" where the file gives none
  FailureKind kind = FailureKind::kLinkDown;
  std::string select{};                // devices, ports, or GPUs ("host3/gpu0"); empty: all that the kind is of
  std::optional<Duration> at{};        // since the start of the run; none: drawn, with `fit`
  std::optional<std::int64_t> fit{};   // of each component; none: that of [failures]
  std::optional<Duration> duration{};  // none: of a failure at a time, until the run ends; of drawn ones, as [failures]
  std::optional<Duration> period{};    // flapping: none: that of [failures]
  std::optional<Duration> down{};      // flapping: of each period
  std::optional<Probability> width{};  // degraded lanes: part of the rate that is left
  std::optional<Probability> bit_error_rate{};  // degraded lanes
  std::optional<Duration> fec_latency{};        // degraded lanes
  std::optional<Probability> speed{};           // slow GPU: part of its speed that is left
};

/// [failures]: how often components fail, and what such a failure is like.
struct FailureRates {
  std::string rates;  // of the catalogue
  std::int64_t gpu_fit = 0;
  std::int64_t host_fit = 0;
  std::int64_t software_fit = 0;  // of each GPU
  std::int64_t nic_fit = 0;       // of each port
  std::int64_t link_fit = 0;      // of each cable
  std::int64_t switch_fit = 0;
  std::int64_t flap_fit = 0;      // of each cable
  std::int64_t degraded_fit = 0;  // likewise
  std::int64_t gpu_slow_fit = 0;
  std::int64_t manager_fit = 0;  // of the one subnet manager
  Duration link_repair;
  Duration nic_repair;
  Duration switch_reboot;
  Duration flap_duration;
  Duration flap_period;
  Duration flap_down;
  Duration degraded_repair;
  Probability degraded_width;
  Probability degraded_bit_error_rate;
  Duration degraded_fec_latency;
  Duration gpu_slow_repair;
  Probability gpu_slow_speed;
  Duration manager_takeover;
};

/// [library]: what the communication library of jobs waits for.
struct LibrarySettings {
  std::string profile;               // of the catalogue
  std::optional<Duration> watchdog;  // a job without any progress for so long is aborted; none: never
  // Queue pairs that have used up their retries (workload::ReconnectPolicy).
  std::int64_t reconnect_attempts = 0;
  Duration reconnect_wait;
  Duration reconnect_interval;
  std::int64_t reconnect_backoff = 1;
  Duration reconnect_longest;
  Duration reconnect_exchange;

  [[nodiscard]] bool reconnects() const { return reconnect_attempts > 0; }
};

enum class CheckpointMode : std::uint8_t { kBlocking, kAsynchronous };

/// [checkpoint]
struct CheckpointSettings {
  std::optional<Duration> interval;  // of work between two; none: the best one
  std::optional<Duration> time;      // to write one; none: from the size of a shard and `rate`
  Rate rate;                         // that a GPU writes at
  CheckpointMode mode = CheckpointMode::kBlocking;
  Duration restart;  // from the loss of a job until it computes again
};

/// How often a component that the kind is about fails, in FIT.
[[nodiscard]] std::int64_t fit_of(const FailureRates& rates, FailureKind kind);
/// How long such a failure lasts.
[[nodiscard]] Duration duration_of(const FailureRates& rates, FailureKind kind);

/// Gives the members that mean something for the kind and have no value that of [failures]: a rate and a duration if
/// the failure has no time of its own. Returns the keys that were filled in.
std::vector<std::string_view> fill_in(FailureSettings& failure, const FailureRates& rates);

}  // namespace weft::study::scenario
