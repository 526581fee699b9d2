// Requester half of a UET queue pair: messages become SES packets, and complete in the order in which they were posted.
//
// Messages are numbered; the low 16 bits of the number are the message id on the wire, the first being the queue
// pair's send PSN. A SEND, or WRITE with immediate data, also carries its place among the messages that consume a
// receive request, so that the receiver can put it where it belongs although packets come in any order. A message is
// complete when all its packets are delivered and, for READ and atomics, all of the answer is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/ring.h"
#include "transport/send_wqe.h"
#include "transport/uet/packet_runs.h"
#include "transport/uet/ses_types.h"

namespace weft::transport {

class SesRequester {
 public:
  /// Starts from RTR: the next message takes the send PSN of the attributes.
  void start(const SesCall& call);
  void reset() { *this = SesRequester{}; }

  /// Errors: limits of the queue pair, an operation that has no form here.
  [[nodiscard]] Result<void> post(const verbs::SendWr& request, const SesCall& call);
  /// A packet may be made now.
  [[nodiscard]] bool ready(const SesCall& call) const;
  /// The next packet; `made` is false if its memory may not be read.
  [[nodiscard]] SesNext make_next(std::uint32_t owner, const TransmitSlot& slot, const SesCall& call);
  [[nodiscard]] std::uint16_t make_again(const SesPacket& packet, const TransmitSlot& slot, const SesCall& call);
  /// The run of packets that make_next would make next, lengths only; it goes on until end_run(), or null: there is
  /// none. `fresh`: the context has to fill in its part.
  struct Run {
    SendRun* run = nullptr;
    bool fresh = false;
  };
  [[nodiscard]] Run find_run(std::uint32_t owner, const wire::PacketCommon& common, const QpCore& core);
  void end_run() { run_.end = 0; }

  /// What PdsClient asks of an owner.
  [[nodiscard]] Bytes backlog(Bytes enough, const SesCall& call) const;
  /// True: it may lead to completions, or to more that can be sent.
  [[nodiscard]] bool on_delivered(const SesPacket& packet, const SesCall& call);
  [[nodiscard]] std::uint32_t count_delivered(const SesPacket& packet, std::uint32_t count);
  void on_response(const SesPacket& packet, std::uint8_t code, const SesCall& call);
  [[nodiscard]] Duration on_refused(const SesPacket& packet, const wire::UetNoticeFields& notice, const SesCall& call);
  /// Data of a READ, the result of an atomic, or an error in their place.
  void on_answer(const ReceivedPacket& received, const SesCall& call);
  /// What has begun can no longer be delivered.
  void on_context_lost(const SesCall& call);

  [[nodiscard]] bool failed() const { return failed_; }
  void flush(const SesCall& call);
  /// Every message begun is complete.
  [[nodiscard]] bool drained() const { return cursor_ == 0 && run_.packet.index == 0; }
  /// READs and atomics begun and not complete.
  [[nodiscard]] std::uint32_t reads() const { return reads_; }
  [[nodiscard]] std::uint32_t queued() const { return queue_.size(); }
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  struct Message {
    SendWqe wqe;
    std::uint32_t delivered = 0;       // packets
    std::uint32_t received = 0;        // bytes of the answer
    std::uint32_t receive_number = 0;  // with consumes_receive()
    bool answered = false;             // READ, atomics
    std::optional<verbs::WcStatus> fault{};
  };

  [[nodiscard]] Message* find(std::uint32_t number);
  [[nodiscard]] std::uint16_t fill(const Message& message, std::uint32_t number, std::uint32_t index,
                                   const TransmitSlot& slot, const SesCall& call) const;
  [[nodiscard]] std::uint16_t fill_data(const Message& message, std::uint32_t index, const TransmitSlot& slot,
                                        const SesCall& call) const;
  [[nodiscard]] static std::uint16_t fill_read(const SendWqe& wqe, const TransmitSlot& slot, const SesCall& call);
  [[nodiscard]] static bool is_done(const Message& message);
  [[nodiscard]] bool take_answer(Message& message, const ReceivedPacket& received, const SesCall& call);
  void fault(Message& message, verbs::WcStatus status, const SesCall& call);
  void complete_in_order(const SesCall& call);
  void complete_front(verbs::WcStatus status, const SesCall& call);

  Ring<Message> queue_;
  std::uint32_t first_ = 0;     // number of the front message
  std::uint32_t cursor_ = 0;    // message that the next packet is of, counted from the front
  SendRun run_;                 // `packet.index`: of that message, whether there is a run or not
  std::uint32_t receives_ = 0;  // number of the next message that consumes a receive request
  std::uint32_t reads_ = 0;
  std::optional<SesPacket> refused_;  // the first packet that found no receive request
  std::uint8_t refusals_ = 0;         // of that packet
  bool stopped_ = false;              // a message has a fault: nothing more is sent
  bool failed_ = false;
};

}  // namespace weft::transport
