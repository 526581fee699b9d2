// Responder half of an unreliable connection: takes messages whose packets arrive without a gap, drops all others.
//
// After a gap it waits for the first packet of a message and goes on from that packet's PSN, whatever it is. Memory is
// touched only after its key, range and rights were checked; bytes of a WRITE that is dropped later stay written.
// Source: IBTA 9.8.2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/packet_io.h"
#include "transport/receive_requests.h"
#include "transport/unreliable_types.h"
#include "wire/opcode.h"

namespace weft::transport {

class UcResponder {
 public:
  explicit UcResponder(const verbs::QpInitAttributes& init) : requests_(init) {}

  /// Starts from INIT: expects the receive PSN of the attributes. Posted requests stay.
  void start(const UnreliableCall& call) { expected_ = call.attributes().rq_psn; }
  void reset();

  [[nodiscard]] Result<void> post(const verbs::RecvWr& request) { return requests_.post(request); }
  void on_request(const ReceivedPacket& received, const UnreliableCall& call);
  [[nodiscard]] bool poll_transmit(TransmitSlot& slot, const UnreliableCall& call);
  [[nodiscard]] Time next_transmit() const { return cnp_waits_ ? Time::zero() : Time::never(); }

  /// A receive request's memory may not be written, or a completion queue overflowed: the queue pair must go to ERR.
  [[nodiscard]] bool failed() const { return failed_; }
  void flush(const UnreliableCall& call) { requests_.flush(call.core, call.context); }

  [[nodiscard]] Psn expected_psn() const { return expected_; }
  [[nodiscard]] std::size_t heap_bytes() const { return requests_.heap_bytes(); }

 private:
  enum class Message : std::uint8_t { kNone, kSend, kWrite };

  [[nodiscard]] bool follows(wire::Operation operation) const;
  void drop_message(const UnreliableCall& call);
  [[nodiscard]] bool take_receive(const UnreliableCall& call);
  void accept_send(const ReceivedPacket& received, const wire::OpcodeInfo& info, const UnreliableCall& call);
  void accept_write(const ReceivedPacket& received, const wire::OpcodeInfo& info, const UnreliableCall& call);
  [[nodiscard]] bool place(const ReceivedPacket& received, const UnreliableCall& call);
  void complete(const wire::IbTransportHeader& header, const wire::OpcodeInfo& info, const UnreliableCall& call);

  std::uint64_t address_ = 0;    // where the next bytes of a WRITE go
  std::uint32_t remaining_ = 0;  // bytes that a WRITE still has to bring
  std::uint32_t key_ = 0;        // of the WRITE in progress
  std::uint32_t received_ = 0;   // bytes of the message so far
  Psn expected_;                 // ePSN
  Message message_ = Message::kNone;
  bool cnp_waits_ = false;
  bool failed_ = false;
  ReceiveRequests requests_;
};

}  // namespace weft::transport
