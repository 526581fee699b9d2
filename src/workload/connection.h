// Queue pairs between the ranks of a job: made at first use, usable in both directions, and kept, unless a program
// lets them be closed while they are idle.
//
// Connections come into being without packets and without time, as if the job's bootstrap (that of MPI or NCCL) had
// made them out of band before the run (one that is lost is made anew in time: workload/reconnections.h). A connection
// is named by the two ranks, their rails and a channel: asking for it again, from either end, gives the same queue
// pairs. Closing takes no packets and no time either; a connection that is opened again has new queue pairs, with the
// source ports and first PSNs of the old ones.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "verbs/handles.h"
#include "verbs/machine.h"
#include "verbs/provider.h"
#include "verbs/queue_pair.h"
#include "workload/queue_pair_use.h"
#include "workload/rank.h"
#include "workload/rank_ports.h"

namespace weft::workload {

/// Whether a reliable queue pair over the network that has used up its retries is connected anew, and when.
struct ReconnectPolicy {
  std::uint32_t attempts = 0;  // in a row, with no message that ended between them; 0: it stays in error
  Duration first_wait;         // from the error until the first attempt
  Duration next_wait;          // until the second
  std::int64_t backoff = 1;    // each later wait is so many times the one before, up to `longest_wait`
  Duration longest_wait;
  Duration exchange;  // of the messages that connect the two ends

  /// Before the attempt of that number, the first being 1.
  [[nodiscard]] Duration wait_before(std::uint32_t attempt) const;
};

/// A path between two ports: the LIDs of both have the same offset from their base LIDs.
struct PathEnds {
  EndpointId source{};
  EndpointId destination{};
  std::uint32_t offset = 0;
};

/// Attributes of every queue pair of a job, as modify_qp takes them.
struct ConnectionAttributes {
  std::uint8_t service_level = 0;  // 0..15
  std::uint8_t traffic_class = 0;
  std::uint8_t hop_limit = 64;
  verbs::PathMtu path_mtu = verbs::PathMtu::k4096;  // lowered to what both ports have
  std::uint8_t timeout = 14;                        // 4.096 us * 2^timeout
  std::uint8_t retry_count = 7;
  std::uint8_t rnr_retry = 7;
  std::uint8_t min_rnr_timer = 1;
  std::uint16_t partition_key = 0xFFFF;  // of both ends; its low 15 bits not 0
  std::uint8_t max_rd_atomic = 16;       // lowered to what both devices have
  SourcePorts source_ports = SourcePorts::kPerQueuePair;
  /// InfiniBand's LMC, 0 to 7: the n-th queue pair of a connection goes to LID n mod 2^LMC of the peer's port, which
  /// the low bits of its source port say.
  std::uint8_t lid_mask_control = 0;
  /// What a subnet manager says of a path; empty: `service_level` of all.
  std::function<std::uint8_t(const PathEnds&)> level_of_path{};
  /// Likewise, the P_Key that the source's port has in the partition of the path; empty: `partition_key` of all.
  std::function<std::uint16_t(const PathEnds&)> partition_of_path{};
  ReconnectPolicy reconnect{};
};

/// How a connection is made; whoever asks first decides.
struct ConnectionOptions {
  std::uint32_t queue_pairs = 1;       // at least 1
  std::uint32_t max_send_wr = 64;      // per queue pair
  std::uint32_t receive_requests = 0;  // that each end keeps posted per queue pair; 0 if nothing needs any
  /// How messages that name no queue pair use them.
  QueuePairUse queue_pair_use = QueuePairUse::kRoundRobin;
  std::uint32_t control_queue_pairs = 0;  // the last ones, which such messages leave to others; fewer than queue_pairs

  bool closes_when_idle = false;  // to make room for others (Connector::disconnect)

  [[nodiscard]] std::uint32_t data_queue_pairs() const { return queue_pairs - control_queue_pairs; }
};

/// Which connection, as seen from `from`. Rails count within each rank's machine.
struct ConnectionRequest {
  RankId from{};
  RankId to{};
  std::uint16_t rail = 0;
  std::uint16_t remote_rail = 0;
  std::uint32_t channel = 0;

  friend auto operator<=>(const ConnectionRequest&, const ConnectionRequest&) = default;
};

/// One end of a connection; the n-th queue pair here is joined to the n-th there. Where both ends have several ports
/// (RankPorts::share_first), queue pair n begins at port n of each, modulo the ports that both have; one that is
/// connected anew goes on at the next.
struct ConnectionEnd {
  ConnectionRequest name{};  // from this end
  ConnectionOptions options{};
  std::span<const RailPort> ports{};       // of the two ranks, which must outlive this; as many here as there
  std::span<const RailPort> peer_ports{};  // at least one
  std::vector<Qpn> queue_pairs{};
  std::vector<std::uint32_t> moves{};  // of each queue pair, so far; empty: none has moved
  std::uint64_t remote_address = 0;    // where the peer's memory begins
  std::uint64_t remote_length = 0;

