// Responder half of a datagram queue pair: one packet is one message, from anybody who knows the Q_Key.
//
// A datagram with another Q_Key, and one that finds no receive request, vanish and are counted. The first 40 bytes of
// a receive buffer belong to the GRH: `byte_len` counts them, and they are set to zero, since decoded packets carry no
// image of it; kWcGrh says that the packet had one (on RoCEv2 over IPv4, the IP header in its place). A datagram that
// the buffer has no room for completes the request with kLocLenErr, and the queue pair goes on.
// Source: IBTA 9.8.3, 11.4.1.2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/packet_io.h"
#include "transport/receive_requests.h"
#include "transport/unreliable_types.h"

namespace weft::transport {

/// Bytes of a receive buffer before the data.
inline constexpr std::uint32_t kGrhBytes = 40;

class UdResponder {
 public:
  explicit UdResponder(const verbs::QpInitAttributes& init) : requests_(init) {}

  void start(const UnreliableCall&) {}
  void reset();

  [[nodiscard]] Result<void> post(const verbs::RecvWr& request) { return requests_.post(request); }
  void on_request(const ReceivedPacket& received, const UnreliableCall& call);
  /// Sends the CNP that waits, if any. One waits at most: it is for the sender of the latest marked datagram.
  [[nodiscard]] bool poll_transmit(TransmitSlot& slot, const UnreliableCall& call);
  [[nodiscard]] Time next_transmit() const { return notified_.is_valid() ? Time::zero() : Time::never(); }

  /// A receive request's memory may not be written, or a completion queue overflowed: the queue pair must go to ERR.
  [[nodiscard]] bool failed() const { return failed_; }
  void flush(const UnreliableCall& call) { requests_.flush(call.core, call.context); }
  [[nodiscard]] std::size_t heap_bytes() const { return requests_.heap_bytes(); }

 private:
  void complete(const ReceivedPacket& received, const UnreliableCall& call);

  EndpointId notified_;  // whom the CNP that waits is for
  Qpn notified_qp_;
  std::uint8_t notified_class_ = 0;
  bool failed_ = false;
  ReceiveRequests requests_;
};

}  // namespace weft::transport
