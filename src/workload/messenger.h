// A rank's messages over its connections: posts them, keeps what the send queue has no room for, posts receive
// requests, and takes completions; the program above thinks in messages.
//
// One messenger per rank and job. Messages posted to one queue pair finish, and arrive, in order. Every request is
// signalled. Both halves of each message's record go to the matcher. A message cut into parts for several queue pairs
// is one to the program: it is sent, and has arrived, with the last of them.
//
// A queue pair that has used up its retries may be connected anew (Connector::reconnect). What was unfinished is then
// sent again, but for messages that the peer has received: they, and the WRITEs before them, have ended. So each
// message that needs a receive request arrives once, and in order; a WRITE without one may be placed twice.
//
// What goes out by another rank's NIC (RailPort::relay) is first written into that rank's GPU, over scale-up links;
// when that is acknowledged it goes on. So the data pass each of both links once, message by message, and in order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ring.h"
#include "base/slab.h"
#include "base/state_record.h"
#include "workload/connection.h"
#include "workload/delivery_matcher.h"

namespace weft::workload {

/// A connection that the messenger has open, of this rank's end.
using ChannelId = Id<struct ChannelTag>;

/// One message to be sent (or, with READ, fetched). Offsets count from the beginning of each rank's memory.
struct Message {
  FlowId flow{};
  std::uint64_t number = 0;
  Bytes size{};  // at most 2 GiB, inside both memories
  Operation operation = Operation::kWrite;
  std::uint64_t local_offset = 0;
  std::uint64_t remote_offset = 0;  // not with kSend
  std::uint32_t immediate = 0;      // with kWriteWithImm
  std::uint64_t token = 0;          // comes back with MessageHandler::on_sent
  bool is_control = false;          // of a program's own doing: no record goes to the sink
};

/// A message that came in with a completion.
struct Arrival {
  RankId source{};
  ChannelId channel{};
  std::uint32_t queue_pair = 0;  // within the channel; of a message in parts, that of the last one
  Bytes size{};
  std::uint32_t immediate = 0;
};

/// The program above. Both may post and open.
class MessageHandler {
 public:
  virtual ~MessageHandler() = default;
  [[nodiscard]] virtual Result<void> on_sent(const Message& message, verbs::WcStatus status) = 0;
  [[nodiscard]] virtual Result<void> on_arrived(const Arrival& /*arrival*/) { return {}; }
  /// A completion of a request that the program itself posted to a group (Messenger::kGroupRequests).
  [[nodiscard]] virtual Result<void> on_reduced(std::uint64_t /*wr_id*/, verbs::WcStatus /*status*/) { return {}; }
};

/// The program's part in closing connections (ConnectionOptions::closes_when_idle).
class ChannelOwner {
 public:
  virtual ~ChannelOwner() = default;
  /// Nothing that the program keeps of the channel is under way.
  [[nodiscard]] virtual bool can_close(ChannelId channel) const = 0;
  /// The channel is gone; its number may come again for another connection.
  virtual void on_closed(ChannelId channel) = 0;
};

class Messenger final : public ConnectionListener {
 public:
  /// Programs that post REDUCE requests with the ports' completion queues set this bit in their wr_id.
  static constexpr std::uint64_t kGroupRequests = std::uint64_t{1} << 62;

  /// The ports, the connector (which must be told of this messenger) and the matcher must outlive it.
  Messenger(const RankPorts& ports, Connector& connector, DeliveryMatcher& matcher)
      : ports_(ports), connector_(connector), matcher_(matcher) {}
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  /// The job that the rank's streams belong to; its completion events are asked for from here on.
  [[nodiscard]] Result<void> start(JobId job);

  /// Connects if need be; the same request gives the same channel. Errors: those of Connector::connect.
  [[nodiscard]] Result<ChannelId> open(const ConnectionRequest& request, const ConnectionOptions& options);
  [[nodiscard]] const ConnectionEnd& end(ChannelId channel) const { return *channels_[channel.value()].end; }
  /// Without an owner no channel is closed. It must outlive the messenger's last call.
  void set_owner(ChannelOwner* owner) { owner_ = owner; }
  /// Closes connections that may be closed, those first over which nothing has gone for longest, until fewer than
  /// `most` are open. More stay open while the oldest are all in use. Errors: what a provider refuses.
  [[nodiscard]] Result<void> make_room(std::uint32_t most);

