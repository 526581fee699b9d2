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
    Key{.name = "manager",
        .binding = bind<&SubnetSettings::manager>(),
        .fallback = "opensm",
        .about = "The manager, an entry of the catalogue of kind `subnet_manager`. It and the times below act wherever "
                 "a manager is simulated: `start = \"cold\"`, `routing.reroute_delay = \"auto\"`, `weft subnet "
                 "sweep`, `weft failures`, the failed link of `weft compare`, and beside `weft control`.",
        .entry = "subnet_manager"},
    Key{.name = "smps_on_wire",
        .binding = bind<&SubnetSettings::smps_on_wire>(),
        .fallback = "4",
        .about = "Requests of the manager under way at once, OpenSM's max_wire_smps.",
        .range = {.low = 1, .high = 1'024}},
    Key{.name = "timeout",
        .binding = bind<&SubnetSettings::timeout>(),
        .fallback = "200 ms",
        .about = "Until a request without an answer is sent again, OpenSM's transaction_timeout.",
        .range = between(Duration::microseconds(1), Duration::seconds(3'600))},
    Key{.name = "retries",
        .binding = bind<&SubnetSettings::retries>(),
        .fallback = "3",
        .about = "How often, OpenSM's transaction_retries.",
        .range = {.low = 0, .high = 1'000}},
    Key{.name = "sweep_interval",
        .binding = bind<&SubnetSettings::sweep_interval>(),
        .fallback = "10 s",
        .about = "Between light sweeps, OpenSM's sweep_interval. One of them finds a failure whose trap is lost.",
        .range = between(Duration::milliseconds(1), Duration::seconds(3'600))},
    Key{.name = "switch_sma_time",
        .binding = bind<&SubnetSettings::switch_sma_time>(),
        .fallback = "20 us",
        .about = "Of the subnet management agent (SMA) of a switch, for the answer to an SMP; one after another.",
        .range = kLatency},
    Key{.name = "hca_sma_time",
        .binding = bind<&SubnetSettings::hca_sma_time>(),
        .fallback = "20 us",
        .about = "Of the agent of a host channel adapter.",
        .range = kLatency},
    Key{.name = "pass_time",
        .binding = bind<&SubnetSettings::pass_time>(),
        .fallback = "1 us",
        .about = "Of a switch, to pass on an SMP that goes by a directed route.",
        .range = kLatency},
    Key{.name = "forward_time",
        .binding = bind<&SubnetSettings::forward_time>(),
        .fallback = "200 ns",
        .about = "Of a switch, to forward a MAD by its LID, such as a trap. A guess.",
        .range = kLatency},
    Key{.name = "buffer",
        .binding = bind<&SubnetSettings::buffer>(),
        .fallback = "64",
        .about = "MADs that a node holds, the one that it handles included; more are lost. A guess.",
        .range = {.low = 1, .high = 1'000'000}},
    Key{.name = "trap_time",
        .binding = bind<&SubnetSettings::trap_time>(),
        .fallback = "1 ms",
        .about = "From a failure until the switches at its ends know it and send a trap: debouncing. A guess.",
        .range = kSpan},
    Key{.name = "manager_time",
        .binding = bind<&SubnetSettings::manager_time>(),
        .fallback = "5 us",
        .about = "Of the manager's one thread, for each MAD that comes in.",
        .range = kLatency},
    Key{.name = "route_time",
        .binding = bind<&SubnetSettings::route_time>(),
        .fallback = "100 ns",
        .about = "Of its routing engine, for each entry of a forwarding table.",
        .range = kLatency},
};

}  // namespace

std::span<const Key> subnet_keys() { return kSubnet; }

}  // namespace weft::study::scenario::key_tables
