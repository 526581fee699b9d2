#include "study/scenario/congestion/hpcc.h"

#include <array>

#include "study/scenario/fail_at.h"
#include "study/scenario/key_ranges.h"
#include "study/scenario/scenario.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario {

namespace {

constexpr std::array kHpcc = {
    Key{.name = "base_round_trip",
        .binding = bind<&HpccSettings::base_round_trip>(),
        .fallback = "auto",
        .about = "T: windows are this times the rate. `auto`: the longest round trip of a full packet in the idle "
                 "network, and a tenth more.",
        .range = kTimer,
        .empty_word = "auto"},
    Key{.name = "target",
        .binding = bind<&HpccSettings::target>(),
        .fallback = "95%",
        .about = "Load of a port that senders aim at (eta)."},
    Key{.name = "stages",
        .binding = bind<&HpccSettings::stages>(),
        .fallback = "5",
        .about = "Round trips of additive increase before the load sets the window again (maxStage).",
        .range = {.low = 0, .high = 1'000}},
    Key{.name = "additive_increase",
        .binding = bind<&HpccSettings::additive_increase>(),
        .fallback = "80 B",
        .about = "Bytes that the window grows by per round trip (W_AI).",
        .range = kMessage},
    Key{.name = "reference_rate",
        .binding = bind<&HpccSettings::reference_rate>(),
        .fallback = "none",
        .about = "`additive_increase` grows with line rate divided by this; `none`: the same at every rate.",
        .range = kPortRate,
        .empty_word = "none"},
    Key{.name = "minimum_rate",
        .binding = bind<&HpccSettings::minimum_rate>(),
        .fallback = "100 Mbps",
        .about = "No window goes below this rate.",
        .range = kAnyRate},
};

}  // namespace

std::span<const Key> hpcc_keys() { return kHpcc; }

Result<void> validate_hpcc(const Scenario& scenario) {
  if (scenario.hpcc.target == Probability::zero()) {
    return fail_at(scenario, "hpcc.target", "0 is no target; must be above 0 (published: 95%)");
  }
  return {};
}

}  // namespace weft::study::scenario
