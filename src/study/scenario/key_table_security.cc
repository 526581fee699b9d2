#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/key_table_parts.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario::key_tables {
namespace {

constexpr KeyRange kPacketRate = {.low = 1'000, .high = 100'000'000'000};

constexpr std::array kSecurity = {
    Key{.name = "encryption",
        .binding = bind<&SecuritySettings::encryption>(),
        .fallback = "none",
        .about =
            "How packets are encrypted: `none`, or an entry of the catalogue, such as `macsec`, `ipsec`, `psp` or, "
            "for Ultra Ethernet, `tss`.",
        .entry = "encryption"},
    Key{.name = "encryption_layer",
        .binding = bind<&SecuritySettings::encryption_layer>(),
        .fallback = "ip",
        .about =
            "`link`: on each cable anew, by the ports at its ends; `ip`: once from NIC to NIC, behind the IP header; "
            "`uet`: within Ultra Ethernet's headers."},
    Key{.name = "encryption_bytes",
        .binding = bind<&SecuritySettings::encryption_bytes>(),
        .fallback = "0",
        .about = "That each packet is longer by; with layer `link` on wires alone.",
        .range = {.low = 0, .high = 256}},
    Key{.name = "encryption_alignment",
        .binding = bind<&SecuritySettings::encryption_alignment>(),
        .fallback = "1",
        .about = "Bytes to a multiple of which what is encrypted is padded: 4 with ESP.",
        .range = {.low = 1, .high = 16}},
    Key{.name = "encryption_latency",
        .binding = bind<&SecuritySettings::encryption_latency>(),
        .fallback = "0 ns",
        .about = "Of encrypting a packet, and again of decrypting it: at both ends of the path, or of each cable.",
        .range = kLatency},
    Key{.name = "encryption_rate",
        .binding = bind<&SecuritySettings::encryption_rate>(),
        .fallback = "line",
        .about =
            "What the engine of a NIC port encrypts, and as much again that it decrypts, in bits of the wire; `line`: "
            "as fast as the port.",
        .range = kPortRate,
        .empty_word = "line"},
    Key{.name = "encryption_packet_rate",
        .binding = bind<&SecuritySettings::encryption_packet_rate>(),
        .fallback = "unlimited",
        .about = "The same in packets per second.",
        .range = kPacketRate,
        .empty_word = "unlimited"},
    Key{.name = "firewall",
        .binding = bind<&SecuritySettings::firewall>(),
        .fallback = "none",
        .about = "In line before every NIC port, in both directions: `none`, or an entry of the catalogue.",
        .entry = "firewall"},
    Key{.name = "firewall_latency",
        .binding = bind<&SecuritySettings::firewall_latency>(),
        .fallback = "0 ns",
        .about = "That a firewall adds to a packet; each meets two, the sender's and the receiver's.",
        .range = kLatency},
    Key{.name = "firewall_rate",
        .binding = bind<&SecuritySettings::firewall_rate>(),
        .fallback = "line",
        .about = "What it lets through in each direction, in bits of the wire; `line`: as fast as the port.",
        .range = kPortRate,
        .empty_word = "line"},
    Key{.name = "firewall_packet_rate",
        .binding = bind<&SecuritySettings::firewall_packet_rate>(),
        .fallback = "unlimited",
        .about = "The same in packets per second.",
        .range = kPacketRate,
        .empty_word = "unlimited"},
    Key{.name = "buffer",
        .binding = bind<&SecuritySettings::buffer>(),
        .fallback = "4 MiB",
        .about =
            "Of a port, for packets that come in while firewall and decryption are busy. What leaves does not wait "
            "there: the NIC holds it back.",
        .range = kBuffer},
    Key{.name = "overflow",
        .binding = bind<&SecuritySettings::overflow>(),
        .fallback = "drop",
        .about = "When that buffer fills: packets are lost (`drop`), or, by PFC, the switch is paused from half full "
                 "until a quarter is left (`pause`)."},
    Key{.name = "management",
        .binding = bind<&SecuritySettings::management>(),
        .fallback = "separate",
        .about = "Telemetry and management: `separate`, on NICs and a network of their own, which cost the data path "
                 "nothing; `in-band`: through the ports of data, as a traffic named `management`."},
    Key{.name = "management_rate",
        .binding = bind<&SecuritySettings::management_rate>(),
        .fallback = "1 Gbps",
        .about = "In band: payload that each NIC port sends on average, to other ports at random.",
        .range = kAnyRate},
    Key{.name = "management_report",
        .binding = bind<&SecuritySettings::management_report>(),
        .fallback = "16 KiB",
        .about = "In band: size of one message; their times are those of a Poisson process.",
        .range = between(Bytes(1), Bytes(1 << 30))},
    Key{.name = "management_priority",
        .binding = bind<&SecuritySettings::management_priority>(),
        .fallback = "data",
        .about = "In band: its priority or service level; `data`: that of data.",
        .range = {.low = 0, .high = 15},
        .empty_word = "data"},
};

}  // namespace

std::span<const Key> security_keys() { return kSecurity; }

}  // namespace weft::study::scenario::key_tables
