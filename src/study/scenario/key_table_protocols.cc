#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/key_table_parts.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario::key_tables {
namespace {

constexpr KeyRange kDscp = {.low = 0, .high = 63};
constexpr KeyRange kServiceLevel = {.low = 0, .high = 15};

constexpr std::array kQos = {
    Key{.name = "data_priority",
        .binding = bind<&QosSettings::data_priority>(),
        .fallback = "3",
        .about = "Ethernet priority of data.",
        .range = kPriority},
    Key{.name = "ack_priority",
        .binding = bind<&QosSettings::ack_priority>(),
        .fallback = "3",
        .about = "Ethernet priority of acknowledgements.",
        .range = kPriority},
    Key{.name = "cnp_priority",
        .binding = bind<&QosSettings::cnp_priority>(),
        .fallback = "6",
        .about = "Ethernet priority of congestion notifications.",
        .range = kPriority},
    Key{.name = "cnp_class",
        .binding = bind<&QosSettings::cnp_class>(),
        .fallback = "own",
        .about = "`own`: notifications have the priority, DSCP and service level that their keys say; `data`: those of "
                 "their flow's data."},
    Key{.name = "data_dscp",
        .binding = bind<&QosSettings::data_dscp>(),
        .fallback = "26",
        .about = "DSCP of data.",
        .range = kDscp},
    Key{.name = "ack_dscp",
        .binding = bind<&QosSettings::ack_dscp>(),
        .fallback = "26",
        .about = "DSCP of acknowledgements.",
        .range = kDscp},
    Key{.name = "cnp_dscp",
        .binding = bind<&QosSettings::cnp_dscp>(),
        .fallback = "48",
        .about = "DSCP of congestion notifications.",
        .range = kDscp},
    Key{.name = "data_sl",
        .binding = bind<&QosSettings::data_sl>(),
        .fallback = "0",
        .about = "InfiniBand service level of data.",
        .range = kServiceLevel},
    Key{.name = "ack_sl",
        .binding = bind<&QosSettings::ack_sl>(),
        .fallback = "0",
        .about = "InfiniBand service level of acknowledgements.",
        .range = kServiceLevel},
    Key{.name = "cnp_sl",
        .binding = bind<&QosSettings::cnp_sl>(),
        .fallback = "0",
        .about = "InfiniBand service level of congestion notifications.",
        .range = kServiceLevel},
    Key{.name = "tcp_priority",
        .binding = bind<&QosSettings::tcp_priority>(),
        .fallback = "0",
        .about = "Ethernet priority of TCP and iWARP.",
        .range = kPriority},
    Key{.name = "tcp_dscp",
        .binding = bind<&QosSettings::tcp_dscp>(),
        .fallback = "0",
        .about = "DSCP of TCP and iWARP.",
        .range = kDscp},
};

constexpr std::array kRouting = {
    Key{.name = "policy",
        .binding = bind<&RoutingSettings::policy>(),
        .fallback = "ecmp",
        .about = "Choice among equal next hops: by hash of the flow, per packet at random, per packet by the depth of "
                 "queues, the one of the forwarding table (InfiniBand), per flowlet at random, per packet by the depth "
                 "of some queues (DRILL), per flowlet by the congestion of paths (CONGA, two tiers of Ethernet), or by "
                 "hash of the flow and its destination queue pair (E-ECMP, RoCEv2)."},
    Key{.name = "profile",
        .binding = bind<&RoutingSettings::profile>(),
        .fallback = "",
        .about = "Entry of the catalogue (`adaptive_routing`) that sets the keys below; empty: that of the policy's "
                 "name, for adaptive that of the switch's name, or `generic`.",
        .only_for = "adaptive letflow drill conga"},
    Key{.name = "depth_grades",
        .binding = bind<&RoutingSettings::depth_grades>(),
        .fallback = R"(["32 KiB", "64 KiB", "96 KiB", "128 KiB", "160 KiB", "192 KiB", "224 KiB"])",
        .about = "Bounds between the grades of a port's depth, ascending, at most 15; one of the ports of the best "
                 "grade is taken at random. `[]`: the depth to the byte, and an idle port before one that sends.",
        .range = between(Bytes(1), Bytes(4'000'000'000)),
        .only_for = "adaptive"},
    Key{.name = "multipath_for",
        .binding = bind<&RoutingSettings::multipath_for>(),
        .fallback = "all",
        .about = "Which packets may leave the path of their flow: all, or those whose transport takes them in any "
                 "order (`transport.out_of_order_placement`); acknowledgements, notifications and TCP then stay.",
        .only_for = "adaptive spray drill"},
    Key{.name = "flowlet_gap",
        .binding = bind<&RoutingSettings::flowlet_gap>(),
        .fallback = "none",
        .about = "A flow keeps its port until it has sent nothing for that long; `none`: each packet chooses.",
        .range = kTimer,
        .empty_word = "none",
        .only_for = "adaptive spray letflow conga"},
    Key{.name = "flowlet_entries",
        .binding = bind<&RoutingSettings::flowlet_entries>(),
        .fallback = "16384",
        .about = "Of a switch's table of flowlets; flows whose hashes name the same entry share a port.",
        .range = {.low = 1, .high = 1'048'576},
        .only_for = "adaptive spray letflow conga"},
    Key{.name = "drill_samples",
        .binding = bind<&RoutingSettings::drill_samples>(),
        .fallback = "2",
        .about = "Next hops that a packet compares at random, d of DRILL(d, m).",
        .range = {.low = 1, .high = 16},
        .only_for = "drill"},
    Key{.name = "drill_memory",
        .binding = bind<&RoutingSettings::drill_memory>(),
        .fallback = "1",
        .about = "Least loaded ones that it also compares, which its input port remembers, m of DRILL(d, m).",
        .range = {.low = 0, .high = 16},
        .only_for = "drill"},
    Key{.name = "dre_period",
        .binding = bind<&RoutingSettings::dre_period>(),
        .fallback = "16 us",
        .about = "How often the load of a link, as CONGA estimates it, decays.",
        .range = kTimer,
        .only_for = "conga"},
    Key{.name = "dre_alpha",
        .binding = bind<&RoutingSettings::dre_alpha>(),
        .fallback = "10%",
        .about = "By how much it then decays; loads are averages over dre_period / dre_alpha.",
        .only_for = "conga"},
    Key{.name = "congestion_bits",
        .binding = bind<&RoutingSettings::congestion_bits>(),
        .fallback = "3",
        .about = "Of the load of a link in a packet, in parts of its rate.",
        .range = {.low = 1, .high = 8},
        .only_for = "conga"},
    Key{.name = "congestion_age",
        .binding = bind<&RoutingSettings::congestion_age>(),
        .fallback = "10 ms",
        .about = "What a leaf knows of a path halves whenever nothing has renewed it for that long.",
        .range = kTimer,
        .only_for = "conga"},
    Key{.name = "port_weights",
        .binding = bind<&RoutingSettings::port_weights>(),
        .fallback = "equal",
        .about = "Whether next hops are chosen alike, or (WCMP) in proportion to the capacity behind them (their own "
                 "link and all links on shortest paths behind it), to the rate of their own link, or to the `weight` "
                 "that `[link]` gives.",
        .only_for = "ecmp e-ecmp spray adaptive"},
    Key{.name = "notification_threshold",
        .binding = bind<&RoutingSettings::notification_threshold>(),
        .fallback = "none",
        .about = "Queue of an egress port at which a switch notifies the upstream switch, which then avoids that path "
                 "for the destination leaf; `none`: no notifications.",
        .range = between(Bytes(1), Bytes(4'000'000'000)),
        .empty_word = "none",
        .only_for = "adaptive"},
    Key{.name = "notification_hold",
        .binding = bind<&RoutingSettings::notification_hold>(),
        .fallback = "auto",
        .about = "How long a notification keeps a switch from a port, for one leaf; `auto`: as long as the threshold "
                 "takes at the port's rate.",
        .range = kTimer,
        .empty_word = "auto",
        .only_for = "adaptive"},
    Key{.name = "notification_interval",
        .binding = bind<&RoutingSettings::notification_interval>(),
        .fallback = "auto",
        .about = "Least time between two notifications to one neighbour about one leaf; `auto`: a quarter of the hold.",
        .range = kTimer,
        .empty_word = "auto",
        .only_for = "adaptive"},
    Key{.name = "hash_seed",
        .binding = bind<&RoutingSettings::hash_seed>(),
        .fallback = "per-switch",
        .about = "Seed of the hash; `per-switch`: from the run's seed and the switch's name.",
        .empty_word = "per-switch"},
    Key{.name = "polarised",
        .binding = bind<&RoutingSettings::polarised>(),
        .fallback = "false",
        .about = "Same hash seed on all switches, so that later tiers repeat the choice of the first (polarisation)."},
    Key{.name = "hash_function",
        .binding = bind<&RoutingSettings::hash_function>(),
        .fallback = "mixed",
        .about = "By what switches hash: weft's own mixing function, or one of hardware, all of them linear: CRC-16 "
                 "(ARC), CRC-16 of the CCITT, CRC-32 of Ethernet, exclusive or of 16-bit words, Toeplitz with "
                 "Microsoft's key. The seed of these is added by exclusive or, and the member is the rest of the "
                 "division by their number.",
        .only_for = "ecmp e-ecmp spray adaptive"},
    Key{.name = "hash_fields",
        .binding = bind<&RoutingSettings::hash_fields>(),
        .fallback = R"(["5-tuple"])",
        .about = "What of a packet's headers is hashed. `destination-qp` is RoCEv2's, by a user-defined field; "
                 "`flow-label` that of IPv6. What a packet has not is left out; weft has no tunnels, so no inner "
                 "headers but the transport's.",
        .only_for = "ecmp e-ecmp spray adaptive"},
    Key{.name = "hash_rotation",
        .binding = bind<&RoutingSettings::hash_rotation>(),
        .fallback = "0",
        .about = "Bits by which the hash is turned for each tier above the leaves, against polarisation.",
        .range = {.low = 0, .high = 31},
        .only_for = "ecmp e-ecmp spray adaptive"},
    Key{.name = "hash_buckets",
        .binding = bind<&RoutingSettings::hash_buckets>(),
        .fallback = "0",
        .about = "Of a resilient group: a next hop that fails moves the flows of its own buckets only; 0: all flows of "
                 "the group may move.",
        .range = {.low = 0, .high = 4'096},
        .only_for = "ecmp e-ecmp spray adaptive"},
    Key{.name = "link_aggregation",
        .binding = bind<&RoutingSettings::link_aggregation>(),
        .fallback = "false",
        .about = "Parallel links between two switches are one next hop (a LAG), and one of them is taken by other bits "
                 "of the hash.",
        .only_for = "ecmp e-ecmp spray adaptive"},
    Key{.name = "reroute_delay",
        .binding = bind<&RoutingSettings::reroute_delay>(),
        .fallback = "50 ms",
        .about = "From a failure until next hops avoid it.",
        .range = kSpan},
};

constexpr std::array kTransport = {
    Key{.name = "ack_interval",
        .binding = bind<&TransportSettings::ack_interval>(),
        .fallback = "1",
        .about =
            "Packets per requested acknowledgement; unless it is given 8 where packets are placed in any order and "
            "losses are found by time, but for algorithms that want telemetry.",
        .range = {.low = 1, .high = 1'024}},
    Key{.name = "ack_timeout",
        .binding = bind<&TransportSettings::ack_timeout>(),
        .fallback = "14",
        .about = "4.096 us times 2 to this power; 0: never.",
        .range = {.low = 0, .high = 31}},
    Key{.name = "retry_count",
        .binding = bind<&TransportSettings::retry_count>(),
        .fallback = "7",
        .about = "Retries before a queue pair fails.",
        .range = {.low = 0, .high = 7}},
    Key{.name = "rnr_retry",
        .binding = bind<&TransportSettings::rnr_retry>(),
        .fallback = "7",
        .about = "Retries when the receiver is not ready; 7: for ever.",
        .range = {.low = 0, .high = 7}},
    Key{.name = "loss_recovery",
        .binding = bind<&TransportSettings::loss_recovery>(),
        .fallback = "go-back-n",
        .about = "Retransmission after a loss: go-back-N or selective repeat."},
    Key{.name = "out_of_order_placement",
        .binding = bind<&TransportSettings::out_of_order_placement>(),
        .fallback = "false",
        .about = "WRITE packets are placed as they come; needs `selective-repeat`."},
    Key{.name = "loss_detection",
        .binding = bind<&TransportSettings::loss_detection>(),
        .fallback = "auto",
        .about =
            "Selective repeat: a packet is lost when `reorder_threshold` later ones have arrived (`count`), or when "
            "it has been overtaken and three round trips have passed (`time`); `auto`: `time` with "
            "out-of-order placement, else `count`."},
    Key{.name = "reorder_threshold",
        .binding = bind<&TransportSettings::reorder_threshold>(),
        .fallback = "3",
        .about = "Later packets that must have arrived before a missing one counts as lost, by `count`.",
        .range = {.low = 1, .high = 63}},
    Key{.name = "flight_packets",
        .binding = bind<&TransportSettings::flight_packets>(),
        .fallback = "auto",
        .about = "Selective repeat: packets of a queue pair in flight at most; `auto`: eight times the bandwidth-delay "
                 "product of the longest path, a power of two from 256 to 65536; on InfiniBand four times, from 128.",
        .range = {.low = 64, .high = 65'536},
        .empty_word = "auto"},
    Key{.name = "path_selector",
        .binding = bind<&TransportSettings::path_selector>(),
        .fallback = "single",
        .about =
            "RoCEv2: which UDP source port each packet carries, and so which path a hash gives it: one for all, each "
            "of `paths` in turn, those without penalties, recycled ones (REPS), or recycled ones and else those "
            "without penalties. Those that learn need `selective-repeat`."},
    Key{.name = "paths",
        .binding = bind<&TransportSettings::paths>(),
        .fallback = "128",
        .about = "RoCEv2: source ports of a queue pair with a `path_selector`, a power of two.",
        .range = {.low = 1, .high = 16'384}},
    Key{.name = "source_ports",
        .binding = bind<&TransportSettings::source_ports>(),
        .fallback = "per-queue-pair",
        .about = "RoCEv2: whether queue pairs of a connection have UDP source ports of their own, or all the same one, "
                 "so that only a hash with `destination-qp` tells them apart."},
};

constexpr std::array kCongestion = {
    Key{.name = "algorithm",
        .binding = bind<&CongestionSettings::algorithm>(),
        .fallback = "none",
        .about = "Congestion control. `dcqcn` needs Ethernet's marks, `ib-cc` InfiniBand's; `swift` (round-trip times) "
                 "and `hpcc` (in-band telemetry) are for RoCEv2; `nscc` (windows) and `rccc` (credit of receivers) for "
                 "Ultra Ethernet."},
    Key{.name = "profile",
        .binding = bind<&CongestionSettings::profile>(),
        .fallback = "",
        .about =
            "Entry of the catalogue that sets [dcqcn], [ib_congestion], [swift] or [hpcc]; empty: the family's, else "
            "`connectx` or `published`.",
        .only_for = "dcqcn ib-cc swift hpcc timely nscc rccc"},
    Key{.name = "window",
        .binding = bind<&CongestionSettings::window>(),
        .fallback = "unlimited",
        .about =
            "Bytes in flight per queue pair, beside the algorithm's own limit; `static-window` needs it. `1.5 BDP`: "
            "so many bandwidth-delay products of the NIC's line and the longest idle round trip of the network, "
            "and what one acknowledgement covers; `auto`: 1 BDP.",
        .range = between(Bytes(256), Bytes(std::int64_t{1} << 40)),
        .empty_word = "unlimited",
        .only_for = "none static-window dcqcn swift hpcc"},
};

}  // namespace

std::span<const Key> qos_keys() { return kQos; }
std::span<const Key> routing_keys() { return kRouting; }
std::span<const Key> transport_keys() { return kTransport; }
std::span<const Key> congestion_keys() { return kCongestion; }

}  // namespace weft::study::scenario::key_tables
