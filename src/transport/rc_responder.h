// Responder half of a reliable connection: executes requests exactly once and in PSN order, responds to them, and
// responds to duplicates without executing them again.
//
// Responses are sent in PSN order: READ and atomic responses first, then one NAK or one coalesced ACK. A bad request is
// answered with its NAK and makes `failed()` true; the NAK still leaves afterwards. Memory is touched only after its
// key, range and rights were checked. Source: IBTA 9.7.4, 9.7.5.
#pragma once

#include <cstdint>
#include <memory>

#include "base/ring.h"
#include "transport/loss/reorder_buffer.h"
#include "transport/packet_io.h"
#include "transport/rc_types.h"
#include "transport/receive_requests.h"
#include "wire/aeth_syndrome.h"
#include "wire/opcode.h"

namespace weft::transport {

class RcResponder {
 public:
  explicit RcResponder(const verbs::QpInitAttributes& init) : receives_(init) {}

  /// Starts from INIT: expects the receive PSN of the attributes. Posted requests stay.
  void start(const RcCall& call);
  void reset();

  [[nodiscard]] Result<void> post(const verbs::RecvWr& request) { return receives_.post(request); }

  void on_request(const ReceivedPacket& received, const RcCall& call);
  /// Tells the receiver half of congestion control of a packet with data: `on_request` does; READ data need it too.
  void observe_mark(const wire::Packet& packet, const RcCall& call) { observe_mark(packet, call.core, call.now); }
  /// Fast path for the middle of a message in runs without payload bytes; false if it does not apply.
  [[nodiscard]] bool continue_message(const ReceivedPacket& received, const RcCore& core, Time now);
  /// The same for a packet with an address of its own, in its turn or early.
  [[nodiscard]] bool place_middle(const ReceivedPacket& received, const RcCall& call);
  /// Fast path for an acknowledgement, when it is the only pending response.
  [[nodiscard]] bool poll_ack_fast(const TransmitSlot& slot, const RcCore& core);
  [[nodiscard]] bool poll_transmit(const TransmitSlot& slot, const RcCall& call);
  /// When an answer may be sent: at once, later (paced READ data), or never.
  [[nodiscard]] Time next_transmit() const {
    if (sends_data())
      return (hot_.pending & kPendingCnp) != 0 ? Time::zero() : paced_until_;
    return hot_.pending != 0 ? Time::zero() : Time::never();
  }
  [[nodiscard]] bool has_response() const { return hot_.pending != 0 || sends_data(); }
  [[nodiscard]] bool cnp_pending() const { return (hot_.pending & kPendingCnp) != 0; }
  /// READ data wait to be sent (so that requester and responder can share the wire fairly).
  [[nodiscard]] bool sends_data() const { return hot_.emit_index < hot_.resources.size(); }

  [[nodiscard]] bool failed() const { return failed_; }
  /// Stops sending, as a queue pair in ERR does; the NAK of the failing request is still sent.
  void stop_responding();
  /// Completes the receive request in use and all posted ones of its own queue with kWrFlushErr.
  void flush(const RcCall& call);

  [[nodiscard]] Psn expected_psn() const { return hot_.expected; }
  [[nodiscard]] Psn msn() const { return hot_.msn; }
  [[nodiscard]] std::size_t heap_bytes() const;
  [[nodiscard]] std::size_t held_packets() const;

 private:
  /// A READ or atomic response, kept for (re)transmission.
  struct Resource {
    std::uint64_t address = 0;
    std::uint64_t result = 0;  // of an atomic
    std::uint32_t key = 0;
    std::uint32_t length = 0;
    std::uint32_t packets = 1;
    Psn first_psn;
    bool atomic = false;
    bool answered = false;  // sent completely at least once
  };
  enum PendingResponse : std::uint8_t { kPendingAck = 1, kPendingNak = 2, kPendingCnp = 4 };
  enum class Message : std::uint8_t { kNone, kSend, kWrite };

