// The collective interface of a program: requests, and a notification when this rank's part is complete.
//
// The names and meanings are NCCL's: `size` is what nccl-tests prints as size, operations on one communicator run one
// after the other in the order in which a rank begins them, and every member begins the same ones. Sends and receives
// are ordered for each pair of ranks and direction, and wait for nothing else. Communicators run side by side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"
#include "verbs/machine.h"
#include "workload/rank.h"

namespace weft::workload {

using CommunicatorId = Id<struct CommunicatorTag>;
/// A member's place in its communicator, counted from 0.
using MemberIndex = Id<struct MemberTag>;
/// The caller's own name for an operation; comes back when it has finished.
using CollectiveToken = std::uint64_t;

enum class CollectiveKind : std::uint8_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kBroadcast,
  kReduce,
  kAllToAll,
  kBarrier,
  kSend,
  kReceive,
};
inline constexpr std::size_t kCollectiveKinds = 9;
/// "all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "all-to-all", "barrier", "send", "receive".
[[nodiscard]] std::string_view to_string(CollectiveKind kind);

enum class CollectiveAlgorithm : std::uint8_t {
  kAutomatic,          // by kind, size and layout
  kRing,               // one or several channels, each a ring of its own order
  kTree,               // double binary tree
  kHalvingDoubling,    // powers of two only
  kDirect,             // every pair exchanges; all-to-all: pairwise, in steps
  kHierarchical,       // over scale-up inside a domain, over rails between domains
  kInNetwork,          // by the reducers of scale-up switches (all members in one domain) or of the network's switches
  kNvlsTree,           // by the reducers of scale-up switches inside domains, over double binary trees between them
  kRecursiveDoubling,  // all-gather among powers of two
};
/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 9> kCollectiveAlgorithmWords = {
    "auto",         "ring",       "tree",      "halving-doubling",  "direct",
    "hierarchical", "in-network", "nvls-tree", "recursive-doubling"};
inline constexpr std::size_t kCollectiveAlgorithms = kCollectiveAlgorithmWords.size();
[[nodiscard]] std::string_view to_string(CollectiveAlgorithm algorithm);

/// Uplinks that a rank's rails share with others of the job: those of its leaf, pod, or group of a dragonfly.
struct SharedUplinks {
  std::uint32_t block = 0;  // the same number: the same uplinks
  Rate share{};             // of each rail behind them, when all send; less than the rail's own rate

  friend bool operator==(const SharedUplinks&, const SharedUplinks&) = default;
};

/// Where a rank of the job runs, as far as algorithms care.
struct RankSite {
  std::uint32_t host = 0;                   // the same number: the same host
  std::optional<std::uint32_t> domain{};    // of scale-up links; none: it has none
  verbs::GpuIndex gpu{};                    // invalid: the CPU
  std::vector<std::uint16_t> rails{};       // of the rank's machine, towards other hosts; at least one
  std::vector<std::uint32_t> parts{};       // of the network, for each rail; rails of one part reach one another
                                            // (rail-only networks have several); empty: there is one
  std::optional<std::uint16_t> scale_up{};  // the machine's rail inside its domain
  /// A rail of the machine behind its own ones: the NIC of another rank's GPU in the same host, in a part of the
  /// network where this rank has none. What it sends there passes that GPU first.
  struct Relay {
    std::uint16_t rail = 0;
    std::uint32_t part = 0;
    RankId through{};
  };
  std::vector<Relay> relays{};           // by part
  std::vector<SharedUplinks> uplinks{};  // of its first rail; none where the network has room for all rails
};

/// All ranks of a job, by RankId.
using JobLayout = std::vector<RankSite>;

/// The ranks that take part, in their order; one communicator has one meaning for all its members.
struct Communicator {
  std::string name{};             // stable; unique within the job, e.g. "tp3" or "world"
  std::vector<RankId> members{};  // at least one, each once
};

struct CollectiveRequest {
  CommunicatorId communicator{};
  CollectiveKind kind = CollectiveKind::kAllReduce;
  /// All-reduce, broadcast, reduce, send, receive: the buffer. Reduce-scatter: the input; all-gather: the output;
  /// all-to-all: what each rank sends altogether, its own part included.
  Bytes size{};
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::kAutomatic;
  MemberIndex root{};  // broadcast and reduce
  MemberIndex peer{};  // send and receive
  CollectiveToken token = 0;
  /// Of algorithms that go around rings (Collectives::ring_steps) and of direct exchanges: so many steps of a pass, as
  /// a sample of what all of them take. The result is not that of the operation. 0: all steps.
  std::uint32_t ring_steps = 0;
};

struct CollectiveFinished {
  CollectiveToken token = 0;
  Time started{};   // this rank's part: when its turn on the communicator came
  Time finished{};  // its result is there and its memory may be reused
};

/// What a program with collectives works with. Whoever runs the program's rank calls `on_completions` after every
/// event, and hands over machine events whose token has kCollectiveTokens set; then takes what has finished.
class Collectives {
 public:
  /// Machine tokens with this bit belong to the implementation, all others to the program.
  static constexpr verbs::MachineToken kCollectiveTokens = verbs::MachineToken{1} << 63;

  virtual ~Collectives() = default;

  /// Every rank of the job adds the same communicators, in the same order, whether it is a member or not, and gets the
  /// same ids. Errors: no member, a rank twice or unknown, a name twice.
  [[nodiscard]] virtual Result<CommunicatorId> add(const Communicator& communicator) = 0;
  [[nodiscard]] virtual const Communicator& communicator(CommunicatorId id) const = 0;

  /// Begins, or queues behind what this rank has begun there. Errors: not a member, a root or peer outside, a size that
  /// the algorithm cannot serve, an algorithm that this communicator cannot run (with the reason).
  [[nodiscard]] virtual Result<void> begin(const CollectiveRequest& request) = 0;

  /// Opens what this rank needs to send its part of such a request, before anything is sent. Errors: as of `begin`.
  [[nodiscard]] virtual Result<void> connect(const CollectiveRequest& /*request*/) { return {}; }

  /// The algorithm that `auto` stands for in a request that `begin` would take.
  [[nodiscard]] virtual CollectiveAlgorithm choose(CollectiveRequest request) const { return request.algorithm; }
  /// Equal steps of one pass (reduce-scatter or all-gather) of a request with a resolved algorithm, if it goes around
  /// rings; 0: it does not.
  [[nodiscard]] virtual std::uint32_t ring_steps(const CollectiveRequest& /*request*/) const { return 0; }

  /// A machine event of the implementation's own.
  [[nodiscard]] virtual Result<void> on_machine_event(const verbs::MachineEvent& event) = 0;
  /// Processes all available completions and continues the operations that they allow.
  [[nodiscard]] virtual Result<void> on_completions() = 0;

  /// Moves up to `out.size()` finished operations to `out`, in the order in which they finished; the number moved.
  virtual std::size_t take_finished(std::span<CollectiveFinished> out) = 0;
  /// Operations begun that have not been taken as finished.
  [[nodiscard]] virtual std::size_t outstanding() const = 0;
};

}  // namespace weft::workload
