// Verbs over kernel TCP: SEND and WRITE, each with or without immediate data, as messages behind a small header in a
// TCP stream (docs/decisions/0017-messages-on-a-tcp-stream.md).
//
// READ, atomics and SEND with invalidate are refused in post_send. A SEND or WRITE with immediate data for which no
// receive request is posted waits in the stream, and TCP's window closes; nothing is dropped. A request that its target
// refuses (key, bounds, rights, room) ends the connection, with the completion statuses that RC gives.
#pragma once

#include "transport/stream/stream_message.h"
#include "transport/stream/stream_queue_pair.h"

namespace weft::transport {

struct TcpQpOptions : StreamOptions {};

class TcpQueuePair final : public StreamQueuePair {
 public:
  TcpQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init, const TcpQpOptions& options = {});

 private:
  [[nodiscard]] Result<void> check_request(const verbs::SendWr& request) const override;
  void reset_framing() override;
  void start_framing(const StreamCall& call) override;
  Step write_next(const StreamCall& call) override;
  Step read_next(const StreamCall& call) override;
  bool place_early(const StreamRun& run, const StreamCall& call) override;
  [[nodiscard]] bool gather_frame(const OutgoingFrame& frame, std::uint32_t from,
                                  std::span<std::byte> out) const override;
  [[nodiscard]] bool aligns_segments() const override { return false; }
  [[nodiscard]] bool between_messages() const override { return true; }

  [[nodiscard]] Step begin_message(const StreamCall& call);
  [[nodiscard]] Step continue_message(const StreamCall& call);
  void end_message(const StreamCall& call);
  [[nodiscard]] SinkFault check_rest(const StreamCall& call);
  [[nodiscard]] RemoteRange rest() const;
  void refuse(SinkFault fault, const StreamCall& call);
  void on_refusal(const StreamMessage& message, const StreamCall& call);

  StreamMessage arriving_;            // valid while in_message_
  std::uint32_t received_ = 0;        // bytes of it
  std::uint32_t messages_taken_ = 0;  // of the peer, complete
  bool in_message_ = false;
};

}  // namespace weft::transport
