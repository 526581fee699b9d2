// Keys of attacks, and of what a network checks against them.
#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/key_table_parts.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario::key_tables {
namespace {

constexpr std::array kAttack = {
    Key{.name = "name",
        .binding = bind<&AttackSettings::name>(),
        .fallback = "",
        .about = "In results. Empty: `attack` and its number from 0.",
        .example = "\"a tenant next door\""},
    Key{.name = "kind",
        .binding = bind<&AttackSettings::kind>(),
        .fallback = kRequired,
        .about =
            "What the attacker does. `forged-r-key`: WRITEs into the victim's connections with an R_Key that it has "
            "to guess; `forged-p-key`: the same from outside of the partition; `forged-q-key`: datagrams to a UD queue "
            "pair of the victim; `psn-guess`: WRITEs with nothing wrong but the PSN; `cnp-flood`: congestion "
            "notifications for its connections; `pause-flood`: PFC frames to the attacker's own switch port; "
            "`rogue-sm`: subnet management packets that send the victim's traffic to the attacker; `bgp-spoof`: resets "
            "of the BGP sessions of the victim's leaf; `gid-spoof`: ARP replies or neighbour advertisements that claim "
            "the victim's address; `rogue-cc`: settings of InfiniBand's congestion control that make the victim's port "
            "send as slowly as its table allows; `forged-sm-key`: requests to subnet administration, for the M_Key of "
            "the victim's leaf, and with it what `rogue-sm` does."},
    Key{.name = "from",
        .binding = bind<&AttackSettings::from>(),
        .fallback = kRequired,
        .about = "The host that the attacker owns (its first port), or a port of it.",
        .example = "\"host3\""},
    Key{.name = "victim",
        .binding = bind<&AttackSettings::victim>(),
        .fallback = kRequired,
        .about = "The host that is attacked (its first port), or a port of it.",
        .example = "\"host0\""},
    Key{.name = "start",
        .binding = bind<&AttackSettings::start>(),
        .fallback = "0 s",
        .about = "Of the first packet.",
        .range = kSpan},
    Key{.name = "stop",
        .binding = bind<&AttackSettings::stop>(),
        .fallback = "none",
        .about = "No packet is sent from then on. `none`: as long as the run.",
        .range = kSpan,
        .empty_word = "none"},
    Key{.name = "rate",
        .binding = bind<&AttackSettings::rate>(),
        .fallback = "1000000",
        .about = "Packets a second, as far as the port takes them.",
        .range = {.low = 1, .high = 1'000'000'000}},
    Key{.name = "bandwidth",
        .binding = bind<&AttackSettings::bandwidth>(),
        .fallback = "none",
        .about = "Bits a second on the wire, headers and gaps included, as far as the port takes them; in place of "
                 "`rate`.",
        .range = kAnyRate,
        .empty_word = "none"},
    Key{.name = "knows",
        .binding = bind<&AttackSettings::knows>(),
        .fallback = "auto",
        .about =
            "Fields of the victim's connections that the attacker has seen; others it guesses. `psn` is that of the "
            "next packet of the genuine sender (of `bgp-spoof`: of the session's next byte). Addresses of memory are "
            "known. `sm-key`, that of subnet administration, is tried as OpenSM's default, 1, where it is not known. "
            "`auto`: everything but what the kind is about.",
        .empty_word = "auto",
        .only_for = "forged-r-key forged-p-key forged-q-key psn-guess cnp-flood bgp-spoof forged-sm-key",
        .example = "[\"qpn\", \"psn\", \"p-key\"]"},
    Key{.name = "guess",
        .binding = bind<&AttackSettings::guess>(),
        .fallback = "random",
        .about = "How what is not known is tried. `sequential`: one value after the other; R_Keys from the first that "
                 "a device gives which numbers them so.",
        .only_for = "forged-r-key forged-p-key forged-q-key psn-guess cnp-flood bgp-spoof"},
    Key{.name = "payload",
        .binding = bind<&AttackSettings::payload>(),
        .fallback = "64 B",
        .about = "Of a forged WRITE or datagram.",
        .range = between(Bytes(1), Bytes(256)),
        .only_for = "forged-r-key forged-p-key forged-q-key psn-guess"},
};

constexpr std::array kKeys = {
    Key{.name = "attacks",
        .binding = bind<&KeySettings::attacks>(),
        .fallback = "true",
        .about = "`false`: no [[attack]] happens. What a victim loses is the difference of two cases."},
    Key{.name = "partitions",
        .binding = bind<&KeySettings::partitions>(),
        .fallback = "default",
        .about = "`default`: every queue pair has the P_Key 0xFFFF. `per-job`: those of each [[traffic]] and [[job]] "
                 "have one of their own, drawn from the seed. `file`: ports of InfiniBand have the P_Keys that OpenSM "
                 "gives them by `partition_file`, and a queue pair has that of its path as OpenSM answers it: of the "
                 "lowest partition by which both ends may talk. NICs discard packets of another partition always."},
    Key{.name = "partition_file",
        .binding = bind<&KeySettings::partition_file>(),
        .fallback = "",
        .about = "Path of a `partitions.conf` of OpenSM, with the GUIDs that `weft subnet show` has for the scenario. "
                 "Traffic between ports that share no partition, or are limited members of it both, is refused before "
                 "the run. See docs/subnet.md.",
        .only_for = "file",
        .selecting = "partitions",
        .example = "\"partitions.conf\""},
    Key{.name = "switch_enforcement",
        .binding = bind<&KeySettings::switch_enforcement>(),
        .fallback = "false",
        .about = "Switches of InfiniBand discard packets of a host with the P_Key of a partition that it is not in. "
                 "Only forged packets have such keys. OpenSM's default is on (part_enforce both)."},
    Key{.name = "r_keys",
        .binding = bind<&KeySettings::r_keys>(),
        .fallback = "random",
        .about = "How NICs number memory regions. `sequential`: one key tells the next ones, as ReDMArk (USENIX "
                 "Security 2021) found of several NICs and drivers."},
    Key{.name = "source_check",
        .binding = bind<&KeySettings::source_check>(),
        .fallback = "false",
        .about =
            "Leaves of Ethernet discard what comes from a host with a source address that is not its own: IP source "
            "guard, and inspection of ARP and neighbour discovery. Switches of InfiniBand have no such check."},
    Key{.name = "cnp_limit",
        .binding = bind<&KeySettings::cnp_limit>(),
        .fallback = "none",
        .about =
            "A NIC discards congestion notifications for a queue pair that come sooner after the last one it took.",
        .range = kTimer,
        .empty_word = "none"},
    Key{.name = "m_key",
        .binding = bind<&KeySettings::m_key>(),
        .fallback = "false",
        .about = "Switches of InfiniBand take no subnet management packets without their M_Key, of 64 bits, which "
                 "hosts do not have (OpenSM: m_key, m_key_protection_level 2)."},
    Key{.name = "sa_key",
        .binding = bind<&KeySettings::sa_key>(),
        .fallback = "false",
        .about =
            "Subnet administration has an SM_Key of its own, of 64 bits, which hosts do not have (OpenSM: sa_key). "
            "Requests without one are answered with 0 in place of M_Keys, those with another are discarded. "
            "`false`: it is OpenSM's default, 1, with which everybody is told M_Keys."},
    Key{.name = "cc_key",
        .binding = bind<&KeySettings::cc_key>(),
        .fallback = "false",
        .about = "Agents of InfiniBand's congestion control (class 21h) take no settings without their CC_Key, of 64 "
                 "bits, which hosts do not have (OpenSM: cc_key; IBTA annex A10)."},
    Key{.name = "bgp_password",
        .binding = bind<&KeySettings::bgp_password>(),
        .fallback = "false",
        .about = "Segments of BGP are authenticated (RFC 2385, RFC 5925)."},
    Key{.name = "bgp_ttl_security",
        .binding = bind<&KeySettings::bgp_ttl_security>(),
        .fallback = "false",
        .about = "Switches take segments of BGP with TTL 255 alone (RFC 5082): not from further away than the leaf's "
                 "own hosts."},
};

}  // namespace

std::span<const Key> attack_keys() { return kAttack; }
std::span<const Key> key_keys() { return kKeys; }

}  // namespace weft::study::scenario::key_tables
