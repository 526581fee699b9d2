// Edges: ordered sequences of chunks from one member of a communicator to another, over a connection's queue pairs.
//
// Each edge has a buffer of a few chunks at its receiver, which the sender fills in turn with WRITE with immediate. A
// sender begins with as many credits as the buffer has room; the receiver gives credits back, half a buffer at a time,
// by empty messages once its lanes have taken the chunks. So nothing is overwritten that is still wanted, whichever
// rank is ahead, and no receive queue runs dry. With clear-to-sends (Gangidi et al., SIGCOMM 2024, section 4) a sender
// to another host begins with nothing: the receiver admits chunk by chunk those that its operation takes. An edge and
// the one in the other direction share a connection; credits have its last queue pair to themselves, since they would
// wait there behind a buffer full of chunks.
//
// With CollectiveOptions::connections an edge over the network whose connection is closed shrinks to four counts
// (IdleEdges) and goes on from there when it is needed again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/ring.h"
#include "base/state_record.h"
#include "workload/collective/communicator_table.h"
#include "workload/collective/idle_edges.h"
#include "workload/messenger.h"

namespace weft::workload {

/// Both directions between this rank and a peer, on one slot.
using EdgeId = Id<struct EdgeTag>;

/// Channels of connections (ConnectionRequest::channel, FlowId::index) that each communicator has for its edges.
inline constexpr std::uint32_t kConnectionsEach = 2'048;
/// The communicator of a collective whose message went over this channel.
[[nodiscard]] inline CommunicatorId communicator_of(std::uint32_t channel) {
  return CommunicatorId(channel / kConnectionsEach);
}

struct EdgeName {
  CommunicatorId communicator{};
  MemberIndex peer{};
  std::uint32_t slot = 0;

  friend auto operator<=>(const EdgeName&, const EdgeName&) = default;
};

class EdgeTable final : private ChannelOwner {
 public:
  /// All must outlive this.
  EdgeTable(Messenger& messenger, const CommunicatorTable& communicators, JobId job)
      : messenger_(messenger), communicators_(communicators), job_(job) {
    messenger.set_owner(this);
  }
  EdgeTable(const EdgeTable&) = delete;
  EdgeTable& operator=(const EdgeTable&) = delete;

  /// The same name gives the same edge, as long as it is held or nothing of the table's is closed.
  [[nodiscard]] EdgeId find(const EdgeName& name);
  /// As find; the edge stays until it is released as often as it was held.
  [[nodiscard]] EdgeId hold(const EdgeName& name) {
    const EdgeId id = find(name);
    ++edges_[id.value()].holders;
    return id;
  }
  void release(EdgeId edge) { --edges_[edge.value()].holders; }
  /// The connection that an edge uses to send, and how it is made.
  [[nodiscard]] ConnectionRequest connection_of_edge(const EdgeName& name) const {
    return connection_of_edge(name, Way::kOut);
  }
  [[nodiscard]] ConnectionOptions connection_options(const EdgeName& name) const;
  /// Opens it; otherwise that is done for the edge's first message.
  [[nodiscard]] Result<void> connect(const EdgeName& name);
  [[nodiscard]] bool over_scale_up(EdgeId edge) const { return edges_[edge.value()].scale_up; }

  /// The receiver has an unreserved buffer slot.
  [[nodiscard]] bool may_send(EdgeId edge) const {
    return edges_[edge.value()].credits_reserved < edges_[edge.value()].credits;
  }
  /// Reserves a credit for a chunk that will be sent, in order.
  void reserve_credit(EdgeId edge) { ++edges_[edge.value()].credits_reserved; }
  struct Chunk {
    std::uint64_t offset = 0;  // in this rank's memory
    Bytes size{};
    std::uint64_t token = 0;
  };
  /// The messages it took (each will be reported to MessageHandler::on_sent with the token). Errors: those of
  /// Messenger.
  [[nodiscard]] Result<std::uint32_t> send(EdgeId edge, const Chunk& chunk);

