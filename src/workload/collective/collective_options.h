// How collectives are carried out: channels, chunks, connections, and what software costs.
//
// One set of options serves all ranks of a job; ranks that differ would not understand each other. The costs are those
// of a communication library beside an ideal one (all of them zero); profiles of measured ones are in the catalogue.
#pragma once

#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"
#include "verbs/group.h"
#include "workload/collective/collectives.h"
#include "workload/queue_pair_use.h"

namespace weft::workload {

/// What domains do before and after their rails' all-reduce in a hierarchical operation.
enum class DomainReduction : std::uint8_t { kDirect, kInNetwork };

/// What a library costs on one kind of link. `lane_rate` bounds one lane of one channel (a thread block copies so
/// fast); `message` passes between the decision to send and post_send, and delays nothing behind it.
struct TierCosts {
  Duration message{};
  std::optional<Rate> lane_rate{};
};

struct CollectiveCosts {
  Duration launch{};  // from an operation's turn to its first action
  TierCosts scale_out{};
  TierCosts scale_up{};
  TierCosts in_network{};
  std::optional<Rate> in_network_tree_rate{};  // of in_network, where trees join domains; none: as without trees
};

struct CollectiveOptions {
  /// What kAutomatic stands for where it can be used; else, and of kAutomatic itself, the fastest by a cost model.
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::kAutomatic;
  std::uint32_t channels = 0;      // 0: as many as the layout gives rails (MemberLayout)
  Bytes chunk = Bytes(512 << 10);  // largest message; whole elements
  Bytes buffer = Bytes(4 << 20);   // that a rank keeps for what comes in over one edge; at least two chunks
  std::uint32_t queue_pairs = 1;   // per connection
  QueuePairUse queue_pair_use = QueuePairUse::kRoundRobin;
  std::uint32_t in_flight = 16;  // chunks of a lane that were posted and have not completed
  /// Chunks to another host that a receiver lets come over one edge before it has taken them, each by a message of its
  /// own once it has begun the operation itself; none: senders go ahead as far as the buffer has room.
  std::optional<std::uint32_t> clear_to_send{};
  /// Connections to other hosts that a rank has open at a time: the one that has been idle for longest is closed for
  /// the next. 0: each is kept. Edges with clear-to-sends, and those over several queue pairs by least outstanding,
  /// keep theirs.
  std::uint32_t connections = 0;
  Bytes element = Bytes(4);           // never cut
  std::optional<Rate> reduce_rate{};  // of one lane; none: adding takes no time
  DomainReduction domain_reduction = DomainReduction::kDirect;
  verbs::DataType data_type = verbs::DataType::kFloat32;  // of what is reduced
  verbs::ReduceOperation operation = verbs::ReduceOperation::kSum;
  CollectiveCosts costs{};

  [[nodiscard]] bool closes_connections() const {
    return connections > 0 && !clear_to_send && queue_pair_use != QueuePairUse::kLeastOutstanding;
  }
  /// Chunks that fit into the buffer of an edge.
  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(buffer / chunk); }
};

inline constexpr std::uint32_t kMaxChannels = 128;

/// Errors: a window of clear-to-sends beyond the buffer, no chunk, a chunk that is not whole elements, a buffer of
/// fewer than 2 or more than 4,096 chunks, no queue pair, nothing in flight, more than kMaxChannels.
[[nodiscard]] Result<void> check_options(const CollectiveOptions& options);

}  // namespace weft::workload