  [[nodiscard]] std::size_t port_number(std::size_t queue_pair) const {
    return ports.size() == 1 ? 0 : (queue_pair + (moves.empty() ? 0 : moves[queue_pair])) % ports.size();
  }
  [[nodiscard]] const RailPort& port_of(std::size_t queue_pair) const { return ports[port_number(queue_pair)]; }
  [[nodiscard]] const RailPort& peer_port_of(std::size_t queue_pair) const {
    return peer_ports[port_number(queue_pair)];
  }
  /// What it is known by: that of the first queue pair at the beginning.
  [[nodiscard]] const RailPort& first_port() const { return ports.front(); }
};

/// Messages that need a receive request, since the connection was opened, modulo 2^32.
struct EndTraffic {
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
};

/// Told of connections that a peer asked for, and of those that are closed.
class ConnectionListener {
 public:
  virtual ~ConnectionListener() = default;
  /// Both ends are in RTS. Errors: what the provider refuses; the one who connects gets them.
  [[nodiscard]] virtual Result<void> on_connected(const ConnectionEnd& end) = 0;
  /// What has gone over this end, if nothing that it has posted is unfinished and the program can do without it.
  [[nodiscard]] virtual std::optional<EndTraffic> idle_traffic(const ConnectionEnd& /*end*/) const {
    return std::nullopt;
  }
  /// The end is about to go, with its queue pairs.
  virtual void on_disconnected(const ConnectionEnd& /*end*/) {}

  // Of a queue pair that is connected anew (Connector::reconnect), by its number in the connection.

  /// The peer asks for it. The queue pair is about to go to ERR, and what is unfinished comes back flushed.
  virtual void on_reconnect_request(const ConnectionEnd& /*end*/, std::uint32_t /*queue_pair*/) {}
  /// Everything that was posted to the old queue pair has come back: so many messages that need a receive request had
  /// come over it, and the ones before it. None: not yet.
  [[nodiscard]] virtual std::optional<std::uint32_t> drained(const ConnectionEnd& /*end*/,
                                                             std::uint32_t /*queue_pair*/) const {
    return std::nullopt;
  }
  /// The new queue pair is in RTS; the peer has received so many messages. Errors: what the provider refuses.
  [[nodiscard]] virtual Result<void> on_reconnected(const ConnectionEnd& /*end*/, std::uint32_t /*queue_pair*/,
                                                    std::uint32_t /*peer_received*/) {
    return {};
  }
};

class Connector {
 public:
  virtual ~Connector() = default;

  /// The end at `from`, valid until the connection is closed; the peer's listener is told of the other if it is new.
  /// Errors: a rank or rail that does not exist, a rank with itself, what a provider refuses.
  [[nodiscard]] virtual Result<const ConnectionEnd*> connect(const ConnectionRequest& request,
                                                             const ConnectionOptions& options) = 0;
  /// Closes a connection that is open, if both ends are idle and each has received what the other has sent; both
  /// listeners are told. Whether it did. Errors: what a provider refuses.
  [[nodiscard]] virtual Result<bool> disconnect(const ConnectionRequest& request) = 0;
  /// The endpoint of a rank's rail. Errors: a rank or rail that does not exist.
  [[nodiscard]] virtual Result<EndpointId> endpoint_of(RankId rank, std::uint16_t rail) const = 0;

  /// A queue pair of the end has used up its retries: whether it will be connected anew. If so the end's program is
  /// called by timers (kReconnectToken) when it may go on, and then calls `advance_reconnect`.
  [[nodiscard]] virtual bool reconnect(const ConnectionEnd& /*end*/, std::uint32_t /*queue_pair*/) { return false; }
  /// Does what is due of it; both listeners are told. Errors: what a provider refuses.
  [[nodiscard]] virtual Result<void> advance_reconnect(const ConnectionEnd& /*end*/, std::uint32_t /*queue_pair*/) {
    return {};
  }
  /// A message has ended over the new queue pair.
  virtual void on_recovered(const ConnectionEnd& /*end*/, std::uint32_t /*queue_pair*/) {}
  /// The end has nothing to send over the new queue pair: what had been under way has arrived.
  virtual void on_nothing_left(const ConnectionEnd& /*end*/, std::uint32_t /*queue_pair*/) {}
};

/// Of timers that make a program call Messenger::poll and mean nothing else; that of Collectives::kCollectiveTokens.
inline constexpr verbs::MachineToken kReconnectToken = verbs::MachineToken{1} << 63;

}  // namespace weft::workload
