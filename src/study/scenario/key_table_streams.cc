#include <array>

#include "study/scenario/key_ranges.h"
#include "study/scenario/key_table_parts.h"
#include "study/scenario/value_codec.h"

namespace weft::study::scenario::key_tables {
namespace {

constexpr KeyRange kRto = between(Duration::microseconds(1), Duration::seconds(120));
constexpr KeyRange kStreamBuffer = between(Bytes(4'096), Bytes((std::int64_t{1} << 30) - 1));

constexpr std::array kTcp = {
    Key{.name = "congestion_control",
        .binding = bind<&TcpSettings::congestion_control>(),
        .fallback = "cubic",
        .about = "What decides the congestion window."},
    Key{.name = "ecn",
        .binding = bind<&TcpSettings::ecn>(),
        .fallback = "auto",
        .about = "Use of marks: none, one reduction per round trip, or an echo of each mark as DCTCP needs; `auto`: "
                 "`per-packet` with DCTCP, else `off`. The switches mark where `ethernet.priority.X.ecn` says.",
        .empty_word = "auto"},
    Key{.name = "mss",
        .binding = bind<&TcpSettings::mss>(),
        .fallback = "mtu",
        .about = "Payload of a segment, options not deducted; `mtu`: as much as `fabric.mtu`.",
        .range = {.low = 536, .high = 9'216},
        .empty_word = "mtu"},
    Key{.name = "receive_buffer",
        .binding = bind<&TcpSettings::receive_buffer>(),
        .fallback = "6 MiB",
        .about = "Of a connection: bounds the window that it offers.",
        .range = kStreamBuffer},
    Key{.name = "send_buffer",
        .binding = bind<&TcpSettings::send_buffer>(),
        .fallback = "4 MiB",
        .about = "Of a connection: bytes handed to TCP that may be unacknowledged.",
        .range = kStreamBuffer},
    Key{.name = "initial_window",
        .binding = bind<&TcpSettings::initial_window>(),
        .fallback = "10",
        .about = "Segments of the first window.",
        .range = {.low = 1, .high = 255}},
    Key{.name = "minimum_rto",
        .binding = bind<&TcpSettings::minimum_rto>(),
        .fallback = "200 ms",
        .about = "Lower bound of the retransmission timeout; Linux has 200 ms.",
        .range = kRto},
    Key{.name = "initial_rto",
        .binding = bind<&TcpSettings::initial_rto>(),
        .fallback = "1 s",
        .about = "The timeout before anything was measured.",
        .range = kRto},
    Key{.name = "loss_detection",
        .binding = bind<&TcpSettings::loss_detection>(),
        .fallback = "rack",
        .about = "By time of sending, with probes for lost tails, or by three duplicate acknowledgements."},
    Key{.name = "selective_acks",
        .binding = bind<&TcpSettings::selective_acks>(),
        .fallback = "true",
        .about = "Whether SACK is offered."},
    Key{.name = "timestamps",
        .binding = bind<&TcpSettings::timestamps>(),
        .fallback = "true",
        .about = "Whether every segment carries 12 bytes of timestamps."},
    Key{.name = "ack_every",
        .binding = bind<&TcpSettings::ack_every>(),
        .fallback = "2",
        .about = "Segments per acknowledgement.",
        .range = {.low = 1, .high = 255}},
    Key{.name = "delayed_ack",
        .binding = bind<&TcpSettings::delayed_ack>(),
        .fallback = "40 ms",
        .about = "Longest wait of an acknowledgement for a second segment.",
        .range = kTimer},
    Key{.name = "pacing",
        .binding = bind<&TcpSettings::pacing>(),
        .fallback = "off",
        .about = "`window`: the window is spread over a round trip."},
    Key{.name = "nagle",
        .binding = bind<&TcpSettings::nagle>(),
        .fallback = "false",
        .about = "Whether a short segment waits while others are unacknowledged."},
    Key{.name = "setup",
        .binding = bind<&TcpSettings::setup>(),
        .fallback = "established",
        .about = "`established`: connections are there when the run begins, as those of RC are; `on-the-wire`: the "
                 "first use of each is a handshake."},
    Key{.name = "path_selector",
        .binding = bind<&TcpSettings::path_selector>(),
        .fallback = "single",
        .about = "Which flow label the segments of a connection carry over IPv6: one for ever, or another one once its "
                 "path has been congested for some rounds (`plb`, by `transport.plb_*`). Switches must hash it "
                 "(`routing.hash_fields` with flow-label), and marks must be echoed one by one (`ecn` per-packet)."},
};

constexpr std::array kIwarp = {
    Key{.name = "mpa_revision",
        .binding = bind<&IwarpSettings::mpa_revision>(),
        .fallback = "2",
        .about = "Of the set-up frames: 1, or 2 with negotiated READ depths.",
        .range = {.low = 1, .high = 2}},
    Key{.name = "crc",
        .binding = bind<&IwarpSettings::crc>(),
        .fallback = "true",
        .about = "Whether FPDUs are protected by a CRC of their own."},
    Key{.name = "markers",
        .binding = bind<&IwarpSettings::markers>(),
        .fallback = "false",
        .about = "Whether a marker stands in every 512 bytes of the stream."},
    Key{.name = "early_placement",
        .binding = bind<&IwarpSettings::early_placement>(),
        .fallback = "true",
        .about = "Whether tagged data that come out of order are placed at once."},
    Key{.name = "minimum_rto",
        .binding = bind<&IwarpSettings::minimum_rto>(),
        .fallback = "10 ms",
        .about = "Minimum RTO of the TCP engine in the NIC, instead of `tcp.minimum_rto`: offload engines have tens of "
                 "milliseconds.",
        .range = kRto},
};

}  // namespace

std::span<const Key> tcp_keys() { return kTcp; }
std::span<const Key> iwarp_keys() { return kIwarp; }

}  // namespace weft::study::scenario::key_tables
