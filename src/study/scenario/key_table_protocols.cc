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
    Key{.name = "scheme",
        .binding = bind<&RoutingSettings::scheme>(),
        .fallback = "default",
        .about = "How traffic is spread over paths: an entry that sets the keys below, and what hosts need for it, "
                 "together; `default` as in the entries of the family and the tuning.",
        .entry = "scheme"},
    Key{.name = "policy",
        .binding = bind<&RoutingSettings::policy>(),
        .fallback = "ecmp",
        .about =
            "Choice among equal next hops: by hash of the flow, per packet at random, per packet by the depth of "
            "queues, the one of the forwarding table (InfiniBand), per flowlet at random, per packet by the depth "
            "of some queues (DRILL), per flowlet by the congestion of paths (CONGA, two tiers of Ethernet), away from "
            "paths whose replies are late, with the order restored by the last leaf (ConWeave, Ethernet), or by "
            "hash of the flow and its destination queue pair (E-ECMP, RoCEv2). `scheduled` is another kind of "
            "fabric: leaves have virtual output queues and send cells over all links when the egress port has "
            "granted credit (two tiers of Ethernet). `dimension-order` is one way per destination through a `torus`, "
            "the shorter around each ring, one dimension after the other. In `dragonfly-plus`, `valiant` sends packets "
            "to "
            "another group over a third one at random, and `ugal` those for which queues times hops say so. "
            "`pinned`: by the place of the destination below its leaf, whatever the flow (path pinning, Ethernet). "
            "`central`: by entries that a traffic controller installs for flows, all others by their hash (Ethernet)."},
    Key{.name = "profile",
        .binding = bind<&RoutingSettings::profile>(),
        .fallback = "",
        .about = "Entry of the catalogue (`adaptive_routing`) that sets the keys below; empty: that of the policy's "
                 "name, for adaptive that of the switch's name, or `generic`.",
        .only_for = "adaptive letflow drill conga conweave scheduled valiant ugal central"},
    Key{.name = "depth_grades",
        .binding = bind<&RoutingSettings::depth_grades>(),
        .fallback = R"(["32 KiB", "64 KiB", "96 KiB", "128 KiB", "160 KiB", "192 KiB", "224 KiB"])",
        .about = "Bounds between the grades of a port's depth, ascending, at most 15; one of the ports of the best "
                 "grade is taken at random. `[]`: the depth to the byte, and an idle port before one that sends.",
        .range = between(Bytes(1), Bytes(4'000'000'000)),
        .only_for = "adaptive valiant ugal"},
    Key{.name = "multipath_for",
        .binding = bind<&RoutingSettings::multipath_for>(),
        .fallback = "all",
        .about = "Which packets may leave the path of their flow: all, or those whose transport takes them in any "
                 "order (`transport.out_of_order_placement`); acknowledgements, notifications and TCP then stay.",
        .only_for = "adaptive spray drill valiant ugal"},
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
    Key{.name = "reply_margin",
        .binding = bind<&RoutingSettings::reply_margin>(),
        .fallback = "4 us",
        .about =
            "A path is slow whose reply takes so much longer than on an idle network; the flow then takes another.",
        .range = kTimer,
        .only_for = "conweave"},
    Key{.name = "path_pause",
        .binding = bind<&RoutingSettings::path_pause>(),
        .fallback = "16 us",
        .about = "How long a leaf takes no path after it was told that packets by it were marked.",
        .range = kTimer,
        .only_for = "conweave"},
    Key{.name = "resume_margin",
        .binding = bind<&RoutingSettings::resume_margin>(),
        .fallback = "16 us",
        .about =
            "What came by the new path waits so much longer than until the last packet by the old one is expected.",
        .range = kTimer,
        .only_for = "conweave"},
    Key{.name = "resume_default",
        .binding = bind<&RoutingSettings::resume_default>(),
        .fallback = "200 us",
        .about = "How long that is where nothing came by the old path from which it could be expected.",
        .range = kTimer,
        .only_for = "conweave"},
    Key{.name = "flow_expiry",
        .binding = bind<&RoutingSettings::flow_expiry>(),
        .fallback = "300 us",
        .about = "A flow that sent nothing for so long begins by any path; longer than `resume_default` and "
                 "`resume_margin` together.",
        .range = kTimer,
        .only_for = "conweave"},
    Key{.name = "reorder",
        .binding = bind<&RoutingSettings::reorder>(),
        .fallback = "none",
        .about = "Whether the leaf switch at the end of the path holds packets that come early until those before them "
                 "have come (`leaf`). NICs have a buffer of their own for that (`nic.reorder_packets`). ConWeave "
                 "always has it.",
        .only_for = "spray adaptive letflow drill conga"},
    Key{.name = "reorder_queues",
        .binding = bind<&RoutingSettings::reorder_queues>(),
        .fallback = "32",
        .about = "Queues for that of a port to a host, one for each flow of which something waits; packets of further "
                 "flows pass out of order.",
        .range = {.low = 1, .high = 65'536},
        .only_for = "spray adaptive letflow drill conga conweave"},
    Key{.name = "reorder_buffer",
        .binding = bind<&RoutingSettings::reorder_buffer>(),
        .fallback = "none",
        .about = "What they hold together, of one port; a packet beyond it passes, and those before it are given up. "
                 "`none`: as much as the buffer of the switch has.",
        .range = between(Bytes(1), Bytes(4'000'000'000)),
        .empty_word = "none",
        .only_for = "spray adaptive letflow drill conga conweave"},
    Key{.name = "reorder_wait",
        .binding = bind<&RoutingSettings::reorder_wait>(),
        .fallback = "100 us",
        .about = "How long a packet waits there for those before it; then they are given up.",
        .range = kTimer,
        .only_for = "spray adaptive letflow drill conga"},
    Key{.name = "ugal_threshold",
        .binding = bind<&RoutingSettings::ugal_threshold>(),
        .fallback = "64 KiB",
        .about =
            "By how much the direct way may be worse before a packet takes one over a third group: bytes that wait for "
            "its port times the hops that remain, against the same of the other way.",
        .range = between(Bytes::zero(), Bytes(1'000'000'000)),
        .only_for = "ugal"},
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
        .about = "From a failure until next hops avoid it; of InfiniBand, until the subnet manager has swept and its "
                 "tables are in the switches; of a scheduled fabric, until leaves hear by their reachability messages "
                 "which links they may use. `auto`, with an engine of OpenSM: what its manager takes for the same "
                 "failure, MAD by MAD, as `weft subnet sweep` has it, with the times of [control].",
        .range = kSpan,
        .empty_word = "auto"},
    Key{.name = "port_failover",
        .binding = bind<&RoutingSettings::port_failover>(),
        .fallback = "false",
        .about = "The ports of a NIC are a bond (`topology.ports_per_nic`): while the link of one is down, another one "
                 "sends for it after `port_failover_delay`, and routes lead its packets to that port after "
                 "`reroute_delay`. With `topology.planes` a NIC also takes the plane in which the receiver still has a "
                 "port, after `reroute_delay`. Ethernet only: ports of InfiniBand have LIDs of their own."},
    Key{.name = "port_failover_delay",
        .binding = bind<&RoutingSettings::port_failover_delay>(),
        .fallback = "100 ms",
        .about = "From a failure or a return of a link until its NIC sends through another port, or through its own "
                 "again. The default is what Linux's bonding driver advises for its link monitor; NICs that watch "
                 "their links themselves take a few milliseconds.",
        .range = kSpan},
    Key{.name = "engine",
        .binding = bind<&RoutingSettings::engine>(),
        .fallback = "d-mod-k",
        .about =
            "InfiniBand: what computes the forwarding tables. `d-mod-k` is weft's own, for fat-trees; the others are "
            "the "
            "routing engines of OpenSM, entry for entry, with the manager at the first NIC ([subnet.md](subnet.md)). "
            "`lash`, `dfsssp`, and `nue` with several lanes (`nue_max_num_vls`) give each path a service level, by "
            "which it has a virtual lane. `file`: those of "
            "`tables`. When links fail or return, an engine's tables of what is left are in the switches "
            "`reroute_delay` later; those of a file stay as they are.",
        .only_for = "lft"},
    Key{.name = "tables",
        .binding = bind<&RoutingSettings::tables>(),
        .fallback = "",
        .about = "Path of forwarding tables as OpenSM dumps them (`opensm-lfts.dump`) and `weft subnet routes --write` "
                 "writes them. LIDs are those of the dump, where it names the GUIDs of ports.",
        .only_for = "file",
        .selecting = "engine",
        .example = "\"opensm-lfts.dump\""},
    Key{.name = "nue_max_num_vls",
        .binding = bind<&RoutingSettings::nue_lanes>(),
        .fallback = "1",
        .about = "Virtual lanes among which nue divides destinations, at most `infiniband.vls`; 0: all of those. The "
                 "more, the fewer paths are detours. OpenSM's option of the same name.",
        .range = {.low = 0, .high = 15},
        .only_for = "nue",
        .selecting = "engine"},
    Key{.name = "lmc",
        .binding = bind<&RoutingSettings::lmc>(),
        .fallback = "0",
        .about =
            "InfiniBand's LID mask control: each end port has 2^lmc LIDs and the forwarding tables a path for each; "
            "the n-th queue pair of a connection goes to LID n mod 2^lmc, so `collectives.queue_pairs` says how "
            "many of them are used.",
        .range = {.low = 0, .high = 7}},
    Key{.name = "adaptive_service_levels",
        .binding = bind<&RoutingSettings::adaptive_service_levels>(),
        .fallback = "[]",
        .about = "InfiniBand: service levels whose packets switches spread; all others go by the forwarding table. "
                 "`[]`: all are spread.",
        .range = {.low = 0, .high = 15},
        .only_for = "adaptive spray drill",
        .example = "[1]"},
    Key{.name = "cell_size",
        .binding = bind<&RoutingSettings::cell_size>(),
        .fallback = "256 B",
        .about = "Largest cell, with its header; those of a packet are of one size, as near as bytes allow.",
        .range = between(Bytes(64), Bytes(16'384)),
        .only_for = "scheduled"},
    Key{.name = "cell_header",
        .binding = bind<&RoutingSettings::cell_header>(),
        .fallback = "16 B",
        .about = "Of a cell, of its size; what the fabric has to carry beside the packets.",
        .range = between(Bytes::zero(), Bytes(256)),
        .only_for = "scheduled"},
    Key{.name = "credit_size",
        .binding = bind<&RoutingSettings::credit_size>(),
        .fallback = "8 KiB",
        .about = "What a virtual output queue is granted in its turn.",
        .range = between(Bytes(256), Bytes(1'048'576)),
        .only_for = "scheduled"},
    Key{.name = "credit_excess",
        .binding = bind<&RoutingSettings::credit_excess>(),
        .fallback = "2%",
        .about = "How much faster than its line an egress port grants, while its egress buffer has room.",
        .only_for = "scheduled"},
    Key{.name = "credit_latency",
        .binding = bind<&RoutingSettings::credit_latency>(),
        .fallback = "0 ns",
        .about = "From the arrival of a request at the egress port until its scheduler may grant it. Requests and "
                 "grants take the way through the fabric beside that.",
        .range = kLatency,
        .only_for = "scheduled"},
    Key{.name = "egress_buffer",
        .binding = bind<&RoutingSettings::egress_buffer>(),
        .fallback = "256 KiB",
        .about = "Of each host port, for packets and what is needed to put them together: granted, and not yet sent to "
                 "the host, at most.",
        .range = between(Bytes(256), Bytes(1'000'000'000)),
        .only_for = "scheduled"},
    Key{.name = "reassembly_timeout",
        .binding = bind<&RoutingSettings::reassembly_timeout>(),
        .fallback = "100 us",
        .about = "For how long the egress leaf waits for cells of a packet that are lost, before it discards the "
                 "packet and grants its bytes again.",
        .range = kTimer,
        .only_for = "scheduled"},
    Key{.name = "controller_algorithm",
        .binding = bind<&RoutingSettings::controller_algorithm>(),
        .fallback = "cspf",
        .about =
            "How the controller places flows: the largest first on the path that is filled least (CSPF), one after "
            "another, so that the fullest link is filled least (min-max, a linear program whose shares are "
            "rounded), or, before jobs begin, so that flows of their communicators share no link.",
        .only_for = "central"},
    Key{.name = "controller_period",
        .binding = bind<&RoutingSettings::controller_period>(),
        .fallback = "1 ms",
        .about = "Between two readings of counters and link states. With `communicators` of link states alone.",
        .range = between(Duration::microseconds(1), Duration::seconds(600)),
        .only_for = "central"},
    Key{.name = "controller_delay",
        .binding = bind<&RoutingSettings::controller_delay>(),
        .fallback = "100 us",
        .about = "From a reading until what follows from it is in the tables of switches: computing, and writing "
                 "entries. What takes effect is as old as that. What is known before a job begins is in time.",
        .range = kSpan,
        .only_for = "central"},
    Key{.name = "controller_demand",
        .binding = bind<&RoutingSettings::controller_demand>(),
        .fallback = "measured",
        .about = "What a flow is taken to send: as much as it did, or its max-min share of the lines of its sender and "
                 "receiver, if the network were no limit (Hedera). Not for `communicators`, whose flows are alike.",
        .only_for = "central"},
    Key{.name = "controller_threshold",
        .binding = bind<&RoutingSettings::controller_threshold>(),
        .fallback = "10%",
        .about = "Of its sender's line: flows that were seen to send less stay with their hash.",
        .only_for = "central"},
    Key{.name = "controller_paths",
        .binding = bind<&RoutingSettings::controller_paths>(),
        .fallback = "64",
        .about = "Shortest paths between two switches that it considers, at most.",
        .range = {.low = 1, .high = 1'024},
        .only_for = "central"},
    Key{.name = "controller_table",
        .binding = bind<&RoutingSettings::controller_table>(),
        .fallback = "4096",
        .about = "Flows for which a switch has room; of more, the smallest stay with their hash.",
        .range = {.low = 1, .high = 1'048'576},
        .only_for = "central"},
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
            "it has been overtaken and three to nine round trips have passed (`time`); `auto`: `time` with "
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
            "of `paths` in changing orders, those without penalties, recycled ones (REPS), recycled ones and else "
            "those without penalties, each in a fixed order or at random for `path_burst` packets, one at random for "
            "each message, or one until its path has been congested for some rounds (PLB). Those that learn "
            "(`bitmap`, `reps`, `mixed`, `plb`) need `selective-repeat`."},
    Key{.name = "paths",
        .binding = bind<&TransportSettings::paths>(),
        .fallback = "128",
        .about = "RoCEv2: source ports of a queue pair with a `path_selector`, a power of two.",
        .range = {.low = 1, .high = 16'384}},
    Key{.name = "path_burst",
        .binding = bind<&TransportSettings::path_burst>(),
        .fallback = "1",
        .about = "Packets in a row that share a source port; `path_selector` in-turn and random.",
        .range = {.low = 1, .high = 65'536}},
    Key{.name = "plb_threshold",
        .binding = bind<&TransportSettings::plb_threshold>(),
        .fallback = "50%",
        .about = "PLB, of RoCEv2 (`path_selector`) and TCP (`tcp.path_selector`): a round trip in which so many of the "
                 "acknowledged packets were marked is congested."},
    Key{.name = "plb_rounds",
        .binding = bind<&TransportSettings::plb_rounds>(),
        .fallback = "12",
        .about =
            "PLB: congested round trips in a row after which a queue pair or connection takes another path at once.",
        .range = {.low = 1, .high = 31}},
    Key{.name = "plb_idle_rounds",
        .binding = bind<&TransportSettings::plb_idle_rounds>(),
        .fallback = "3",
        .about = "PLB: the same when nothing is in flight; 0: a pause is no reason.",
        .range = {.low = 0, .high = 31}},
    Key{.name = "plb_suspend",
        .binding = bind<&TransportSettings::plb_suspend>(),
        .fallback = "60 s",
        .about = "PLB: after a timeout, which takes another path at once, none is taken for so long and up to as much "
                 "again at random.",
        .range = kSpan},
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
