#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/key_table_parts.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario::key_tables {
namespace {

constexpr KeyRange kPacketBytes = {.low = 40, .high = 256};

constexpr std::array kUet = {
    Key{.name = "delivery",
        .binding = bind<&UetSettings::delivery>(),
        .fallback = "rud",
        .about = "`rud`: reliable, packets in any order over many paths; `rod`: reliable, in order over one path."},
    Key{.name = "encapsulation",
        .binding = bind<&UetSettings::encapsulation>(),
        .fallback = "udp",
        .about = "`udp`: over UDP, whose source port is the entropy value; `native`: over IP with an entropy header."},
    Key{.name = "secure_start",
        .binding = bind<&UetSettings::secure_start>(),
        .fallback = "0-rtt",
        .about = "How a target protects itself from packets of an earlier context: `0-rtt` accepts later PSNs, `1-rtt` "
                 "names one, which costs each new context a round trip."},
    Key{.name = "security",
        .binding = bind<&UetSettings::security>(),
        .fallback = "none",
        .about =
            "`tss`: every packet is encrypted and authenticated, 24 bytes longer for it; `tss-source`: 28, since its "
            "header names the sender."},
    Key{.name = "security_latency",
        .binding = bind<&UetSettings::security_latency>(),
        .fallback = "0 ns",
        .about = "With `security`: what encrypting a packet takes, and again what decrypting it takes, at line rate.",
        .range = kLatency},
    Key{.name = "path_selector",
        .binding = bind<&UetSettings::path_selector>(),
        .fallback = "mixed",
        .about =
            "Which entropy value each packet carries: one for all, each of `paths` in turn, those without penalties, "
            "recycled ones (REPS), or recycled ones and else those without penalties."},
    Key{.name = "paths",
        .binding = bind<&UetSettings::paths>(),
        .fallback = "128",
        .about = "Entropy values of a context, a power of two.",
        .range = {.low = 1, .high = 16'384}},
    Key{.name = "trimming",
        .binding = bind<&UetSettings::trimming>(),
        .fallback = "auto",
        .about = "Whether switches may cut the payload off data packets; `auto`: if they can.",
        .empty_word = "auto"},
    Key{.name = "loss_by_count",
        .binding = bind<&UetSettings::loss_by_count>(),
        .fallback = "auto",
        .about =
            "Whether packets out of order, more than 1.5 windows of them, tell of a loss; `auto`: where nothing is "
            "trimmed.",
        .empty_word = "auto"},
    Key{.name = "contexts",
        .binding = bind<&UetSettings::contexts>(),
        .fallback = "4096",
        .about = "Packet delivery contexts that a NIC has room for, of both directions together.",
        .range = {.low = 2, .high = 65'535}},
    Key{.name = "idle_close",
        .binding = bind<&UetSettings::idle_close>(),
        .fallback = "1 ms",
        .about = "A context without work for so long is closed.",
        .range = kTimer},
    Key{.name = "window",
        .binding = bind<&UetSettings::window>(),
        .fallback = "auto",
        .about =
            "PSNs of a context in flight at most, a power of two; `auto`: eight times the bandwidth-delay product of "
            "the longest path, from 256 to 16384.",
        .range = {.low = 128, .high = 16'384},
        .empty_word = "auto"},
    Key{.name = "ack_every",
        .binding = bind<&UetSettings::ack_every>(),
        .fallback = "16 KiB",
        .about = "Bytes per acknowledgement, where nothing asks for one at once.",
        .range = between(Bytes(1), Bytes(1 << 20))},
    Key{.name = "timeout",
        .binding = bind<&UetSettings::timeout>(),
        .fallback = "auto",
        .about =
            "After which a packet is sent again, doubled each time, but not before two of the longest round trips that "
            "were measured; `auto`: 15 us and six of the longest idle round trips.",
        .range = kTimer,
        .empty_word = "auto"},
    Key{.name = "probe_after",
        .binding = bind<&UetSettings::probe_after>(),
        .fallback = "auto",
        .about = "With nothing heard for so long, a probe asks what has arrived; 0: never; `auto`: three round trips, "
                 "never where switches trim.",
        .range = between(Duration::zero(), Duration::seconds(10)),
        .empty_word = "auto"},
    Key{.name = "retries",
        .binding = bind<&UetSettings::retries>(),
        .fallback = "12",
        .about = "Timeouts of one packet after which its context fails.",
        .range = {.low = 1, .high = 255}},
    Key{.name = "receiver_penalty",
        .binding = bind<&UetSettings::receiver_penalty>(),
        .fallback = "0",
        .about = "Destination flow control: senders' windows shrink by so many 128ths of what is acknowledged.",
        .range = {.low = 0, .high = 127}},
    Key{.name = "header_bytes",
        .binding = bind<&UetSettings::header_bytes>(),
        .fallback = "auto",
        .about = "Of a data packet's frame, everything but its payload; `auto`: as on the wire.",
        .range = kPacketBytes,
        .empty_word = "auto"},
    Key{.name = "control_bytes",
        .binding = bind<&UetSettings::control_bytes>(),
        .fallback = "auto",
        .about = "Frame of an acknowledgement, NACK or control packet; `auto`: as on the wire.",
        .range = kPacketBytes,
        .empty_word = "auto"},
};

}  // namespace

std::span<const Key> uet_keys() { return kUet; }

}  // namespace weft::study::scenario::key_tables
