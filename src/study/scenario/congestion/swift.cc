#include "study/scenario/congestion/swift.h"

#include <array>

#include "study/scenario/fail_at.h"
#include "study/scenario/key_ranges.h"
#include "study/scenario/scenario.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario {

namespace {

constexpr std::array kSwift = {
    Key{.name = "base_target",
        .binding = bind<&SwiftSettings::base_target>(),
        .fallback = "25 us",
        .about = "Target of the round trip between NICs, without switches.",
        .range = kTimer},
    Key{.name = "hop_delay",
        .binding = bind<&SwiftSettings::hop_delay>(),
        .fallback = "1 us",
        .about = "Added to the target for each switch on the way (h).",
        .range = kLatency},
    Key{.name = "flow_scaling_range",
        .binding = bind<&SwiftSettings::flow_scaling_range>(),
        .fallback = "50 us",
        .about = "Added to the target at most, as the window falls (fs_range); 0: no flow scaling.",
        .range = kLatency},
    Key{.name = "flow_scaling_least",
        .binding = bind<&SwiftSettings::flow_scaling_least>(),
        .fallback = "0.1",
        .about = "Window, in packets, from which down all of it is added (fs_min_cwnd)."},
    Key{.name = "flow_scaling_most",
        .binding = bind<&SwiftSettings::flow_scaling_most>(),
        .fallback = "100",
        .about = "Window, in packets, from which on nothing is added (fs_max_cwnd).",
        .range = {.low = 2, .high = 1'000'000}},
    Key{.name = "additive_increase",
        .binding = bind<&SwiftSettings::additive_increase>(),
        .fallback = "1",
        .about = "Packets that the window grows by per round trip below the target (ai).",
        .range = {.low = 1, .high = 1'000}},
    Key{.name = "decrease",
        .binding = bind<&SwiftSettings::decrease>(),
        .fallback = "0.8",
        .about = "Share of the relative excess over the target that the window shrinks by (beta)."},
    Key{.name = "maximum_decrease",
        .binding = bind<&SwiftSettings::maximum_decrease>(),
        .fallback = "0.5",
        .about = "Largest share of the window that one decrease takes (max_mdf)."},
    Key{.name = "least_window",
        .binding = bind<&SwiftSettings::least_window>(),
        .fallback = "0.001",
        .about = "In packets; below one packet the flow is paced."},
    Key{.name = "timeouts_before_reset",
        .binding = bind<&SwiftSettings::timeouts_before_reset>(),
        .fallback = "5",
        .about = "Timeouts in a row after which the window is the least one.",
        .range = {.low = 1, .high = 1'000}},
};

}  // namespace

std::span<const Key> swift_keys() { return kSwift; }

Result<void> validate_swift(const Scenario& scenario) {
  const SwiftSettings& own = scenario.swift;
  for (const auto& [key, value] :
       {std::pair("flow_scaling_least", own.flow_scaling_least), std::pair("decrease", own.decrease),
        std::pair("maximum_decrease", own.maximum_decrease), std::pair("least_window", own.least_window)}) {
    if (value.raw() >> (63 - 20) == 0) {
      return fail_at(scenario, fmt::format("swift.{}", key), "too small; at least 0.000001");
    }
  }
  return {};
}

}  // namespace weft::study::scenario
