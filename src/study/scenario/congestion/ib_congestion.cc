#include "study/scenario/congestion/ib_congestion.h"

#include <array>

#include "study/scenario/fail_at.h"
#include "study/scenario/key_ranges.h"
#include "study/scenario/scenario.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario {

namespace {

constexpr KeyRange kTable16 = {.low = 0, .high = 65'535};

constexpr std::array kIbCongestion = {
    Key{.name = "threshold",
        .binding = bind<&IbCongestionSettings::threshold>(),
        .fallback = "15",
        .about = "Of a switch's queue: 0 off, 1 latest to 15 earliest.",
        .range = {.low = 0, .high = 15}},
    Key{.name = "marking_rate",
        .binding = bind<&IbCongestionSettings::marking_rate>(),
        .fallback = "0",
        .about = "Packets left unmarked between two marks, on average.",
        .range = kTable16},
    Key{.name = "packet_size",
        .binding = bind<&IbCongestionSettings::packet_size>(),
        .fallback = "8",
        .about = "Shortest packet that is marked, in 64 bytes.",
        .range = {.low = 0, .high = 255}},
    Key{.name = "ccti_increase",
        .binding = bind<&IbCongestionSettings::ccti_increase>(),
        .fallback = "1",
        .about = "Steps into the table per notification.",
        .range = {.low = 1, .high = 255}},
    Key{.name = "ccti_limit",
        .binding = bind<&IbCongestionSettings::ccti_limit>(),
        .fallback = "127",
        .about = "Last entry in use.",
        .range = {.low = 1, .high = 16'383}},
    Key{.name = "ccti_min",
        .binding = bind<&IbCongestionSettings::ccti_min>(),
        .fallback = "0",
        .about = "Where recovery ends.",
        .range = {.low = 0, .high = 255}},
    Key{.name = "ccti_timer",
        .binding = bind<&IbCongestionSettings::ccti_timer>(),
        .fallback = "150",
        .about = "One step back per this many times 1.024 us.",
        .range = {.low = 1, .high = 65'535}},
    Key{.name = "trigger_threshold",
        .binding = bind<&IbCongestionSettings::trigger_threshold>(),
        .fallback = "0",
        .about = "Reaching this entry is counted as an event; 0: never.",
        .range = {.low = 0, .high = 255}},
    Key{.name = "cct_step",
        .binding = bind<&IbCongestionSettings::cct_step>(),
        .fallback = "1",
        .about = "Entry i of the table pauses i times this many packet times.",
        .range = {.low = 1, .high = 16'383}},
    Key{.name = "cct_shift",
        .binding = bind<&IbCongestionSettings::cct_shift>(),
        .fallback = "0",
        .about = "Divided by 2 to this power.",
        .range = {.low = 0, .high = 3}},
};

}  // namespace

std::span<const Key> ib_congestion_keys() { return kIbCongestion; }

Result<void> validate_ib_congestion(const Scenario& scenario) {
  const IbCongestionSettings& own = scenario.ib_congestion;
  if (own.ccti_min > own.ccti_limit) {
    return fail_at(scenario, "ib_congestion.ccti_min", "{} is above ccti_limit {}", own.ccti_min, own.ccti_limit);
  }
  if (own.ccti_limit * own.cct_step > 16'383) {
    return fail_at(scenario, "ib_congestion.cct_step", "ccti_limit {} times cct_step {} exceeds 16383, 14 bits",
                   own.ccti_limit, own.cct_step);
  }
  return {};
}

}  // namespace weft::study::scenario
