// iWARP: verbs over MPA, DDP and RDMAP on a TCP connection.
//
// FPDUs are aligned with TCP segments, so tagged data (WRITE, READ response) are placed even when they come out of
// order; messages are delivered and completed in order. Violations are answered with a TERMINATE, after which the queue
// pair is in ERR. WRITE completes when TCP has acknowledged it. READs in flight are bounded by ORD and the peer's IRD.
// WRITE with immediate data is an RDMA WRITE and an Immediate Data message (RFC 7306). Refused in post_send: atomics
// and SEND with immediate data. Choices: docs/decisions/0018-iwarp.md. Source: RFC 5044, 6581, 5041, 5040, 7306.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/ring.h"
#include "transport/iwarp/iwarp_types.h"
#include "transport/iwarp/mpa_negotiation.h"
#include "transport/stream/stream_queue_pair.h"
#include "wire/ddp.h"
#include "wire/mpa.h"
#include "wire/rdmap.h"

namespace weft::transport {

class IwarpQueuePair final : public StreamQueuePair {
 public:
  IwarpQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init, const IwarpOptions& options = {});
  ~IwarpQueuePair() override;

  [[nodiscard]] const IwarpNegotiated& agreement() const { return agreement_; }
  [[nodiscard]] bool in_full_operation() const { return phase_ == Phase::kOperation; }
  /// The TERMINATE sent or received; null if there was none.
  [[nodiscard]] const wire::Terminate* terminate_sent() const { return terminate_sent_.get(); }
  [[nodiscard]] const wire::Terminate* terminate_received() const { return terminate_received_.get(); }
  /// Private data of the peer's request or reply frame.
  [[nodiscard]] std::span<const std::byte> peer_private_data() const { return peer_private_data_; }

  [[nodiscard]] std::size_t heap_bytes() const override;

 private:
  enum class Phase : std::uint8_t {
    kIdle,           // no connection
    kRequestDue,     // initiator: its start frame is to be written
    kAwaitsReply,    // initiator
    kAwaitsRequest,  // responder
    kReplyDue,       // responder: waits for RTS, when its own READ depths are known
    kAwaitsFirst,    // responder: may not send before the initiator's first FPDU has come
    kOperation,
    kTerminated,
  };
  /// A READ of the peer, answered in the order of arrival.
  struct InboundRead {
    wire::ReadRequest request{};
    std::uint32_t sent = 0;
  };
  /// A READ of this end whose data have not all come.
  struct OutboundRead {
    std::uint32_t number = 0;  // of the send request, or kNoRequest
    std::uint32_t stag = 0;    // sink
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
    std::uint32_t received = 0;
  };
  /// The empty READ of the start-up.
  static constexpr std::uint32_t kNoRequest = 0xFFFFFFFF;
  /// An FPDU in its turn, or one that came early.
  struct Segment {
    wire::DdpHeader ddp{};
    std::uint32_t ulpdu = 0;               // its length
    std::uint32_t payload = 0;             // bytes behind the DDP header
    std::span<const std::byte> bytes{};    // of the payload, where bytes travel
    std::span<const std::byte> control{};  // payload that is framing: READ request, TERMINATE, immediate data
    bool placed = false;

    [[nodiscard]] wire::RdmapControl rdmap() const { return wire::RdmapControl::unpack(ddp.upper_control); }
  };
  /// An FPDU whose data were placed before the bytes in front of it had come.
  struct EarlyFpdu {
    StreamOffset begin = 0;
    std::uint32_t extent = 0;
    wire::DdpHeader ddp{};
    std::uint32_t ulpdu = 0;
  };
  enum class Writing : std::uint8_t { kNothing, kRequest, kReadResponse };

  [[nodiscard]] Result<void> check_request(const verbs::SendWr& request) const override;
  void reset_framing() override;
  void start_framing(const StreamCall& call) override;
  Step write_next(const StreamCall& call) override;
  Step read_next(const StreamCall& call) override;
  bool place_early(const StreamRun& run, const StreamCall& call) override;
  [[nodiscard]] bool gather_frame(const OutgoingFrame& frame, std::uint32_t from,
                                  std::span<std::byte> out) const override;
  [[nodiscard]] bool aligns_segments() const override { return true; }
  [[nodiscard]] bool between_messages() const override { return writing_ == Writing::kNothing; }