  /// Sends on the channel's queue pair of that number, or holds the message until there is room; the record's
  /// `posted` is now. Errors: what the provider refuses.
  [[nodiscard]] Result<void> post(ChannelId channel, std::uint32_t queue_pair, const Message& message);
  /// As above, on the queue pairs that ConnectionOptions::queue_pair_use chooses.
  [[nodiscard]] Result<void> post(ChannelId channel, const Message& message);

  /// Takes all completions there are.
  [[nodiscard]] Result<void> poll(MessageHandler& handler);

  [[nodiscard]] Result<void> on_connected(const ConnectionEnd& end) override;
  [[nodiscard]] std::optional<EndTraffic> idle_traffic(const ConnectionEnd& end) const override;
  void on_disconnected(const ConnectionEnd& end) override;
  void on_reconnect_request(const ConnectionEnd& end, std::uint32_t queue_pair) override;
  [[nodiscard]] std::optional<std::uint32_t> drained(const ConnectionEnd& end, std::uint32_t queue_pair) const override;
  [[nodiscard]] Result<void> on_reconnected(const ConnectionEnd& end, std::uint32_t queue_pair,
                                            std::uint32_t peer_received) override;

  [[nodiscard]] const RankPorts& ports() const { return ports_; }
  /// Where a rank of the job has its rail of that number. Errors: there is none.
  [[nodiscard]] Result<EndpointId> endpoint_of(RankId rank, std::uint16_t rail) const {
    return connector_.endpoint_of(rank, rail);
  }
  [[nodiscard]] Time now() const { return ports_.machine().now(); }
  /// Messages posted that have not finished, but for control messages.
  [[nodiscard]] std::uint64_t outstanding() const { return outstanding_; }

  /// The flow of each message posted that has not finished, and what it does, but for control messages; that of a
  /// message that was cut up for each of its parts.
  template <class Visit>
  void visit_unfinished(const Visit& visit) const;

  /// What is under way, and what waits for room.
  void record(StateRecord& state) const;
  /// Of what is under way or waits: posted so much later.
  void shift(Duration by);

  /// The first request of this rank that failed by itself, rather than with its queue pair: which queue pair that was.
  struct Failure {
    ConnectionRequest connection{};
    Qpn queue_pair{};
    EndpointId port{};  // of this rank
    verbs::WcStatus status = verbs::WcStatus::kSuccess;
    Time at{};
  };
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

 private:
  /// A message that was cut up.
  struct Whole {
    Message message;
    std::uint32_t missing = 0;  // parts
    verbs::WcStatus status = verbs::WcStatus::kSuccess;
  };
  using WholeHandle = Slab<Whole>::Handle;
  struct Posted {
    Message message;
    Time at;
    WholeHandle whole{};  // of which it is a part; invalid: it is a message
    std::uint32_t parts = 1;
  };
  /// Of a queue pair that is connected anew.
  enum class Line : std::uint8_t {
    kOpen,
    kBroken,      // what was posted comes back, in order
    kConnected,   // the new queue pair is there; messages go on when the program is called
    kRecovering,  // and have gone on, but none has ended yet
  };
  struct Queue {
    ChannelId channel{};
    std::uint32_t number = 0;  // within the channel
    Line line = Line::kOpen;
    Ring<Posted> in_flight;
    Ring<Posted> waiting;
    Bytes unfinished{};  // of both
    EndTraffic traffic{};
    Ring<Bytes> arrived_parts{};  // of messages that others are missing of
  };
  /// Of a queue that is broken, until it goes on.
  struct Repair {
    std::uint32_t receives_left = 0;  // posted ones that have not come back
    std::uint32_t peer_received = 0;  // once connected
    Ring<Posted> returned{};          // in the order in which they were posted
  };
  struct Channel {
    const ConnectionEnd* end = nullptr;
    std::uint32_t first_queue = 0;
    QueuePairChoice choice;  // of whole messages
    std::uint32_t queues = 0;
    ChannelId hop{};  // to the rank whose NIC it uses; invalid: it uses an own one
    // Neighbours in the order of use, of those that may be closed.
    ChannelId older{};
    ChannelId newer{};

    [[nodiscard]] bool cuts_messages() const {
      return end->options.queue_pair_use == QueuePairUse::kSplit && end->options.data_queue_pairs() > 1;
    }
  };

  /// A message on its way to the rank that relays it.
  struct Relayed {
    ChannelId channel{};
    std::optional<std::uint32_t> queue_pair{};
    Message message;
    Time at;
  };

  /// Of connections to ranks that relay; no program's.
  static constexpr std::uint32_t kRelayChannel = 0xFFFF'FFFE;

