// A queue pair over one TCP connection: what kernel TCP and iWARP share. Derived classes add the framing.
//
// Driven through RcQueuePair's functions (contract: transport/qp_core.h), with RC's states. The connection comes to be
// on the way to RTR and ends with an error: a violation of the peer is told to it, then requests are flushed. A send
// request that asks for no answer completes when TCP has acknowledged its last byte; completions are in order.
// The object must not move. `context` must be the same in every call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "transport/packet_io.h"
#include "transport/qp_core.h"
#include "transport/stream/outgoing_frames.h"
#include "transport/stream/receive_placement.h"
#include "transport/stream/stream_input.h"
#include "transport/stream/stream_send_queue.h"
#include "transport/stream/stream_types.h"
#include "transport/tcp/tcp_connection.h"

namespace weft::transport {

class StreamQueuePair : private TcpStreamUser {
 public:
  StreamQueuePair(const StreamQueuePair&) = delete;
  StreamQueuePair& operator=(const StreamQueuePair&) = delete;
  ~StreamQueuePair() override;

  /// As ibv_modify_qp. Errors name the attribute and what would be right; nothing has changed then.
  [[nodiscard]] Result<void> modify(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                                    verbs::Context& context, Time now);
  /// Errors also: an operation that the framing does not have. In ERR a request is accepted and flushed at once.
  [[nodiscard]] Result<void> post_send(const verbs::SendWr& request, verbs::Context& context, Time now);
  [[nodiscard]] Result<void> post_recv(const verbs::RecvWr& request, verbs::Context& context, Time now);
  /// Goes on with a message that waits for a receive request: after posting to a shared receive queue.
  void on_shared_receive(verbs::Context& context, Time now);

  void on_packet(const ReceivedPacket& received, verbs::Context& context, Time now);
  void on_timeout(verbs::Context& context, Time now);
  [[nodiscard]] bool poll_transmit(const TransmitSlot& slot, verbs::Context& context, Time now);
  [[nodiscard]] Time next_transmit() const;
  [[nodiscard]] bool response_pending() const;
  [[nodiscard]] Time next_data() const;
  [[nodiscard]] Time next_timeout() const;

  [[nodiscard]] verbs::QpState state() const { return core_.state(); }
  [[nodiscard]] const QpCore& core() const { return core_; }
  [[nodiscard]] const StreamCounters& counters() const { return counters_; }
  /// Null before RTR.
  [[nodiscard]] const TcpConnection* connection() const { return connection_.get(); }
  /// A message has arrived for which no receive request is posted.
  [[nodiscard]] bool waits_for_receive() const { return waits_for_receive_; }

  /// Heap memory held: the connection's records, frames under way, posted requests, ledger and early bytes.
  [[nodiscard]] virtual std::size_t heap_bytes() const;
  /// What the buffers of a real stack would hold for this connection now, and at most.
  struct Buffers {
    Bytes send{};        // written and not acknowledged
    Bytes receive{};     // arrived in order and not consumed
    Bytes send_limit{};  // of the options
    Bytes receive_limit{};
  };
  [[nodiscard]] Buffers buffers() const;

 protected:
  StreamQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init, const StreamOptions& options);

  /// What became of a step.
  enum class Step : std::uint8_t {
    kDone,     // there may be more
    kNothing,  // nothing to do until something else happens
  };

  // The framing. All but the const ones may call fail_stream.

  /// The opcodes that it carries; the error says what else would do.
  [[nodiscard]] virtual Result<void> check_request(const verbs::SendWr& request) const = 0;
  /// Forgets the state of a connection.
  virtual void reset_framing() = 0;
  /// The connection exists: it is established, or is being set up.
  virtual void start_framing(const StreamCall& call) = 0;
  /// Hands the next frame to TCP, if there is one that may go.
  virtual Step write_next(const StreamCall& call) = 0;
  /// Takes the next frame, or part of it, out of what has arrived in order.
  virtual Step read_next(const StreamCall& call) = 0;
  /// Bytes that came before others in front of them: true if they were placed and need not be kept.
  virtual bool place_early(const StreamRun& run, const StreamCall& call) = 0;
  /// Copies the frame's bytes from `from` on; false if the memory they come from may no longer be read.
  [[nodiscard]] virtual bool gather_frame(const OutgoingFrame& frame, std::uint32_t from,
                                          std::span<std::byte> out) const = 0;
  /// Whether a segment ends where a frame does.
  [[nodiscard]] virtual bool aligns_segments() const = 0;
  /// Nothing of a message is half written.
  [[nodiscard]] virtual bool between_messages() const = 0;