  /// What almost every packet touches, together and no longer than a cache line.
  struct Hot {
    Ring<Resource> resources;
    std::uint64_t address = 0;     // where the next bytes of a WRITE go
    std::uint32_t remaining = 0;   // bytes that a WRITE still has to bring
    std::uint32_t received = 0;    // bytes of the message so far
    std::uint32_t key = 0;         // of the WRITE in progress
    std::uint32_t emit_index = 0;  // resource to answer next
    std::uint32_t emit_packet = 0;
    Psn expected;  // ePSN
    Psn msn;
    std::uint8_t pending = 0;  // Answer bits that wait
    Message message = Message::kNone;
    std::uint8_t nak_syndrome = 0;
    bool nak_outstanding = false;  // NAK sent for ePSN: no further NAK until it arrives
  };
  static_assert(sizeof(Hot) == 64);

  /// What became of a request in its turn.
  enum class Verdict : std::uint8_t { kAccepted, kReceiverNotReady, kRejected };

  [[gnu::noinline]] void observe_mark(const wire::Packet& packet, const RcCore& core, Time now);
  void name_path(const wire::Packet& packet);
  void on_early(const ReceivedPacket& received, const RcCall& call);
  void on_duplicate(const ReceivedPacket& received, const RcCall& call);
  void replay(const wire::IbTransportHeader& header, const RcCall& call);
  void drain_early(const RcCall& call);
  [[nodiscard]] bool place_early(const ReceivedPacket& received, const RcCall& call);
  [[nodiscard]] static bool may_place(const wire::RethFields& reth, std::uint32_t payload, const RcCall& call);
  [[nodiscard]] bool beyond_buffer(Psn psn, const RcCall& call) const;
  void on_untracked(const RcCall& call);
  Verdict execute(const ReceivedPacket& received, bool placed, const RcCall& call);
  [[nodiscard]] bool fits_sequence(wire::Operation operation, const wire::OpcodeInfo& info) const;
  Verdict execute_send(const ReceivedPacket& received, const wire::OpcodeInfo& info, const RcCall& call);
  Verdict execute_write(const ReceivedPacket& received, const wire::OpcodeInfo& info, bool placed, const RcCall& call);
  Verdict execute_read(const ReceivedPacket& received, const RcCall& call);
  Verdict execute_atomic(const ReceivedPacket& received, const RcCall& call);
  [[nodiscard]] bool make_resource_room(const RcCall& call);
  [[nodiscard]] bool length_fits(const ReceivedPacket& received, const wire::OpcodeInfo& info,
                                 const RcCall& call) const;
  Verdict complete_receive(const wire::IbTransportHeader& header, const wire::OpcodeInfo& info, const RcCall& call);
  void accepted(const wire::IbTransportHeader& header, std::uint32_t psns, bool message_ends);
  Verdict reject(wire::NakCode code, const RcCall& call);
  Verdict not_ready(const RcCall& call);
  void fail_receive(verbs::WcStatus status, const RcCall& call);

  /// The emission cursor lies in the list of resources; for assertions.
  [[nodiscard]] bool cursor_in_range() const;
  [[nodiscard]] bool poll_resource(const TransmitSlot& slot, const RcCall& call);
  void emit_acknowledge(const TransmitSlot& slot, const RcCall& call);
  void emit_cnp(const TransmitSlot& slot, const RcCall& call);
  [[nodiscard]] std::uint8_t ack_syndrome(const RcCall& call);

  Hot hot_;
  ReceiveRequests receives_;
  std::unique_ptr<ReorderBuffer> early_;  // selective repeat, on first use
  Time paced_until_;                      // READ data obey the pacing of congestion control
  std::uint32_t replay_start_ = 0;        // packet at which the answer being sent began
  std::uint16_t marked_entropy_ = 0;      // of the latest marked packet, where marked paths are named
  bool names_path_ : 1 = false;           // the next acknowledgement says so
  bool has_telemetry_ : 1 = false;        // the next acknowledgement brings it back
  bool echo_mark_ : 1 = false;            // the next acknowledgement carries BECN
  bool duplicate_ : 1 = false;            // the next one says that a request has come twice
  bool failed_ : 1 = false;
};

}  // namespace weft::transport
