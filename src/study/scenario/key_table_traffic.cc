#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/key_table_parts.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario::key_tables {
namespace {

constexpr std::array kTraffic = {
    Key{.name = "name",
        .binding = bind<&TrafficSettings::name>(),
        .fallback = "",
        .about = "In results. Empty: `traffic` and its number from 0.",
        .example = "\"background\""},
    Key{.name = "kind",
        .binding = bind<&TrafficSettings::kind>(),
        .fallback = kRequired,
        .about = "Traffic pattern. Keys below that name kinds apply to those kinds only."},
    Key{.name = "operation",
        .binding = bind<&TrafficSettings::operation>(),
        .fallback = "write",
        .about =
            "The verb that moves the messages; `write-imm`, a WRITE with immediate data, tells the receiver when it "
            "arrives.",
        .only_for = "flows permutation incast all-to-all poisson checkpoint multicast"},
    Key{.name = "size",
        .binding = bind<&TrafficSettings::size>(),
        .fallback = "1 MiB",
        .about = "Of a message; of the whole vector for `ring-all-reduce` and `collective`, as nccl-tests count it. Of "
                 "a datagram "
                 "of `multicast`, at most `fabric.mtu`.",
        .range = kMessage,
        .only_for = "flows permutation incast all-to-all ring-all-reduce collective checkpoint multicast"},
    Key{.name = "count",
        .binding = bind<&TrafficSettings::count>(),
        .fallback = "1",
        .about = "Messages of each flow, or repetitions of the collective. 0: one after the other until `stop`, or, "
                 "without one, as long as the jobs that run steps; of a collective, and of `multicast`, at least 1. "
                 "Checkpoints: whole ones, each in messages of `size`.",
        .range = {.low = 0, .high = 1'000'000'000},
        .only_for = "flows permutation incast all-to-all ring-all-reduce collective checkpoint multicast"},
    Key{.name = "depth",
        .binding = bind<&TrafficSettings::depth>(),
        .fallback = "1",
        .about =
            "Messages of a flow that may be in flight; of `multicast`, datagrams of a sender that have not left, at "
            "most 4096.",
        .range = {.low = 1, .high = 16'384},
        .only_for = "flows permutation incast all-to-all checkpoint multicast"},
    Key{.name = "start",
        .binding = bind<&TrafficSettings::start>(),
        .fallback = "0 ns",
        .about = "Of the first message, from the start of the run.",
        .range = kSpan},
    Key{.name = "start_jitter",
        .binding = bind<&TrafficSettings::start_jitter>(),
        .fallback = "0 ns",
        .about = "Random start delay of each participant, from 0 to this, drawn from the seed and its name.",
        .range = kSpan},
    Key{.name = "stop",
        .binding = bind<&TrafficSettings::stop>(),
        .fallback = "none",
        .about = "No message is posted from then on. `poisson`, and messages of `count = 0`, without it and without a "
                 "`stop` of the scenario last as long as the jobs that run steps.",
        .range = kSpan,
        .empty_word = "none",
        .only_for = "flows permutation incast all-to-all poisson checkpoint multicast"},
    Key{.name = "load",
        .binding = bind<&TrafficSettings::load>(),
        .fallback = "30%",
        .about = "Offered by each source, of the rate of its link.",
        .only_for = "poisson"},
    Key{.name = "cdf",
        .binding = bind<&TrafficSettings::cdf>(),
        .fallback = "",
        .about = "Distribution of sizes: `websearch`, `fb-hadoop`, `alistorage`, or a file relative to the scenario.",
        .only_for = "poisson",
        .example = "\"websearch\""},
    Key{.name = "shift",
        .binding = bind<&TrafficSettings::shift>(),
        .fallback = "0",
        .about = "Shift permutation: participant i sends to i + shift; 0: a random permutation drawn from the seed.",
        .range = kNonNegative,
        .only_for = "permutation"},
    Key{.name = "rate",
        .binding = bind<&TrafficSettings::rate>(),
        .fallback = "port",
        .about = "Payload of each sender, one datagram after the other at equal intervals; `port`: as fast as the port "
                 "sends them.",
        .range = kAnyRate,
        .empty_word = "port",
        .only_for = "multicast"},
    Key{.name = "fan_in",
        .binding = bind<&TrafficSettings::fan_in>(),
        .fallback = "0",
        .about = "Senders, the first of `sources`; 0: all of them.",
        .range = kDevices,
        .only_for = "incast"},
    Key{.name = "sources",
        .binding = bind<&TrafficSettings::sources>(),
        .fallback = "[]",
        .about = "Who sends: selectors of hosts or NICs, or ranks of `job`; empty: all.",
        .example = "[\"host0\", \"host1\"]"},
    Key{.name = "destinations",
        .binding = bind<&TrafficSettings::destinations>(),
        .fallback = "[]",
        .about =
            "Who receives. `flows`: one per source; `incast`: one in all, by default the last host; `poisson`: any of "
            "these, by default of the sources; `checkpoint`: "
            "storage, any number of hosts; `multicast`: the members of the group, by default all.",
        .only_for = "flows incast poisson checkpoint multicast",
        .example = "[\"host7\"]"},
    Key{.name = "file",
        .binding = bind<&TrafficSettings::file>(),
        .fallback = "",
        .about =
            "File with a list of flows, relative to the scenario; instead of `sources`. Lines `source, destination, "
            "size[, start]`; flows can start when others have ended (\"Flows in a file\").",
        .only_for = "flows",
        .example = "\"flows.txt\""},
    Key{.name = "priority",
        .binding = bind<&TrafficSettings::priority>(),
        .fallback = "qos",
        .about = "Ethernet priority, or InfiniBand service level, of this traffic's data; `qos`: that of [qos].",
        .range = kPriority,
        .empty_word = "qos"},
    Key{.name = "family",
        .binding = bind<&TrafficSettings::family>(),
        .fallback = "fabric",
        .about = "What carries it, where one Ethernet carries several: `tcp` or `iwarp` beside the family of "
                 "[fabric]; `fabric`: that family.",
        .empty_word = "fabric"},
    Key{.name = "required",
        .binding = bind<&TrafficSettings::required>(),
        .fallback = "true",
        .about = "`false`: left out where the network's family cannot carry it, TCP on InfiniBand for example, so that "
                 "networks with and without it can be compared. Results say what was left out."},
    Key{.name = "job",
        .binding = bind<&TrafficSettings::job>(),
        .fallback = "",
        .about =
            "Name of the [[job]] whose ranks take part; empty: hosts take part. Of `checkpoint`, the job whose weights "
            "and optimiser states its ranks write to `destinations`, in turn: 14 bytes of each parameter.",
        .example = "\"llama\""},
    Key{.name = "over",
        .binding = bind<&TrafficSettings::over>(),
        .fallback = "fabric",
        .about = "What carries it: `fabric`, or the links of [scale_up], where GPUs take part (`host0/gpu3`) in place "
                 "of hosts, and pools (`domain0/pool0`) of `flows` and `incast`."},
    Key{.name = "collective",
        .binding = bind<&TrafficSettings::collective>(),
        .fallback = "all-reduce",
        .about = "What the ranks do together, `count` times. `send`: each of the lower half to one of the upper half.",
        .only_for = "collective"},
    Key{.name = "algorithm",
        .binding = bind<&TrafficSettings::algorithm>(),
        .fallback = "auto",
        .about = "How they do it; `auto`: as `collectives.algorithm` says.",
        .only_for = "collective"},
    Key{.name = "root",
        .binding = bind<&TrafficSettings::root>(),
        .fallback = "0",
        .about = "The rank from which a broadcast comes, or to which a reduce goes.",
        .range = kDevices,
        .only_for = "collective"},
    Key{.name = "channels",
        .binding = bind<&TrafficSettings::channels>(),
        .fallback = "collectives",
        .about = "Overrides the key of [collectives].",
        .range = {.low = 0, .high = workload::kMaxChannels},
        .empty_word = "collectives",
        .only_for = "collective"},
    Key{.name = "chunk",
        .binding = bind<&TrafficSettings::chunk>(),
        .fallback = "collectives",
        .about = "Overrides the key of [collectives].",
        .range = between(Bytes(8), Bytes(std::int64_t{1} << 30)),
        .empty_word = "collectives",
        .only_for = "collective"},
    Key{.name = "queue_pairs",
        .binding = bind<&TrafficSettings::queue_pairs>(),
        .fallback = "collectives",
        .about = "Of each connection (of TCP: connections); `collectives`: as many as [collectives] says for a "
                 "collective, 1 for all else.",
        .range = {.low = 1, .high = 128},
        .empty_word = "collectives"},
    Key{.name = "queue_pair_use",
        .binding = bind<&TrafficSettings::queue_pair_use>(),
        .fallback = "collectives",
        .about = "Messages take turns on the queue pairs, each is split over all, or each goes to the one with the "
                 "fewest bytes that have not completed; `collectives`: as [collectives] says for a collective, "
                 "`round-robin` for all else.",
        .empty_word = "collectives"},
    Key{.name = "ends",
        .binding = bind<&TrafficSettings::ends>(),
        .fallback = "ports",
        .about = "Where NICs have several ports (`topology.ports_per_nic`): each sends and receives by itself "
                 "(`host0/nic0/port1`; a rank of `job` by its first), or the NIC does (`host0/nic0`), whose ports take "
                 "the queue pairs of a connection in turn, at both ends. With `nics` a queue pair that is connected "
                 "anew goes on at the next port.",
        .only_for = "flows permutation incast all-to-all poisson checkpoint"},
};

constexpr std::array kEvent = {
    Key{.name = "at",
        .binding = bind<&EventSettings::at>(),
        .fallback = kRequired,
        .about = "From the start of the run.",
        .range = kSpan},
    Key{.name = "select",
        .binding = bind<&EventSettings::select>(),
        .fallback = kRequired,
        .about = "Switches, or links by one of their ports.",
        .example = "\"leaf0/port9\""},
    Key{.name = "action", .binding = bind<&EventSettings::action>(), .fallback = kRequired, .about = "What happens."},
    Key{.name = "rate",
        .binding = bind<&EventSettings::rate>(),
        .fallback = "1 Gbps",
        .about = "Rate of a degraded link.",
        .range = kPortRate,
        .only_for = "degrade"},
    Key{.name = "direction",
        .binding = bind<&EventSettings::direction>(),
        .fallback = "both",
        .about = "Of a degraded link: `both`, or `out`, what leaves the selected ports and nothing else.",
        .only_for = "degrade"},
};

}  // namespace

std::span<const Key> traffic_keys() { return kTraffic; }
std::span<const Key> event_keys() { return kEvent; }

}  // namespace weft::study::scenario::key_tables
