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
#include "transport/tcp/tcp_core.h"
#include "transport/tcp/tcp_options.h"
#include "transport/tcp/tcp_receiver.h"
#include "transport/tcp/tcp_sender.h"
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

  [[nodiscard]] TcpState state() const { return state_; }
  [[nodiscard]] TcpFailure failure() const { return failure_; }
  /// Bytes written, and acknowledged by the peer, from the start.
  [[nodiscard]] StreamOffset written() const { return sender_.written(); }
  [[nodiscard]] StreamOffset acknowledged() const { return sender_.acknowledged(); }
  /// Bytes that have arrived without a gap from the start, and of those consumed.
  [[nodiscard]] StreamOffset arrived() const { return receiver_.arrived(); }
  [[nodiscard]] StreamOffset consumed() const { return receiver_.consumed(); }
  /// The peer has sent its FIN and everything before it has arrived.
  [[nodiscard]] bool peer_closed() const { return receiver_.fin_taken(); }
  /// Largest payload of a segment now, options in every segment deducted.
  [[nodiscard]] std::uint32_t segment_room() const { return core_.room(); }

  // For the driver.

  void on_packet(const ReceivedPacket& received, Time now);
  void on_timeout(Time now);
  [[nodiscard]] bool poll_transmit(const TransmitSlot& slot, Time now);
  /// Earliest instant a segment may leave, acknowledgements included.
  [[nodiscard]] Time next_transmit() const { return response_pending() ? Time::zero() : next_data(); }
  /// A pure ACK (or RST) is pending; it is sent before data and not paced.
  [[nodiscard]] bool response_pending() const {
    return reset_waits_ || (receiver_.acknowledgement_waits() && is_synchronized()) || sender_.window_probe_waits();
  }
  /// Earliest instant a segment with data (or SYN, FIN) may leave.
  [[nodiscard]] Time next_data() const { return sender_.next_data(core_); }
  [[nodiscard]] Time next_timeout() const {
    return earlier(earlier(sender_.next_timeout(), receiver_.next_timeout()), time_wait_at_);
  }

  [[nodiscard]] const TcpCounters& counters() const { return core_.counters; }
  [[nodiscard]] const TcpIdentity& identity() const { return core_.identity; }
  [[nodiscard]] const TcpOptions& options() const { return core_.options; }
  /// What load balancing tells its segments by, in the next one: the source port, or the flow label of PLB.
  [[nodiscard]] std::uint16_t entropy() const { return core_.entropy; }
  /// The sending half, for reports and tests: windows and round-trip times.
  [[nodiscard]] const TcpSender& sender() const { return sender_; }
  /// Heap memory held; with sizeof, what one connection costs besides its user's buffers.
  [[nodiscard]] std::size_t heap_bytes() const { return sender_.heap_bytes() + receiver_.heap_bytes(); }

 private:
  /// A segment taken apart, in numbers that do not wrap.
  struct Segment {
    TcpSequence begin = 0;
    TcpSequence end = 0;  // SYN and FIN counted
    TcpSequence acknowledged = 0;
  };

  [[nodiscard]] bool is_synchronized() const {
    return state_ != TcpState::kClosed && state_ != TcpState::kListen && state_ != TcpState::kSynSent;
  }
  [[nodiscard]] bool takes_data() const {
    return state_ == TcpState::kEstablished || state_ == TcpState::kFinWait1 || state_ == TcpState::kFinWait2;
  }
  [[nodiscard]] Segment decode_segment(const wire::Packet& packet) const;

  // tcp_connection_open.cc: before the connection is established.
  void send_reset_for(const wire::Packet& packet);
  void on_segment_in_listen(const wire::Packet& packet, Time now);
  void on_segment_in_syn_sent(const wire::Packet& packet, Time now);
  void take_syn(const wire::TcpHeader& header, Time now);
  void agree(const wire::TcpHeader& syn);
  [[nodiscard]] bool on_ack_in_syn_received(const wire::Packet& packet, const Segment& segment, Time now);
  void become_established(const wire::TcpHeader& header, Time now);

  // tcp_connection.cc: after that.
  [[nodiscard]] bool take_next(const ReceivedPacket& received, Time now);
  void on_segment(const ReceivedPacket& received, Time now);
  [[nodiscard]] bool is_acceptable(const ReceivedPacket& received, const Segment& segment, Time now);
  [[nodiscard]] bool passes_checks(const wire::Packet& packet, const Segment& segment, Time now);
  void on_reset(const Segment& segment, Time now);
  void take_ack(const ReceivedPacket& received, const Segment& segment, Time now);
  void take_data(const ReceivedPacket& received, const Segment& segment, Time now);
  void after_fin_acknowledged(Time now);
  void after_peer_fin(Time now);
  void send_throttled_ack(Time now);
  void queue_reset(std::uint32_t sequence, std::uint32_t acknowledgement, std::uint8_t flags);
  void begin_close(Time now);
  void enter_time_wait(Time now);
  void restart_time_wait(const wire::Packet& packet, Time now);
  void end(TcpFailure failure);

  // Packets out.
  void start_segment(wire::Packet& packet, Time now);
  void fill_reset(wire::Packet& packet, Time now);
  void fill_response(const TransmitSlot& slot, Time now);

  TcpCore core_;
  TcpSender sender_;
  TcpReceiver receiver_;
  Time time_wait_at_ = Time::never();
  Time throttled_until_;  // challenge ACKs are not sent before this time
  std::uint32_t reset_sequence_ = 0;
  std::uint32_t reset_acknowledgement_ = 0;
  TcpState state_ = TcpState::kClosed;
  TcpFailure failure_ = TcpFailure::kNone;
  std::uint8_t reset_flags_ = 0;
  bool reset_waits_ = false;
  bool close_waits_ = false;  // close() was called before the connection was established
  bool passive_ = false;
};

}  // namespace weft::transport
