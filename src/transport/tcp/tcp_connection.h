// One TCP connection, sans-I/O: reliable, in-order delivery of a stream of bytes each way over segments that may be
// lost, doubled or reordered.
//
// Driven as every engine is (transport/qp_core.h): on_packet, on_timeout, poll_transmit, next_transmit, next_timeout.
// It keeps byte counts and ranges only; the bytes are its user's (transport/tcp/tcp_stream.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"
#include "transport/packet_io.h"
#include "transport/tcp/tcp_options.h"
#include "transport/tcp/tcp_stream.h"
#include "transport/tcp/tcp_types.h"

namespace weft::transport {

class TcpConnection {
 public:
  /// `identity` names both ends; a passive end learns the peer's port from its SYN. The user and the policies of
  /// `options` must outlive the connection.
  TcpConnection(const TcpIdentity& identity, const TcpOptions& options, TcpStreamUser& user);

  // For the user of the stream.

  /// Active open; the SYN leaves at the next poll_transmit.
  void connect(Time now);
  /// Passive open.
  void listen();
  /// Takes the connection for established, as both ends must do at the same instant: no SYN travels, and both use what
  /// their options offer. For comparisons with connections whose set-up is not simulated either.
  void establish(Time now);

  /// Appends `length` bytes to what is sent; their offsets begin at the total so far. Allowed before the handshake has
  /// ended, not after close().
  void write(std::uint64_t length, Time now);
  /// The user has taken `length` more of the bytes that arrived in order; opens the receive window by as much.
  void consume(std::uint64_t length, Time now);
  /// No more bytes follow: a FIN leaves behind the last of them.
  void close(Time now);
  /// Resets the connection at once.
  void abort(Time now);

  [[nodiscard]] TcpState state() const;
  [[nodiscard]] TcpFailure failure() const;
  /// Bytes written, and acknowledged by the peer, from the start.
  [[nodiscard]] StreamOffset written() const;
  [[nodiscard]] StreamOffset acknowledged() const;
  /// Bytes that have arrived without a gap from the start, and of those consumed.
  [[nodiscard]] StreamOffset arrived() const;
  [[nodiscard]] StreamOffset consumed() const;
  /// The peer has sent its FIN and everything before it has arrived.
  [[nodiscard]] bool peer_closed() const;
  /// Largest payload of a segment now, options in every segment deducted.
  [[nodiscard]] std::uint32_t segment_room() const;

  // For the driver.

  void on_packet(const ReceivedPacket& received, Time now);
  void on_timeout(Time now);
  [[nodiscard]] bool poll_transmit(const TransmitSlot& slot, Time now);
  /// Earliest instant a segment may leave, acknowledgements included.
  [[nodiscard]] Time next_transmit() const;
  /// A pure acknowledgement (or reset) waits, which goes before data and is not paced.
  [[nodiscard]] bool answer_waits() const;
  /// Earliest instant a segment with data (or SYN, FIN) may leave.
  [[nodiscard]] Time next_data() const;
  [[nodiscard]] Time next_timeout() const;

  [[nodiscard]] const TcpCounters& counters() const;
  /// Heap memory held; with sizeof, what one connection costs besides its user's buffers.
  [[nodiscard]] std::size_t heap_bytes() const;
};

}  // namespace weft::transport
