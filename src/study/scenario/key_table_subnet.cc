#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/key_table_parts.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario::key_tables {
namespace {

constexpr std::array kSubnet = {
    Key{.name = "start",
        .binding = bind<&SubnetSettings::start>(),
        .fallback = "configured",
        .about =
            "`configured`: ports are active and forwarding tables written when the run begins. `cold`: before it, the "
            "subnet manager (`routing.engine`) brings the subnet up from agents as after power-up, and the run begins "
            "when it is done; how long that takes is a result of the run. See docs/subnet.md."},
    Key{.name = "smps_on_wire",
        .binding = bind<&SubnetSettings::smps_on_wire>(),
        .fallback = "4",
        .about = "Requests of the manager under way at once, OpenSM's max_wire_smps.",
        .range = {.low = 1, .high = 1'024},
        .only_for = "cold"},
    Key{.name = "timeout",
        .binding = bind<&SubnetSettings::timeout>(),
        .fallback = "200 ms",
        .about = "Until a request without an answer is sent again, OpenSM's transaction_timeout.",
        .range = between(Duration::microseconds(1), Duration::seconds(3'600)),
        .only_for = "cold"},
    Key{.name = "retries",
        .binding = bind<&SubnetSettings::retries>(),
        .fallback = "3",
        .about = "How often, OpenSM's transaction_retries.",
        .range = {.low = 0, .high = 1'000},
        .only_for = "cold"},
    Key{.name = "agent_time",
        .binding = bind<&SubnetSettings::agent_time>(),
        .fallback = "20 us",
        .about = "Of the agent of a switch or adapter, for an answer. A guess.",
        .range = kLatency,
        .only_for = "cold"},
    Key{.name = "pass_time",
        .binding = bind<&SubnetSettings::pass_time>(),
        .fallback = "1 us",
        .about = "Of a switch, to pass on a request that goes by a directed route. A guess.",
        .range = kLatency,
        .only_for = "cold"},
    Key{.name = "buffer",
        .binding = bind<&SubnetSettings::buffer>(),
        .fallback = "64",
        .about = "MADs that a node holds, the one that it handles included; more are lost. A guess.",
        .range = {.low = 1, .high = 1'000'000},
        .only_for = "cold"},
    Key{.name = "manager_time",
        .binding = bind<&SubnetSettings::manager_time>(),
        .fallback = "5 us",
        .about = "Of the manager's one thread, for each answer. A guess.",
        .range = kLatency,
        .only_for = "cold"},
    Key{.name = "route_time",
        .binding = bind<&SubnetSettings::route_time>(),
        .fallback = "100 ns",
        .about = "Of its routing engine, for each entry of a forwarding table. A guess.",
        .range = kLatency,
        .only_for = "cold"},
};

}  // namespace

std::span<const Key> subnet_keys() { return kSubnet; }

}  // namespace weft::study::scenario::key_tables
