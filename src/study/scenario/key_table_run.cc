#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/key_table_parts.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario::key_tables {
namespace {

constexpr std::array kRun = {
    Key{.name = "name",
        .binding = bind<&Scenario::name>(),
        .fallback = "",
        .about = "Name of the scenario in results. Empty: the name of the file.",
        .use = KeyUse::kPresentation,
        .example = "\"incast\""},
    Key{.name = "seed",
        .binding = bind<&Scenario::seed>(),
        .fallback = "1",
        .about = "Everything random is a function of it and of stable names."},
    Key{.name = "hardware",
        .binding = bind<&Scenario::hardware>(),
        .fallback = "as-sold",
        .about = "`equal` takes switch, NIC, links and cabling from the neutral entries `equal` of the catalogue, so "
                 "that families differ only by protocol."},
    Key{.name = "stop",
        .binding = bind<&Scenario::stop>(),
        .fallback = "when-done",
        .about = "Simulated time at which the run ends; `when-done`: when all traffic is.",
        .range = between(Duration::nanoseconds(1), Duration::seconds(1'000'000)),
        .empty_word = "when-done"},
    Key{.name = "fidelity",
        .binding = bind<&Scenario::fidelity>(),
        .fallback = "packet",
        .about =
            "`packet`: every packet of all traffic. `flow`: messages are drained at max-min fair rates over the same "
            "paths, without queues, loss and congestion control; for `weft run` and `weft collective`, with an error "
            "measured by runs with packets ([flow])."},
};

constexpr std::array kFlow = {
    Key{.name = "probes",
        .binding = bind<&FlowSettings::probes>(),
        .fallback = "1",
        .about =
            "Runs with packets that a run at the flow level is compared with, as far as `probe_hops` let them come: "
            "the first of the same seed, each further one of the next. 0: the error is not measured.",
        .range = {.low = 0, .high = 100}},
    Key{.name = "probe_hops",
        .binding = bind<&FlowSettings::probe_hops>(),
        .fallback = "8000000",
        .about = "Packet-hops of each probe.",
        .range = {.low = 1'000, .high = 1'000'000'000'000}},
};

constexpr std::array kFabric = {
    Key{.name = "family",
        .binding = bind<&FabricSettings::family>(),
        .fallback = kRequired,
        .about = "The protocols on the wire. It selects the catalogue's entry of the same name, where the defaults of "
                 "a family stand."},
    Key{.name = "switch",
        .binding = bind<&FabricSettings::switch_entry>(),
        .fallback = kRequired,
        .about = "The switches.",
        .entry = "switch"},
    Key{.name = "nic",
        .binding = bind<&FabricSettings::nic_entry>(),
        .fallback = kRequired,
        .about = "The NICs.",
        .entry = "nic"},
    Key{.name = "link",
        .binding = bind<&FabricSettings::link_entry>(),
        .fallback = "data-centre",
        .about = "The cables: lengths and bit error rates.",
        .entry = "link"},
    Key{.name = "cabling",
        .binding = bind<&FabricSettings::cabling_entry>(),
        .fallback = "ethernet",
        .about = "What cables and optics cost and how far they reach.",
        .entry = "cabling",
        .use = KeyUse::kCost},
    Key{.name = "qos",
        .binding = bind<&FabricSettings::qos_entry>(),
        .fallback = "default",
        .about = "The classes: which are lossless, marked, strict.",
        .entry = "qos"},
    Key{.name = "pfc",
        .binding = bind<&FabricSettings::pfc_entry>(),
        .fallback = "computed",
        .about = "Thresholds, headroom and watchdog of flow control on Ethernet.",
        .entry = "pfc"},
    Key{.name = "ecn",
        .binding = bind<&FabricSettings::ecn_entry>(),
        .fallback = "onyx",
        .about = "Marking thresholds on Ethernet.",
        .entry = "ecn"},
    Key{.name = "uet",
        .binding = bind<&FabricSettings::uet_entry>(),
        .fallback = "ai-full",
        .about = "Profile of Ultra Ethernet: what its NICs and switches use of it.",
        .entry = "uet"},
    Key{.name = "tuning",
        .binding = bind<&FabricSettings::tuning_entry>(),
        .fallback = "default",
        .about = "Configuration of the whole fabric after existing networks: `default` as in the family's entries, "
                 "`pfc` without congestion control, `untuned` with factory defaults.",
        .entry = "tuning"},
    Key{.name = "mtu",
        .binding = bind<&FabricSettings::mtu>(),
        .fallback = "4096",
        .about =
            "Path MTU, payload bytes of a packet: 256, 512, 1024, 2048 or 4096 on InfiniBand, and for any RoCE that "
            "talks to real peers; in simulated Ethernet any multiple of 4.",
        .range = {.low = 256, .high = 8192}},
    Key{.name = "ip_version",
        .binding = bind<&FabricSettings::ip_version>(),
        .fallback = "ipv4",
        .about =
            "IP header of the packets of RoCEv2, Ultra Ethernet, TCP and iWARP; IPv6 is 20 bytes longer and has a flow "
            "label."},
    Key{.name = "frame_gap",
        .binding = bind<&FabricSettings::frame_gap>(),
        .fallback = "20 B",
        .about = "Preamble and gap of each frame of Ethernet on the wire; 0 as simulators without them have it.",
        .range = between(Bytes::zero(), Bytes(20))},
};

constexpr std::array kTopology = {
    Key{.name = "kind",
        .binding = bind<&TopologySettings::kind>(),
        .fallback = kRequired,
        .about = "Kind of topology. Keys below that name kinds apply to those kinds only."},
    Key{.name = "hosts",
        .binding = bind<&TopologySettings::hosts>(),
        .fallback = "0",
        .about = "Hosts in all; 0: as many as the shape has places.",
        .range = kDevices},
    Key{.name = "nics_per_host",
        .binding = bind<&TopologySettings::nics_per_host>(),
        .fallback = "1",
        .about = "NICs of a host; in `rail-optimised`, one per rail.",
        .range = kPerDevice},
    Key{.name = "ports_per_nic",
        .binding = bind<&TopologySettings::ports_per_nic>(),
        .fallback = "1",
        .about =
            "Ports of a NIC that are wired, each to a leaf of its own: of one fabric (dual-ToR), or with `planes` of "
            "one each.",
        .range = {.low = 1, .high = 16},
        .only_for = "leaf-spine fat-tree rail-optimised file"},
    Key{.name = "gpus_per_host",
        .binding = bind<&TopologySettings::gpus_per_host>(),
        .fallback = "1",
        .about = "GPUs of a host; a job places one rank on each.",
        .range = kPerDevice},
    Key{.name = "planes",
        .binding = bind<&TopologySettings::planes>(),
        .fallback = "1",
        .about =
            "Independent copies of the fabric; port p of a NIC is wired to plane p, so as many as `ports_per_nic`.",
        .range = {.low = 1, .high = 16},
        .only_for = "leaf-spine fat-tree rail-optimised"},
    Key{.name = "leaves",
        .binding = bind<&TopologySettings::leaves>(),
        .fallback = "0",
        .about = "Leaf switches, in `dragonfly-plus` of a group, with `ports_per_nic` for each port; 0: as many as the "
                 "hosts "
                 "need.",
        .range = kDevices,
        .only_for = "leaf-spine dragonfly-plus"},
    Key{.name = "spines",
        .binding = bind<&TopologySettings::spines>(),
        .fallback = "0",
        .about = "Spine switches, in `dragonfly-plus` of a group; 0: as few as `oversubscription` allows, but none for "
                 "rails of one group.",
        .range = kDevices,
        .only_for = "leaf-spine rail-optimised dragonfly-plus"},
    Key{.name = "hosts_per_leaf",
        .binding = bind<&TopologySettings::hosts_per_leaf>(),
        .fallback = "0",
        .about = "Hosts on each leaf, in `torus` on each switch; 0: from `hosts` and the number of those. The last "
                 "leaf of `leaf-spine` and the last group of `rail-optimised` take the hosts that are left.",
        .range = kDevices,
        .only_for = "leaf-spine rail-optimised dragonfly-plus torus"},
    Key{.name = "groups",
        .binding = bind<&TopologySettings::groups>(),
        .fallback = "0",
        .about = "Groups of leaves and spines; 0: as many as the hosts need.",
        .range = kDevices,
        .only_for = "dragonfly-plus"},
    Key{.name = "global_links",
        .binding = bind<&TopologySettings::global_links>(),
        .fallback = "0",
        .about = "Links between every two groups; 0: one for each spine of a group.",
        .range = {.low = 0, .high = 10'000},
        .only_for = "dragonfly-plus"},
    Key{.name = "tiers",
        .binding = bind<&TopologySettings::tiers>(),
        .fallback = "2",
        .about = "Tiers of switches.",
        .range = {.low = 2, .high = 3},
        .only_for = "fat-tree"},
    Key{.name = "radix",
        .binding = bind<&TopologySettings::radix>(),
        .fallback = "0",
        .about = "Ports of a switch in use, even; 0: as many of `switch.ports` as `oversubscription` can split.",
        .range = {.low = 0, .high = 1'024},
        .only_for = "fat-tree"},
    Key{.name = "oversubscription",
        .binding = bind<&TopologySettings::oversubscription>(),
        .fallback = "1:1",
        .about = "Capacity down to capacity up of a leaf; not beside `spines`, which says the same in another way.",
        .only_for = "fat-tree leaf-spine rail-optimised dragonfly-plus"},
    Key{.name = "parallel_links",
        .binding = bind<&TopologySettings::parallel_links>(),
        .fallback = "1",
        .about = "Links between two neighbouring switches.",
        .range = {.low = 1, .high = 512},
        .only_for = "fat-tree leaf-spine rail-optimised dragonfly-plus dumbbell parking-lot torus"},
    Key{.name = "switches",
        .binding = bind<&TopologySettings::switches>(),
        .fallback = "2",
        .about = "Length of the chain.",
        .range = {.low = 2, .high = 1'024},
        .only_for = "parking-lot"},
    Key{.name = "sizes",
        .binding = bind<&TopologySettings::sizes>(),
        .fallback = "[]",
        .about =
            "Switches of a ring in each dimension, of which there are one to three. Cables between switches are those "
            "of tier `leaf`.",
        .range = {.low = 2, .high = 1'024},
        .only_for = "torus",
        .example = "[4, 4, 4]"},
    Key{.name = "domains",
        .binding = bind<&TopologySettings::domains>(),
        .fallback = "one",
        .about = "Whether all switches bridge `one` layer-2 domain (per plane), or each is a router. RoCEv1 and "
                 "InfiniBand cross no router.",
        .only_for = "single-switch dumbbell parking-lot leaf-spine fat-tree rail-optimised dragonfly-plus torus"},
    Key{.name = "file",
        .binding = bind<&TopologySettings::file>(),
        .fallback = "",
        .about = "A graph of nodes and links, relative to the scenario's folder.",
        .only_for = "file",
        .example = "\"plant.topology\""},
};

constexpr std::array kOutput = {
    Key{.name = "sample_interval",
        .binding = bind<&OutputSettings::sample_interval>(),
        .fallback = "none",
        .about = "Time between two samples of queues and rates; `none`: no samples.",
        .range = kTimer,
        .empty_word = "none"},
    Key{.name = "percentiles",
        .binding = bind<&OutputSettings::percentiles>(),
        .fallback = R"(["50%", "90%", "99%", "99.9%"])",
        .about = "Percentiles of completion times, latencies and queues in the summary.",
        .use = KeyUse::kPresentation},
    Key{.name = "ladder",
        .binding = bind<&OutputSettings::ladder>(),
        .fallback = "",
        .about =
            "`PROFILE/FABRIC`: the last message is a rung of the latency ladder under these names, with its stages. "
            "Needs a host profile with stages, and traffic of `send` or `write-imm`.",
        .example = "\"verbs/rocev2\""},
};

}  // namespace

std::span<const Key> run_keys() { return kRun; }
std::span<const Key> flow_keys() { return kFlow; }
std::span<const Key> fabric_keys() { return kFabric; }
std::span<const Key> topology_keys() { return kTopology; }
std::span<const Key> output_keys() { return kOutput; }

}  // namespace weft::study::scenario::key_tables
