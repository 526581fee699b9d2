// What a rank has to do, as a graph of compute and communication nodes, taken one node after another.
//
// A graph belongs to one rank and is generated: it hands out its nodes in an order in which every node comes after
// those it waits for, so that memory need not grow with the number of steps. A node starts when the nodes of its stream
// that came before it and those in `after` have finished; nodes of different streams overlap, but a GPU computes one at
// a time. Nodes of several ranks meet only in collectives. Anything can be such a graph: the step of a model
// (TransformerStep), one decoded token, a halo exchange, or a recorded trace: its reader numbers each rank's events in
// the order of their starts, makes streams of its streams, `after` of its dependencies, and collectives of its
// communication events.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "workload/collective/collectives.h"

namespace weft::workload {

/// A node's place in the order in which its rank's graph handed it out, from 0.
using NodeId = Id<struct GraphNodeTag>;
/// A queue whose nodes run one after another; streams of one rank count from 0.
using StreamId = Id<struct GraphStreamTag>;

/// What a node is for, and so what a wait for it is charged to.
enum class Purpose : std::uint8_t {
  kForward,
  kBackward,
  kRecompute,
  kOptimizer,
  kOtherCompute,
  kTensor,  // communication, by the parallelism that asks for it
  kPipeline,
  kData,       // gradients
  kParameter,  // parameters that ZeRO shares out
  kExpert,
  kContext,
  kEmbedding,
  kOtherCommunication,
};
inline constexpr std::size_t kPurposes = 13;
/// "forward", ..., "tp", "pp", "dp", "zero", "ep", "cp", "embedding", "communication".
[[nodiscard]] std::string_view to_string(Purpose purpose);

/// For reports. kNone where a node belongs to no layer or micro-batch.
struct NodeLabel {
  static constexpr std::uint16_t kNone = 0xffff;
  Purpose purpose = Purpose::kOtherCompute;
  std::uint8_t chunk = 0;
  std::uint16_t step = 0;
  std::uint16_t micro_batch = kNone;
  std::uint16_t layer = kNone;  // the first, if there are several

  friend bool operator==(const NodeLabel&, const NodeLabel&) = default;
};

/// Work of the rank's GPU.
struct ComputeNode {
  Duration time{};
};
/// `request.communicator` is the place in the graph's list of communicators; the token is not used.
struct CommunicationNode {
  CollectiveRequest request{};
};

struct GraphNode {
  std::variant<ComputeNode, CommunicationNode> work{};
  StreamId stream{0};
  NodeLabel label{};
  std::vector<NodeId> after{};  // each came before this one
};

class StepGraph {
 public:
  virtual ~StepGraph() = default;
  /// Of the whole job; the same list for all its ranks. Valid as long as the graph.
  [[nodiscard]] virtual std::span<const Communicator> communicators() const = 0;
  [[nodiscard]] virtual std::uint32_t streams() const = 0;
  /// The next node; none when there is no more, and then never again.
  [[nodiscard]] virtual std::optional<GraphNode> next() = 0;
};

/// Bytes that a member of a group of `members` sends at least, whatever the algorithm of an all-reduce: what the papers
/// give as volumes (2 S (n-1)/n for an all-reduce, S (n-1)/n for half of it or an all-to-all, S for a send).
[[nodiscard]] Bytes volume_sent(const CollectiveRequest& request, std::size_t members);

}  // namespace weft::workload
