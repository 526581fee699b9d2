#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/key_table_parts.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario::key_tables {
namespace {

constexpr std::array kControl = {
    Key{.name = "kind",
        .binding = bind<&ControlSettings::kind>(),
        .fallback = "none",
        .about =
            "`none`: routes avoid a failed link after `routing.reroute_delay`. `bgp`: each Ethernet switch decides "
            "for itself, as data centres run eBGP (RFC 7938), and routes are what it has written when it has; "
            "`routing.reroute_delay` has no effect then. See docs/control.md."},
    Key{.name = "as_numbers",
        .binding = bind<&ControlSettings::as_numbers>(),
        .fallback = "clos",
        .about = "Which switches share an AS number. `clos`: those of a tier that the tiers below join, so all of the "
                 "top tier, those of a pod, and no two leaves, which keeps routes from being sought through other "
                 "leaves. `switch`: none, for topologies that are no tree.",
        .only_for = "bgp"},
    Key{.name = "start",
        .binding = bind<&ControlSettings::start>(),
        .fallback = "converged",
        .about = "`converged`: sessions and routes as after a long quiet time. `cold`: nothing but links; bringing the "
                 "network up is part of the run.",
        .only_for = "bgp"},
    Key{.name = "hold_time",
        .binding = bind<&ControlSettings::hold_time>(),
        .fallback = "9 s",
        .about = "Without a message for so long a session ends; a KEEPALIVE is sent every third of it. Whole seconds, "
                 "at least 3. The default is that of FRR's data centre profile.",
        .range = between(Duration::seconds(3), Duration::seconds(65'535)),
        .only_for = "bgp"},
    Key{.name = "connect_retry",
        .binding = bind<&ControlSettings::connect_retry>(),
        .fallback = "10 s",
        .about = "Until a session that has ended, or does not come up, is begun anew, unless a link's signal returns.",
        .range = between(Duration::milliseconds(1), Duration::seconds(65'535)),
        .only_for = "bgp"},
    Key{.name = "mrai",
        .binding = bind<&ControlSettings::mrai>(),
        .fallback = "0 s",
        .about =
            "MRAI: between two rounds of UPDATEs to a neighbour, less a random part of up to a quarter. 0: none, as "
            "data centres set it.",
        .range = between(Duration::zero(), Duration::seconds(600)),
        .only_for = "bgp"},
    Key{.name = "processing_time",
        .binding = bind<&ControlSettings::processing_time>(),
        .fallback = "100 us",
        .about = "Of a switch's CPU, for each prefix of an UPDATE, one after another. A guess.",
        .range = kLatency,
        .only_for = "bgp"},
    Key{.name = "loss_of_signal",
        .binding = bind<&ControlSettings::loss_of_signal>(),
        .fallback = "true",
        .about = "A port without a signal ends the session of its link. Without it, as behind a device that keeps the "
                 "light on, BFD or the hold timer notices.",
        .only_for = "bgp"},
    Key{.name = "signal_delay",
        .binding = bind<&ControlSettings::signal_delay>(),
        .fallback = "1 ms",
        .about = "From a link's failure or return until the routing process knows: debouncing of the port, and its "
                 "interrupt. A guess.",
        .range = kSpan,
        .only_for = "bgp"},
    Key{.name = "bfd",
        .binding = bind<&ControlSettings::bfd>(),
        .fallback = "false",
        .about = "A BFD session in asynchronous mode beside each BGP session.",
        .only_for = "bgp"},
    Key{.name = "bfd_interval",
        .binding = bind<&ControlSettings::bfd_interval>(),
        .fallback = "300 ms",
        .about = "Between BFD packets, less a random part of up to a quarter; whole microseconds.",
        .range = between(Duration::microseconds(1), Duration::seconds(100)),
        .only_for = "bgp"},
    Key{.name = "bfd_multiplier",
        .binding = bind<&ControlSettings::bfd_multiplier>(),
        .fallback = "3",
        .about = "Intervals without a packet until the path has failed.",
        .range = {.low = 1, .high = 255},
        .only_for = "bgp"},
    Key{.name = "fib_unit",
        .binding = bind<&ControlSettings::fib_unit>(),
        .fallback = "prefix",
        .about = "What one write to the forwarding table changes: the entry of one prefix, or the group of next hops "
                 "that prefixes share.",
        .only_for = "bgp"},
    Key{.name = "fib_time",
        .binding = bind<&ControlSettings::fib_time>(),
        .fallback = "50 us",
        .about = "Of one write; one at a time. A guess.",
        .range = kLatency,
        .only_for = "bgp"},
    Key{.name = "local_repair",
        .binding = bind<&ControlSettings::local_repair>(),
        .fallback = "true",
        .about = "A next hop whose link is known to be dead, by signal or BFD, leaves all ECMP groups of its switch at "
                 "once.",
        .only_for = "bgp"},
    Key{.name = "drain_lead",
        .binding = bind<&ControlSettings::drain_lead>(),
        .fallback = "0 s",
        .about =
            "So long before each failure of [[event]] the ends of the link announce it, as before planned work; 0: "
            "failures come unannounced.",
        .range = kSpan,
        .only_for = "bgp"},
    Key{.name = "drain",
        .binding = bind<&ControlSettings::drain>(),
        .fallback = "community",
        .about = "How: by the community GRACEFUL_SHUTDOWN (RFC 8326), or by a path with the own AS number three times "
                 "more.",
        .only_for = "bgp"},
    Key{.name = "lldp",
        .binding = bind<&ControlSettings::lldp>(),
        .fallback = "true",
        .about = "Switches tell their neighbours who they are, and a cable that is not where the plan has it is named.",
        .only_for = "bgp"},
    Key{.name = "lldp_interval",
        .binding = bind<&ControlSettings::lldp_interval>(),
        .fallback = "30 s",
        .about = "Between LLDP units of a port.",
        .range = between(Duration::milliseconds(1), Duration::seconds(3'600)),
        .only_for = "bgp"},
    Key{.name = "priority",
        .binding = bind<&ControlSettings::priority>(),
        .fallback = "7",
        .about = "Priority of all frames of the control plane; a lossy one.",
        .range = kPriority,
        .only_for = "bgp"},
    Key{.name = "swapped_cables",
        .binding = bind<&ControlSettings::swapped_cables>(),
        .fallback = "[]",
        .about = "Ports whose cables were exchanged by mistake, two and two: `leaf0/port4 leaf1/port5`. Both at the "
                 "same side of cables between switches.",
        .only_for = "bgp",
        .example = R"(["leaf0/port4 leaf1/port5"])"},
};

}  // namespace

std::span<const Key> control_keys() { return kControl; }

}  // namespace weft::study::scenario::key_tables
