// What a scenario says of DCQCN.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/data_size.h"
#include "base/probability.h"
#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"

namespace weft::study::scenario {

struct Key;

enum class ClampRule : std::uint8_t { kAlways, kNever, kAfterTimeIncrease };
enum class HyperRule : std::uint8_t { kGrowing, kConstant };

/// [dcqcn]
struct DcqcnSettings {
  Duration cnp_interval;       // at least, between two CNPs of a flow; 0: every marked packet
  Duration alpha_timer;        // K
  Duration decrease_interval;  // at most one cut per; 0: a cut at each CNP
  Duration increase_timer;
  std::optional<Rate> timer_reference_rate;  // increase_timer shrinks as line rate / this grows; none: as it stands
  std::optional<Bytes> byte_counter;         // none: no byte counter
  std::int64_t fast_recovery_threshold = 5;
  Probability gain;
  Rate additive_increase;              // RAI
  Rate hyper_increase;                 // RHAI
  std::optional<Rate> reference_rate;  // RAI and RHAI grow with line rate / this; none: as they stand
  Rate minimum_rate;
  Probability initial_alpha;
  Probability maximum_cut;
  ClampRule target_clamp = ClampRule::kAlways;
  HyperRule hyper_steps = HyperRule::kGrowing;
  std::optional<Rate> rate_on_first_cnp;  // none: the present rate
};

[[nodiscard]] std::span<const Key> dcqcn_keys();

}  // namespace weft::study::scenario