  // For the framing.

  [[nodiscard]] const StreamOptions& options() const { return options_; }
  [[nodiscard]] StreamCounters& count() { return counters_; }
  [[nodiscard]] StreamSendQueue& requests() { return requests_; }
  [[nodiscard]] const StreamSendQueue& requests() const { return requests_; }
  [[nodiscard]] ReceivePlacement& sink() { return sink_; }
  [[nodiscard]] StreamInput& input() { return input_; }
  /// Bytes that have arrived in order and are not yet consumed.
  [[nodiscard]] StreamOffset available() const { return contiguous_ - input_.position(); }
  [[nodiscard]] TcpConnection& tcp() { return *connection_; }
  [[nodiscard]] bool lengths_only() const { return options_.ledgers != nullptr; }
  [[nodiscard]] bool is_initiator() const;
  /// Of the call under way; for `gather_frame`.
  [[nodiscard]] verbs::Context& context() const { return *context_; }
  /// Offset at which the next frame begins.
  [[nodiscard]] StreamOffset write_position() const;
  /// Appends a frame to the stream; its place is filled in. `note` is what a ledger keeps of it.
  void write(const OutgoingFrame& frame, std::span<const std::byte> note, const StreamCall& call);
  /// The next request, if it may be written now: the states allow it, its memory may be read, it is not fenced by
  /// READs. One whose memory may not be read fails when it is the oldest.
  [[nodiscard]] StreamRequest* writable_request(const StreamCall& call);
  /// Copies bytes of a request's message; false if its memory may no longer be read (then they are zeros).
  [[nodiscard]] bool gather_request(std::uint32_t number, std::uint64_t offset, std::span<std::byte> out) const;
  /// The stream stalls until a receive request is posted.
  void wait_for_receive() { waits_for_receive_ = true; }
  [[nodiscard]] bool has_failed() const { return core_.state() == verbs::QpState::kErr; }

  /// How a connection fails.
  struct Failure {
    verbs::WcStatus status = verbs::WcStatus::kWrFlushErr;  // of the oldest request not complete; kWrFlushErr: none
    std::optional<verbs::AsyncEventType> event{};
    bool close_gracefully = false;  // pending data are sent, then a FIN; otherwise a RST
  };
  /// Goes to ERR, once.
  void fail_stream(const Failure& failure, const StreamCall& call);

 private:
  /// Bytes that may be written and not yet sent: what segmentation offload takes at once.
  static constexpr std::int64_t kWriteAhead = 65'536;

  [[nodiscard]] std::uint32_t segment_length(StreamOffset offset, std::uint32_t room) const override;
  void gather(StreamOffset offset, std::span<std::byte> out) const override;
  void on_arrival(const StreamRun& run) override;

  [[nodiscard]] StreamCall begin(verbs::Context& context, Time now);
  /// Bytes written and not yet sent for the first time.
  [[nodiscard]] std::int64_t unsent() const {
    return static_cast<std::int64_t>(connection_->written()) + 1 - connection_->sender().next();
  }
  void enter(verbs::QpState state, const StreamCall& call);
  void open(const StreamCall& call);
  void release();
  void reset();
  void work(const StreamCall& call);
  void take_arrivals(const StreamCall& call);
  void complete_acknowledged(const StreamCall& call);
  void write_frames(const StreamCall& call);
  void watch_connection(const StreamCall& call);
  void report_drained(const StreamCall& call);

  QpCore core_;
  StreamOptions options_;
  std::unique_ptr<TcpConnection> connection_;
  StreamSendQueue requests_;
  OutgoingFrames frames_;
  StreamInput input_;
  ReceivePlacement sink_;
  FramingHeaderLog* ledger_ = nullptr;  // of this end's stream
  StreamOffset contiguous_ = 0;         // all before it has arrived
  StreamCounters counters_;
  verbs::Context* context_ = nullptr;
  Time now_;
  bool established_ = false;  // something has arrived
  bool drain_reported_ = false;
  bool waits_for_receive_ = false;
  mutable bool unreadable_ = false;  // local memory of a request was closed while it was being sent
};

}  // namespace weft::transport
