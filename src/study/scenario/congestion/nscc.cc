#include "study/scenario/congestion/nscc.h"

#include <array>

#include "study/scenario/fail_at.h"
#include "study/scenario/key_ranges.h"
#include "study/scenario/scenario.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario {
namespace {

constexpr std::array kNscc = {
    Key{.name = "round_trip",
        .binding = bind<&NsccSettings::round_trip>(),
        .fallback = "auto",
        .about = "Of a full packet through the empty network: windows, gains and the default target follow from it. "
                 "`auto`: the longest of the idle network.",
        .range = kTimer,
        .empty_word = "auto"},
    Key{.name = "target",
        .binding = bind<&NsccSettings::target>(),
        .fallback = "auto",
        .about = "Queueing delay that flows settle at. `auto`: 0.75 round trips where switches trim, one where they do "
                 "not.",
        .range = kTimer,
        .empty_word = "auto"},
    Key{.name = "decrease",
        .binding = bind<&NsccSettings::decrease>(),
        .fallback = "0.8",
        .about = "Share of the averaged delay's excess over the target that the window shrinks by (gamma)."},
    Key{.name = "least_left",
        .binding = bind<&NsccSettings::least_left>(),
        .fallback = "0.5",
        .about = "Share of the window that one decrease leaves at least."},
    Key{.name = "delay_gain",
        .binding = bind<&NsccSettings::delay_gain>(),
        .fallback = "0.0125",
        .about = "Of a new delay in the averaged one."},
    Key{.name = "fast_delay",
        .binding = bind<&NsccSettings::fast_delay>(),
        .fallback = "1 us",
        .about = "Queueing delay below which the path counts as empty, and the window may grow fast.",
        .range = kTimer},
    Key{.name = "quick_adapt_targets",
        .binding = bind<&NsccSettings::quick_adapt_targets>(),
        .fallback = "4",
        .about = "Queueing delay, in targets, beyond which the window is set to what was received, without any loss.",
        .range = {.low = 1, .high = 1'000}},
    Key{.name = "quick_adapt_fraction",
        .binding = bind<&NsccSettings::quick_adapt_fraction>(),
        .fallback = "3",
        .about = "That happens only if less than the largest window / 2^this was received in a round trip and target.",
        .range = {.low = 0, .high = 30}},
    Key{.name = "adjust_packets",
        .binding = bind<&NsccSettings::adjust_packets>(),
        .fallback = "8",
        .about = "Increases are applied each time so many full packets were received.",
        .range = {.low = 1, .high = 1'000}},
    Key{.name = "window_percent",
        .binding = bind<&NsccSettings::window_percent>(),
        .fallback = "150",
        .about =
            "Largest window, in percent of what the line carries in the smallest round trip that the flow has seen.",
        .range = {.low = 50, .high = 10'000}},
    Key{.name = "first_window",
        .binding = bind<&NsccSettings::first_window>(),
        .fallback = "auto",
        .about = "Window that a flow starts with, at most the largest; `auto`: the largest.",
        .range = between(Bytes(64), Bytes(1'000'000'000)),
        .empty_word = "auto"},
};

}  // namespace

std::span<const Key> nscc_keys() { return kNscc; }

Result<void> validate_nscc(const Scenario& scenario) {
  if (scenario.nscc.least_left == Probability::zero()) {
    return fail_at(scenario, "nscc.least_left", "0 would leave no window; 0.5 is the published value");
  }
  return {};
}

}  // namespace weft::study::scenario
