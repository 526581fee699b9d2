#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/key_table_parts.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario::key_tables {
namespace {

constexpr std::array kReduction = {
    Key{.name = "enabled",
        .binding = bind<&ReductionSettings::enabled>(),
        .fallback = "false",
        .about = "Switches have reducers, and programs may have groups. Of the families only `infiniband` has them."},
    Key{.name = "entry",
        .binding = bind<&ReductionSettings::entry>(),
        .fallback = "sharp-quantum2",
        .about = "The reducers: limits and latency.",
        .entry = "reduction"},
    Key{.name = "switches",
        .binding = bind<&ReductionSettings::switches>(),
        .fallback = "*",
        .about = "Which switches have a reducer: a selector. The root of a group's tree is chosen among them.",
        .example = "\"spine*\""},
    Key{.name = "max_size",
        .binding = bind<&ReductionSettings::max_size>(),
        .fallback = "16 KiB",
        .about = "Largest vector of one request; collectives send longer ones in pieces.",
        .range = between(Bytes(8), Bytes(std::int64_t{1} << 30))},
    Key{.name = "window",
        .binding = bind<&ReductionSettings::window>(),
        .fallback = "64",
        .about = "Window of a group: requests that a reducer has buffers for and that members may have outstanding.",
        .range = {.low = 1, .high = 16'384}},
    Key{.name = "max_groups",
        .binding = bind<&ReductionSettings::max_groups>(),
        .fallback = "64",
        .about = "Groups that a reducer serves at once.",
        .range = kPositive},
    Key{.name = "max_children",
        .binding = bind<&ReductionSettings::max_children>(),
        .fallback = "unlimited",
        .about = "Of a reducer in one group; the ports of its switch are a limit in any case.",
        .range = {.low = 2, .high = 65'535},
        .empty_word = "unlimited"},
    Key{.name = "max_members",
        .binding = bind<&ReductionSettings::max_members>(),
        .fallback = "65535",
        .about = "Of a group.",
        .range = {.low = 2, .high = (1 << 24) - 1}},
    Key{.name = "ports",
        .binding = bind<&ReductionSettings::ports>(),
        .fallback = "all",
        .about = "Internal ports of a reducer, each as fast as its switch's fastest cable; `all`: one for each cable.",
        .range = {.low = 1, .high = 4'096},
        .empty_word = "all"},
    Key{.name = "latency",
        .binding = bind<&ReductionSettings::latency>(),
        .fallback = "0 ns",
        .about = "From the last child's vector to the result, in addition to the switch latency in each direction.",
        .range = kLatency},
    Key{.name = "probe_interval",
        .binding = bind<&ReductionSettings::probe_interval>(),
        .fallback = "100 ms",
        .about = "A group that waits this long probes its connections; the interval then doubles.",
        .range = between(Duration::microseconds(1), Duration::seconds(100))},
    Key{.name = "probes",
        .binding = bind<&ReductionSettings::probes>(),
        .fallback = "12",
        .about = "Probes before the group fails.",
        .range = {.low = 0, .high = 16}},
    Key{.name = "data_types",
        .binding = bind<&ReductionSettings::data_types>(),
        .fallback = R"(["int32", "int64", "uint32", "uint64", "float16", "bfloat16", "float32", "float64"])",
        .about = "What can be reduced."},
    Key{.name = "operations",
        .binding = bind<&ReductionSettings::operations>(),
        .fallback = R"(["sum", "min", "max", "bit-and", "bit-or", "bit-xor"])",
        .about = "How; bitwise operations are for integers."},
};

}  // namespace

std::span<const Key> reduction_keys() { return kReduction; }

}  // namespace weft::study::scenario::key_tables
