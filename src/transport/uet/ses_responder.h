// Responder half of a UET queue pair: places packets as they come, and executes and completes messages in the sender's
// order.
//
// A WRITE's bytes go to memory when they arrive. A message that is whole waits for all messages before it: only then a
// receive request completes, a READ is served, an atomic executed, as a program over verbs expects it. What may not be
// touched is refused by an error response in the acknowledgement of the packet; a READ or atomic that cannot be
// executed in its turn is answered with an error. A message that finds no receive request is not taken (NACK).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ring.h"
#include "transport/uet/packet_runs.h"
#include "transport/uet/receive_window.h"
#include "transport/uet/ses_status.h"
#include "transport/uet/ses_types.h"

namespace weft::transport {

class SesResponder {
 public:
  explicit SesResponder(const verbs::QpInitAttributes& init) : receives_(init) {}
  /// Starts from INIT: the first message has the receive PSN of the attributes.
  void start(const SesCall& call) { first_ = call.attributes().rq_psn.value(); }
  void reset();

  [[nodiscard]] Result<void> post(const verbs::RecvWr& request) { return receives_.post(request); }
  [[nodiscard]] SesReception on_request(const ReceivedPacket& received, const SesCall& call);
  /// Fills in the run of this packet from the middle of a SEND or WRITE: while the message stays incomplete, on_request
  /// would do nothing but count its packets. It holds until on_request() or a change of the queue pair.
  [[nodiscard]] bool find_run(const wire::Packet& packet, const QpCore& core, const verbs::Context& context,
                              TakeRun& run);

  /// Number of the message that is executed next.
  [[nodiscard]] std::uint32_t next_message() const { return first_; }
  /// Answers wait to be sent.
  [[nodiscard]] bool ready() const { return cursor_ < answers_.size(); }
  [[nodiscard]] SesNext make_next(std::uint32_t owner, const TransmitSlot& slot, const SesCall& call);
  [[nodiscard]] std::uint16_t make_again(const SesPacket& packet, const TransmitSlot& slot, const SesCall& call);
  /// What PdsClient asks of an owner.
  [[nodiscard]] Bytes backlog(Bytes enough, const SesCall& call) const;
  void on_delivered(const SesPacket& packet);
  /// Of a READ or atomic that was taken.
  [[nodiscard]] AnswerState answer_state(std::uint16_t message_id) const;
  /// The requester has gone: nobody waits for answers.
  void on_context_lost();

  /// A completion queue overflowed, or a message did not fit: the queue pair goes to ERR.
  [[nodiscard]] bool failed() const { return failed_; }
  /// Somebody touched what is forbidden: an event for the program, once.
  [[nodiscard]] bool take_access_violation() {
    const bool had = access_violation_;
    access_violation_ = false;
    return had;
  }
  void flush(const SesCall& call);
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  /// A message of which something has come, or that is between two of which something has.
  struct Incoming {
    std::uint64_t start = 0;  // address or offset of the first byte; READ and atomics: of the target
    std::uint64_t end = 0;    // past the last
    std::uint64_t operand = 0;
    std::uint64_t compare = 0;
    std::uint32_t received = 0;  // bytes
    std::uint32_t key = 0;
    std::uint32_t immediate = 0;
    std::uint16_t receive_number = 0;                   // with has_immediate: its place among the requests, low bits
    verbs::WcStatus fault = verbs::WcStatus::kSuccess;  // of the receive request
    std::uint8_t operation = 0;
    std::uint8_t atomic_code = 0;
    bool begun = false;
    bool has_start = false;
    bool has_end = false;
    bool has_immediate = false;
    bool solicited = false;
    bool consumes = false;  // a receive request
  };
  struct Answer {
    std::uint64_t address = 0;
    std::uint64_t value = 0;  // of an atomic
    std::uint32_t key = 0;
    std::uint32_t length = 0;
    std::uint32_t packets = 1;
    std::uint32_t delivered = 0;
    std::uint16_t message_id = 0;
    wire::uet::SesReturnCode code = wire::uet::SesReturnCode::kOk;
    bool atomic = false;
  };

  [[nodiscard]] SesReception accept(Incoming& message, const ReceivedPacket& received, const SesCall& call);
  [[nodiscard]] SesReception accept_send(Incoming& message, const ReceivedPacket& received, const SesCall& call);
  [[nodiscard]] SesReception accept_write(Incoming& message, const ReceivedPacket& received, const SesCall& call);
  [[nodiscard]] SesReception accept_fetch(Incoming& message, const ReceivedPacket& received, const SesCall& call);
  [[nodiscard]] static SesReception not_ready(const SesCall& call);
  [[nodiscard]] static SesReception refusal(wire::uet::SesReturnCode code);
  [[nodiscard]] static bool note(Incoming& message, const wire::Packet& packet);
  /// With this packet the message would be whole.
  [[nodiscard]] static bool completes(Incoming message, const wire::Packet& packet);
  /// Where the packet's bytes may go; no room: nowhere.
  struct Room {
    std::uint64_t place = 0;
    std::uint64_t length = 0;
  };
  [[nodiscard]] Room room_for_write(const wire::Packet& packet, const QpCore& core,
                                    const verbs::MemoryTable& memory) const;
  [[nodiscard]] Room room_for_send(const Incoming& message, const wire::Packet& packet, const QpCore& core,
                                   const verbs::Context& context) const;
  void take_header_data(Incoming& message, const ReceivedPacket& received) const;
  [[nodiscard]] static bool is_whole(const Incoming& message);
  void execute_in_order(const SesCall& call);
  void complete(const Incoming& message, const SesCall& call);
  void execute_read(const Incoming& message, const SesCall& call);
  void execute_atomic(const Incoming& message, const SesCall& call);
  [[nodiscard]] std::uint16_t fill(const Answer& answer, std::uint32_t index, const TransmitSlot& slot,
                                   const SesCall& call) const;

  ReceiveWindow receives_;
  Ring<Incoming> incoming_;
  Ring<Answer> answers_;
  std::uint32_t first_ = 0;         // number of the message that is executed next
  std::uint32_t first_answer_ = 0;  // number of the oldest answer not delivered
  std::uint32_t cursor_ = 0;        // answer that the next packet is of, counted from the oldest
  std::uint32_t cursor_packet_ = 0;
  bool failed_ = false;
  bool access_violation_ = false;
};

}  // namespace weft::transport