  [[nodiscard]] Result<ChannelId> adopt(const ConnectionEnd& end);
  [[nodiscard]] Result<void> open_hop(ChannelId channel);
  [[nodiscard]] Result<void> relay(const Relayed& relayed);
  /// The oldest message of the hop is at the rank that relays it, or was lost on the way there.
  [[nodiscard]] Result<void> pass_on_relayed(ChannelId hop, verbs::WcStatus status, MessageHandler& handler);
  [[nodiscard]] Result<void> enqueue_by_choice(ChannelId channel, const Message& message, Time at);
  [[nodiscard]] ChannelId place_for(const ConnectionEnd& end);
  void link_newest(ChannelId channel);
  void unlink(ChannelId channel);
  void note_use(ChannelId channel) {
    if (channel != newest_ && channels_[channel.value()].end->options.closes_when_idle) [[unlikely]] {
      unlink(channel);
      link_newest(channel);
    }
  }
  [[nodiscard]] Result<void> enqueue(std::uint32_t queue, const Posted& posted);
  [[nodiscard]] Result<void> send(std::uint32_t queue, const Posted& posted);
  /// A part has been sent; whether its message has.
  [[nodiscard]] std::optional<Whole> finish_part(WholeHandle handle, verbs::WcStatus status);
  /// The size of the message that is whole with this part, if one is.
  [[nodiscard]] std::optional<Bytes> join_part(std::uint32_t queue, Bytes size);
  [[nodiscard]] Result<void> post_receive(std::uint32_t queue);
  [[nodiscard]] Result<void> poll_rail(const RailPort& port, MessageHandler& handler);
  [[nodiscard]] Result<void> on_completion(const verbs::WorkCompletion& completion, MessageHandler& handler);
  [[nodiscard]] Result<void> on_send_completion(std::uint32_t queue, const verbs::WorkCompletion& completion,
                                                MessageHandler& handler);
  [[nodiscard]] Result<void> on_receive_completion(std::uint32_t queue, const verbs::WorkCompletion& completion,
                                                   MessageHandler& handler);
  [[nodiscard]] Result<void> finish(std::uint32_t queue, const Posted& done, verbs::WcStatus status,
                                    MessageHandler& handler);
  // Of queue pairs that are connected anew: messenger_reconnect.cc.
  [[nodiscard]] std::uint32_t queue_of(const ConnectionEnd& end, std::uint32_t queue_pair) const {
    return channels_[by_name_.at(end.name).value()].first_queue + queue_pair;
  }
  void break_line(std::uint32_t queue);
  /// Whether the queue pair has just been lost, or was before, and takes the message back.
  [[nodiscard]] bool takes_back(std::uint32_t queue, const Posted& posted, verbs::WcStatus status);
  void note_success(std::uint32_t queue);
  [[nodiscard]] Result<void> advance_reconnects(MessageHandler& handler);
  [[nodiscard]] Result<void> resume(std::uint32_t queue, MessageHandler& handler);

  const RankPorts& ports_;
  Connector& connector_;
  DeliveryMatcher& matcher_;
  JobId job_{};
  std::map<ConnectionRequest, ChannelId> by_name_;
  std::vector<Channel> channels_;
  std::vector<Queue> queues_;
  std::vector<ChannelId> free_;  // places of channels that were closed, with their queues
  ChannelId oldest_{};
  ChannelId newest_{};
  std::uint32_t closable_ = 0;
  ChannelOwner* owner_ = nullptr;
  Slab<Whole> wholes_;
  std::uint64_t outstanding_ = 0;
  std::optional<Failure> failure_;
  std::map<std::uint32_t, Repair> repairs_;     // by queue
  std::map<ChannelId, Ring<Relayed>> relayed_;  // by hop
  std::uint64_t relays_ = 0;                    // messages to ranks that relay, so far
};

template <class Visit>
void Messenger::visit_unfinished(const Visit& visit) const {
  const auto visit_all = [&visit](const auto& line) {
    for (std::uint32_t i = 0; i < line.size(); ++i) {
      if (!line[i].message.is_control)
        visit(line[i].message.flow, line[i].message.operation);
    }
  };
  for (const Queue& queue : queues_) {
    visit_all(queue.in_flight);
    visit_all(queue.waiting);
  }
  for (const auto& [queue, repair] : repairs_)
    visit_all(repair.returned);
  for (const auto& [hop, line] : relayed_)
    visit_all(line);
}

}  // namespace weft::workload
