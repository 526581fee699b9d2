#include "study/scenario/congestion/dcqcn.h"

#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/scenario.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario {

namespace {

constexpr std::array kDcqcn = {
    Key{.name = "cnp_interval",
        .binding = bind<&DcqcnSettings::cnp_interval>(),
        .fallback = "50 us",
        .about = "Least time between two notifications of one flow (N); 0: every marked packet.",
        .range = kLatency},
    Key{.name = "alpha_timer",
        .binding = bind<&DcqcnSettings::alpha_timer>(),
        .fallback = "55 us",
        .about = "Alpha decays once in this time without a notification (K).",
        .range = kTimer},
    Key{.name = "decrease_interval",
        .binding = bind<&DcqcnSettings::decrease_interval>(),
        .fallback = "0 ns",
        .about = "At most one cut in this time; 0: a cut at each notification.",
        .range = kLatency},
    Key{.name = "increase_timer",
        .binding = bind<&DcqcnSettings::increase_timer>(),
        .fallback = "55 us",
        .about = "Time between two increases.",
        .range = kTimer},
    Key{.name = "timer_reference_rate",
        .binding = bind<&DcqcnSettings::timer_reference_rate>(),
        .fallback = "none",
        .about = "`increase_timer` is for a line of this rate and shrinks as the line grows; `none`: the same at every "
                 "rate.",
        .range = kPortRate,
        .empty_word = "none"},
    Key{.name = "byte_counter",
        .binding = bind<&DcqcnSettings::byte_counter>(),
        .fallback = "10 MB",
        .about = "Bytes between two increases; `none`: no byte counter.",
        .range = kMessage,
        .empty_word = "none"},
    Key{.name = "fast_recovery_threshold",
        .binding = bind<&DcqcnSettings::fast_recovery_threshold>(),
        .fallback = "5",
        .about = "Increases of fast recovery (F).",
        .range = {.low = 1, .high = 1'000}},
    Key{.name = "gain",
        .binding = bind<&DcqcnSettings::gain>(),
        .fallback = "0.00390625",
        .about = "Weight of the newest notification in alpha (g)."},
    Key{.name = "additive_increase",
        .binding = bind<&DcqcnSettings::additive_increase>(),
        .fallback = "40 Mbps",
        .about = "Step of additive increase (RAI).",
        .range = kAnyRate},
    Key{.name = "hyper_increase",
        .binding = bind<&DcqcnSettings::hyper_increase>(),
        .fallback = "400 Mbps",
        .about = "Step of hyper increase (RHAI).",
        .range = kAnyRate},
    Key{.name = "reference_rate",
        .binding = bind<&DcqcnSettings::reference_rate>(),
        .fallback = "none",
        .about = "Both steps grow with line rate divided by this; `none`: the same at every rate.",
        .range = kPortRate,
        .empty_word = "none"},
    Key{.name = "minimum_rate",
        .binding = bind<&DcqcnSettings::minimum_rate>(),
        .fallback = "10 Mbps",
        .about = "Lower bound of the rate.",
        .range = kAnyRate},
    Key{.name = "initial_alpha",
        .binding = bind<&DcqcnSettings::initial_alpha>(),
        .fallback = "1",
        .about = "Alpha at a flow's first notification."},
    Key{.name = "maximum_cut",
        .binding = bind<&DcqcnSettings::maximum_cut>(),
        .fallback = "50%",
        .about = "Largest share of the rate that one cut takes."},
    Key{.name = "target_clamp",
        .binding = bind<&DcqcnSettings::target_clamp>(),
        .fallback = "always",
        .about = "When a cut makes the present rate the target of recovery."},
    Key{.name = "hyper_steps",
        .binding = bind<&DcqcnSettings::hyper_steps>(),
        .fallback = "growing",
        .about = "Whether the n-th hyper increase adds n steps or one."},
    Key{.name = "rate_on_first_cnp",
        .binding = bind<&DcqcnSettings::rate_on_first_cnp>(),
        .fallback = "current",
        .about = "Rate that the first cut starts from.",
        .range = kAnyRate,
        .empty_word = "current"},
};

}  // namespace

std::span<const Key> dcqcn_keys() { return kDcqcn; }

}  // namespace weft::study::scenario
