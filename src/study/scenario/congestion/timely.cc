#include "study/scenario/congestion/timely.h"

#include <array>

#include "study/scenario/fail_at.h"
#include "study/scenario/key_ranges.h"
#include "study/scenario/scenario.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario {
namespace {

constexpr std::array kTimely = {
    Key{.name = "base_round_trip",
        .binding = bind<&TimelySettings::base_round_trip>(),
        .fallback = "auto",
        .about = "minRTT: the gradient is relative to it. `auto`: the longest round trip of a full packet in the idle "
                 "network.",
        .range = kTimer,
        .empty_word = "auto"},
    Key{.name = "low_threshold",
        .binding = bind<&TimelySettings::low_threshold>(),
        .fallback = "50 us",
        .about = "Below this round trip the rate grows whatever the gradient (T_low).",
        .range = kTimer},
    Key{.name = "high_threshold",
        .binding = bind<&TimelySettings::high_threshold>(),
        .fallback = "500 us",
        .about = "Above this round trip the rate shrinks whatever the gradient (T_high).",
        .range = kTimer},
    Key{.name = "weight",
        .binding = bind<&TimelySettings::weight>(),
        .fallback = "0.875",
        .about = "Of a new difference in the average of differences (alpha)."},
    Key{.name = "decrease",
        .binding = bind<&TimelySettings::decrease>(),
        .fallback = "0.8",
        .about = "Share of the gradient, or of the excess over T_high, that the rate shrinks by (beta)."},
    Key{.name = "additive_increase",
        .binding = bind<&TimelySettings::additive_increase>(),
        .fallback = "10 Mbps",
        .about = "Added to the rate per segment (delta).",
        .range = kAnyRate},
    Key{.name = "reference_rate",
        .binding = bind<&TimelySettings::reference_rate>(),
        .fallback = "10 Gbps",
        .about = "`additive_increase` grows with line rate divided by this; `none`: the same at every rate.",
        .range = kPortRate,
        .empty_word = "none"},
    Key{.name = "hyper_after",
        .binding = bind<&TimelySettings::hyper_after>(),
        .fallback = "5",
        .about = "Segments in a row without a rising round trip after which steps are larger.",
        .range = {.low = 1, .high = 1'000}},
    Key{.name = "hyper_multiple",
        .binding = bind<&TimelySettings::hyper_multiple>(),
        .fallback = "5",
        .about = "Of `additive_increase`, from then on.",
        .range = {.low = 1, .high = 1'000}},
    Key{.name = "segment",
        .binding = bind<&TimelySettings::segment>(),
        .fallback = "16 KiB",
        .about = "Payload for one sample of the round trip.",
        .range = kMessage},
    Key{.name = "minimum_rate",
        .binding = bind<&TimelySettings::minimum_rate>(),
        .fallback = "10 Mbps",
        .about = "No rate goes below this.",
        .range = kAnyRate},
};

}  // namespace

std::span<const Key> timely_keys() { return kTimely; }

Result<void> validate_timely(const Scenario& scenario) {
  const TimelySettings& own = scenario.timely;
  if (own.low_threshold > own.high_threshold) {
    return fail_at(scenario, "timely.low_threshold", "{} is above high_threshold {}", own.low_threshold,
                   own.high_threshold);
  }
  return {};
}

}  // namespace weft::study::scenario