  /// The next chunk is there, and at which offset of this rank's memory.
  [[nodiscard]] bool has_arrived(EdgeId edge) const;
  [[nodiscard]] std::uint64_t head(EdgeId edge) const;
  /// Whether the peer sends over this edge only what has been cleared.
  [[nodiscard]] bool needs_clearing(EdgeId edge) const {
    return options().clear_to_send.has_value() && !edges_[edge.value()].scale_up;
  }
  /// So many chunks more will be taken; clears the first of them.
  [[nodiscard]] Result<void> expect(EdgeId edge, std::uint64_t chunks);
  /// The chunk has been used: its place may be written again.
  [[nodiscard]] Result<void> take(EdgeId edge);

  /// How the counts of each edge stand to one another.
  void record(StateRecord& state) const;

  void on_arrived(const Arrival& arrival);
  /// What on_sent reports of the table's own messages.
  static constexpr std::uint64_t kCreditToken = ~std::uint64_t{0};

 private:
  /// Chunks that leave, and those that come. Where other ranks' NICs relay, each way has a connection of its own.
  enum class Way : std::uint8_t { kOut, kIn };
  struct Edge {
    EdgeName name{};
    std::array<ChannelId, 2> channels{};  // by way; invalid: not open yet
    bool scale_up = false;
    bool relayed = false;  // one of the ways
    // As sender.
    std::uint64_t credits_reserved = 0;
    std::uint64_t sent = 0;
    std::uint64_t credits = 0;  // given so far, of all times
    // As receiver.
    std::vector<std::uint64_t> arrived{};  // messages, by queue pair, or chunks by their place in the buffer
    std::uint64_t taken = 0;
    std::uint64_t returned = 0;  // credits given back
    std::uint64_t expected = 0;  // chunks that operations take, with clear-to-sends
    std::uint32_t holders = 0;
  };
  [[nodiscard]] bool can_close(ChannelId channel) const override;
  void on_closed(ChannelId channel) override;
  [[nodiscard]] Edge made(const EdgeName& name) const;
  /// Messages of the first `taken` chunks that came over one queue pair.
  [[nodiscard]] std::uint64_t share_of(std::uint64_t taken, std::uint64_t index) const;
  [[nodiscard]] EdgeId& edge_of(ChannelId channel);
  /// Chunks may arrive in another order than that in which they were sent.
  [[nodiscard]] bool any_order() const { return options().queue_pair_use == QueuePairUse::kLeastOutstanding; }
  [[nodiscard]] Result<void> clear(Edge& edge);
  [[nodiscard]] Result<void> return_credits(Edge& edge, std::uint64_t credits);
  [[nodiscard]] ConnectionRequest connection_of_edge(const EdgeName& name, Way way) const;
  [[nodiscard]] bool is_relayed(const EdgeName& name) const {
    return connection_of_edge(name, Way::kOut) != connection_of_edge(name, Way::kIn);
  }
  [[nodiscard]] static ChannelId& channel_of(Edge& edge, Way way) {
    return edge.channels[edge.relayed && way == Way::kIn ? 1 : 0];
  }
  [[nodiscard]] Result<void> open(Edge& edge, Way way);
  [[nodiscard]] Result<void> post(Edge& edge, Way way, std::uint32_t queue_pair, const Message& message);
  [[nodiscard]] std::uint64_t buffer_of(const CommunicatorEntry& entry, MemberIndex sender, std::uint32_t slot) const;
  [[nodiscard]] const CollectiveOptions& options() const { return communicators_.options().collectives; }

  Messenger& messenger_;
  const CommunicatorTable& communicators_;
  JobId job_;
  std::vector<Edge> edges_;
  std::map<EdgeName, EdgeId> by_name_;
  std::vector<EdgeId> by_channel_;
  std::vector<EdgeId> free_;  // places in edges_
  IdleEdges idle_;
};

}  // namespace weft::workload
