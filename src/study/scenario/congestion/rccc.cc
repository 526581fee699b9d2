#include "study/scenario/congestion/rccc.h"

#include <array>

#include "study/scenario/fail_at.h"
#include "study/scenario/key_ranges.h"
#include "study/scenario/scenario.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario {
namespace {

constexpr std::array kRccc = {
    Key{.name = "with_nscc",
        .binding = bind<&RcccSettings::with_nscc>(),
        .fallback = "false",
        .about = "NSCC limits senders as well, by [nscc]: a packet leaves when the window and the credit allow it."},
    Key{.name = "round_trip",
        .binding = bind<&RcccSettings::round_trip>(),
        .fallback = "auto",
        .about = "Of a full packet through the empty network: windows follow from it. `auto`: the longest of the idle "
                 "network.",
        .range = kTimer,
        .empty_word = "auto"},
    Key{.name = "part_of_line",
        .binding = bind<&RcccSettings::part_of_line>(),
        .fallback = "0.99",
        .about = "Share of its line that a receiver grants to all senders together. Less of it is destination flow "
                 "control: for a host that takes in less than its line brings."},
    Key{.name = "window_percent",
        .binding = bind<&RcccSettings::window_percent>(),
        .fallback = "150",
        .about = "What a context may send before the first sign of its receiver, and the most credit that it may "
                 "hold, in percent of what the line carries in a round trip.",
        .range = {.low = 1, .high = 10'000}},
    Key{.name = "mark_last_hop",
        .binding = bind<&RcccSettings::mark_last_hop>(),
        .fallback = "false",
        .about = "Whether switches mark packets at the link to their receiver, which credit limits already."},
    Key{.name = "follow_core",
        .binding = bind<&RcccSettings::follow_core>(),
        .fallback = "auto",
        .about = "Receivers grant less while packets come marked, or trimmed elsewhere than at their own link. `auto`: "
                 "where a switch has less rate upwards than downwards, without NSCC.",
        .empty_word = "auto"},
    Key{.name = "core_target",
        .binding = bind<&RcccSettings::core_target>(),
        .fallback = "0.3",
        .about = "With `follow_core`: averaged share of marked packets above which a receiver grants less."},
    Key{.name = "core_gain",
        .binding = bind<&RcccSettings::core_gain>(),
        .fallback = "0.5",
        .about = "Of a new share of marked packets in the averaged one."},
    Key{.name = "core_decrease",
        .binding = bind<&RcccSettings::core_decrease>(),
        .fallback = "0.5",
        .about = "Share of what is above the target that the rate of credit shrinks by."},
    Key{.name = "core_increase",
        .binding = bind<&RcccSettings::core_increase>(),
        .fallback = "0.01",
        .about = "Of the line, added per interval of 1.5 round trips otherwise; twice as much each time while nothing "
                 "is marked."},
    Key{.name = "core_least",
        .binding = bind<&RcccSettings::core_least>(),
        .fallback = "auto",
        .about =
            "Of the line, that is always granted; `auto`: nine tenths of what the core leaves each host, 0.9 by its "
            "oversubscription, at least 0.01.",
        .empty_word = "auto"},
};

}  // namespace

std::span<const Key> rccc_keys() { return kRccc; }

Result<void> validate_rccc(const Scenario& scenario) {
  if (scenario.rccc.part_of_line == Probability::zero()) {
    return fail_at(scenario, "rccc.part_of_line", "0 would grant nothing; 0.99 is the published value");
  }
  if (scenario.rccc.core_least == Probability::zero()) {
    return fail_at(scenario, "rccc.core_least", "0 could grant nothing for ever; auto is what is published");
  }
  return {};
}

bool uses_rccc(const Scenario& scenario) { return scenario.congestion.algorithm == CongestionAlgorithm::kRccc; }

bool uses_nscc(const Scenario& scenario) {
  return scenario.congestion.algorithm == CongestionAlgorithm::kNscc ||
         (uses_rccc(scenario) && scenario.rccc.with_nscc);
}

}  // namespace weft::study::scenario