  // Start-up: iwarp_queue_pair_startup.cc.
  [[nodiscard]] ReadDepths depths() const;
  void write_start_frame(const wire::MpaStartFrame& frame, const StreamCall& call);
  void write_rtr(const StreamCall& call);
  Step read_start_frame(const StreamCall& call);
  void on_start_reply(const wire::MpaStartFrame& reply, const StreamCall& call);
  void write_reply(const StreamCall& call);

  // Sending: iwarp_queue_pair_send.cc.
  Step write_operation(const StreamCall& call);
  [[nodiscard]] bool may_begin(const StreamCall& call);
  Step write_request_frame(const StreamCall& call);
  void write_data(StreamRequest& request, const StreamCall& call);
  void write_read_request(StreamRequest& request, const StreamCall& call);
  void write_immediate(StreamRequest& request, const StreamCall& call);
  Step write_read_response(const StreamCall& call);
  /// An FPDU with this header; `control` is payload that is part of the framing, `frame` says where the rest comes
  /// from.
  void write_fpdu(const wire::DdpHeader& ddp, std::span<const std::byte> control, OutgoingFrame frame,
                  const StreamCall& call);
  [[nodiscard]] std::uint32_t payload_room(std::size_t ddp_size);
  [[nodiscard]] std::uint16_t usable_ord() const;

  // Receiving: iwarp_queue_pair_receive.cc, iwarp_queue_pair_deliver.cc.
  Step read_fpdu(const StreamCall& call);
  Step take_early(const StreamCall& call);
  [[nodiscard]] bool covers_early(StreamOffset begin, std::size_t extent) const;
  Step read_bytes(const StreamCall& call);
  Step read_lengths(const StreamCall& call);
  Step take_ulpdu(std::span<const std::byte> known, std::size_t ulpdu, std::size_t extent, const StreamCall& call);
  Step take(const Segment& segment, std::size_t extent, const StreamCall& call);
  Step deliver(const Segment& segment, const StreamCall& call);
  Step deliver_untagged(const Segment& segment, const StreamCall& call);
  Step on_write(const Segment& segment, const StreamCall& call);
  Step on_read_response(const Segment& segment, const StreamCall& call);
  Step on_send(const Segment& segment, const StreamCall& call);
  Step finish_send(const Segment& segment, const StreamCall& call);
  Step on_immediate(const Segment& segment, const StreamCall& call);
  Step on_read_request(const Segment& segment, const StreamCall& call);
  Step on_terminate(const Segment& segment, const StreamCall& call);
  Step on_missing_receive(const Segment& segment, const StreamCall& call);
  [[nodiscard]] bool place_tagged(const Segment& segment, const StreamCall& call);

  // Errors: iwarp_queue_pair_terminate.cc.
  Step terminate(wire::TerminateCode code, const Segment* segment, const StreamCall& call);
  [[nodiscard]] std::optional<std::uint32_t> request_of(const wire::Terminate& message) const;

  IwarpOptions settings_;
  IwarpNegotiated agreement_;
  Phase phase_ = Phase::kIdle;
  Writing writing_ = Writing::kNothing;
  bool read_turn_ = false;         // answers of READs and requests take turns, message by message
  bool immediate_due_ = false;     // behind the WRITE that was written
  bool in_send_ = false;           // inside an untagged message of the peer
  bool in_write_ = false;          // inside a WRITE of the peer
  StreamOffset write_origin_ = 0;  // where full operation begins in each direction
  StreamOffset read_origin_ = 0;
  std::uint32_t send_msn_ = 1;  // of the next message on each queue
  std::uint32_t read_msn_ = 1;
  std::uint32_t expected_send_msn_ = 1;
  std::uint32_t expected_read_msn_ = 1;
  std::uint32_t send_received_ = 0;   // bytes of the SEND that is arriving
  std::uint32_t write_received_ = 0;  // bytes of the last WRITE
  Ring<InboundRead> inbound_reads_;
  Ring<OutboundRead> outbound_reads_;
  std::vector<EarlyFpdu> early_;  // by offset; those before early_first_ have had their turn
  std::size_t early_first_ = 0;
  std::vector<std::vector<std::byte>> own_;  // start frames as they were written
  std::vector<std::byte> start_request_;     // of the peer, until it is answered
  std::unique_ptr<wire::Terminate> terminate_sent_;
  std::unique_ptr<wire::Terminate> terminate_received_;
  std::vector<std::byte> peer_private_data_;
};

}  // namespace weft::transport
