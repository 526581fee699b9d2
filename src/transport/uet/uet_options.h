// What an Ultra Ethernet engine is made with. Every endpoint of a network needs the same options but for pool sizes.
#pragma once

#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/time.h"

namespace weft::transport {

/// How a packet delivery context (PDC) delivers: in any order, or in order on one path.
enum class UetMode : std::uint8_t { kRud, kRod };

/// What a target accepts as the first PSN of a context, so that packets of an earlier one are never executed again.
enum class SecureStart : std::uint8_t {
  kZeroRtt,  // any that is not before the last PSN of an earlier context with this peer
  kOneRtt,   // only the one that the target names in a NACK: costs a round trip each time
};

/// Sizes to use in place of the real ones, all in bytes; for comparison with simulators that count differently.
struct UetSizes {
  std::optional<std::uint16_t> data_headers;  // everything of a data packet but its payload
  std::optional<std::uint16_t> control;       // acknowledgements, NACKs, control packets, and trimmed packets
  std::optional<std::uint16_t> gap;           // that a frame takes besides on the link
  std::uint16_t security = 0;                 // that TSS adds to the real sizes of each packet
};

struct UetOptions {
  UetMode mode = UetMode::kRud;  // of the contexts that serve verbs' queue pairs
  SecureStart secure_start = SecureStart::kZeroRtt;

  /// Contexts that this endpoint has room for, as initiator and target together: 1 to 65,535. One is needed per peer,
  /// direction and traffic class that is in use at a time.
  std::uint16_t max_pdcs = 4'096;
  /// The same for contexts with congestion control; what is beyond is refused as a context without room is: at least 1.
  std::uint16_t max_congestion_contexts = 65'535;
  /// PSNs that all contexts together may track, each of them `psn_window`: at least that many.
  std::uint64_t max_tracked_psns = ~std::uint64_t{0};
  /// An initiator closes a context that has been idle so long; above zero.
  Duration idle_close = Duration::milliseconds(1);

  /// PSNs that may be in flight, and that a target tracks: a power of two, 128 to 32,640.
  std::uint32_t psn_window = 2'048;
  /// A target acknowledges after so many bytes, and at once when something asks for it.
  Bytes ack_every = Bytes(16'384);

  /// From a packet's departure to its being sent again, doubled each time up to `max_timeout`; above zero. Must exceed
  /// the longest round trip.
  Duration timeout = Duration::microseconds(250);
  Duration max_timeout = Duration::milliseconds(4);
  /// A packet that was sent so often again for its timeout fails its context: 1 to 255.
  std::uint8_t max_retries = 12;
  /// With nothing heard for so long while packets are in flight, a probe asks what has arrived; zero: no probes.
  Duration probe_after = Duration::zero();

  /// Packets out of order tell of a loss: more of them than 1.5 windows of congestion control, `loss_window` and
  /// `least_out_of_order` packets. Not needed where switches trim.
  bool loss_by_count = true;
  Bytes loss_window = Bytes::max();
  std::uint16_t least_out_of_order = 5;
  /// A receiver asks again for a packet that so many others have overtaken; 0: it never does.
  std::uint16_t infer_loss_after = 0;

  /// Switches without room may cut the payload off data packets.
  bool trimming = false;

  /// Messages of one queue pair that have begun and are not complete: 1 to 16,384.
  std::uint16_t max_messages = 1'024;
  /// Error responses that a context keeps until they are cleared: at least 1.
  std::uint16_t max_responses = 64;
  /// RUDI: requests under way, and responses that wait to leave; at least 1 each.
  std::uint16_t max_rudi_requests = 256;
  std::uint16_t max_rudi_responses = 256;
  /// What a receiver asks its senders for: their windows shrink by so many 128ths of what is acknowledged (destination
  /// flow control), 0 to 127.
  std::uint8_t receiver_penalty = 0;

  UetSizes sizes{};
  /// What is sent and done is the same without: for tests.
  bool fast_path = true;
  /// Requests and data of READs carry their message's length, place in it and job in the cold record, so that headers
  /// can be written in full: for sockets and captures. Nothing else depends on it.
  bool full_headers = false;
};

}  // namespace weft::transport
