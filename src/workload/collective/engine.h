// Collectives of one rank over its messenger and its machine: queues operations, makes their lanes, and runs these.
//
// An operation's turn comes when the one before it on its communicator has finished here. It has finished when all its
// lanes have, and all that they sent has been acknowledged. Lanes run until they wait: for a chunk, a credit, another
// lane, or the time that adding, copying or software takes. Memory grows with edges and lanes, never with steps.
// In runs that carry bytes, chunks really move and are really added.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "base/ring.h"
#include "base/state_record.h"
#include "workload/collective/algorithms.h"
#include "workload/collective/collective_options.h"
#include "workload/collective/communicator_table.h"
#include "workload/collective/edges.h"
#include "workload/collective/groups.h"
#include "workload/collective/lane.h"
#include "workload/messenger.h"

namespace weft::workload {

struct CollectiveEngineOptions {
  JobId job{};
  RankId rank{};
  const JobLayout* layout = nullptr;  // must outlive the engine
  CollectiveOptions collectives{};
  /// Of all communicators that will be added; must outlive the engine. Null: each is kept as it is added.
  const CommunicatorDirectory* directory = nullptr;
};

class CollectiveEngine final : public Collectives, private MessageHandler {
 public:
  /// Starts the messenger, which must outlive the engine and serve nobody else. Errors: check_options, a rank that the
  /// layout does not have.
  [[nodiscard]] static Result<std::unique_ptr<CollectiveEngine>> make(Messenger& messenger,
                                                                      const CollectiveEngineOptions& options);

  [[nodiscard]] Result<CommunicatorId> add(const Communicator& communicator) override;
  [[nodiscard]] const Communicator& communicator(CommunicatorId id) const override {
    return communicators_.definition(id);
  }
  [[nodiscard]] Result<void> begin(const CollectiveRequest& request) override;
  /// Whether `begin` would take it.
  [[nodiscard]] Result<void> check(const CollectiveRequest& request) const;
  [[nodiscard]] CollectiveAlgorithm choose(CollectiveRequest request) const override;
  /// What this rank sends of an operation through the network, by connection; nothing is run. Of a long one the shares
  /// are those of a shorter one of the same algorithm. What reducers of the network take is left out. Errors: check().
  struct PlannedSend {
    ConnectionRequest connection{};
    ConnectionOptions options{};
    Bytes bytes{};
  };
  [[nodiscard]] Result<std::vector<PlannedSend>> planned_sends(const CollectiveRequest& request) const;
  /// Opens the connections over which this rank will send chunks of an operation, over scale-up links as well. Without
  /// this each is opened for its first message, which concerns the peer's host. Errors: check(), those of connecting.
  [[nodiscard]] Result<void> connect(const CollectiveRequest& request) override;
  [[nodiscard]] std::uint32_t ring_steps(const CollectiveRequest& request) const override;
  [[nodiscard]] Result<void> on_machine_event(const verbs::MachineEvent& event) override;
  [[nodiscard]] Result<void> on_completions() override;
  std::size_t take_finished(std::span<CollectiveFinished> out) override;
  [[nodiscard]] std::size_t outstanding() const override { return operations_.size() + finished_.size(); }

  /// Where operations find their input and leave their result.
  [[nodiscard]] const MemoryAreas& areas() const { return communicators_.options().areas; }
  /// Payload posted so far, over scale-up links and to other hosts; vectors for reducers as well.
  [[nodiscard]] Bytes sent_over_scale_up() const { return sent_[1]; }
  [[nodiscard]] Bytes sent_over_scale_out() const { return sent_[0]; }

  // For whoever jumps over what repeats (study/run/steady_rounds.h): engine_state.cc.

  /// Of the first lane of a request, before it is begun; 0: none, or nothing is known of its rounds. Errors: check().
  [[nodiscard]] Result<std::uint64_t> rounds_of(const CollectiveRequest& request) const;
  /// Of the first lane that runs; 0: none does.
  [[nodiscard]] std::uint64_t rounds_left() const;
  /// All lanes that are to run have so many rounds alike before them.
  [[nodiscard]] std::uint64_t fewest_rounds_left() const;
  /// Whether its state is one that can be told and jumped over.
  [[nodiscard]] bool can_repeat() const;
  /// Rounds of lanes are told from that number on.
  void record(std::uint64_t rounds_left, StateRecord& state) const;
  struct Skip {
    std::uint64_t rounds = 0;  // of every lane, at most fewest_rounds_left(); 0: whole operations
    Duration time{};
    std::array<Bytes, 2> sent{};  // by then: over scale-out, over scale-up
  };
  void skip(const Skip& what);

 private:
  using OperationId = std::uint64_t;
  /// One that the network has been asked for.
  struct Reduction {
    std::uint64_t mark = 0;
    bool done = false;
  };
  struct LaneState {
    explicit LaneState(Lane made) : lane(std::move(made)) {}
    Lane lane;
    std::optional<Action> current{};
    EdgeId edge{};  // of the current action
    std::uint64_t progress = 0;
    std::uint32_t outstanding = 0;  // messages of chunks, and reductions, that have not completed
    Ring<Reduction> reductions{};
    std::uint64_t first_reduction = 0;  // the number of the oldest in the ring
    std::uint64_t rounds_left = 0;      // as of the last action
    std::uint64_t place = 0;            // of that action in its round
    bool working = false;               // on the current action
    bool ended = false;
    Time busy_until{};
  };
  struct Operation {
    CollectiveRequest request{};
    bool launched = false;  // its turn has come
    Time started{};
    Time first_action{};
    std::map<EdgeId, std::uint64_t> to_clear{};  // chunks that come in, by edge, until the peers are told
    Bytes piece{};                               // the largest chunk
    std::int64_t lanes_to_switch = 1;  // that share the rate at which a GPU hands vectors to its domain's switch
    std::vector<LaneState> lanes{};
    std::size_t lanes_left = 0;
    std::uint32_t outstanding = 0;  // chunks promised to edges, or messages posted, that have not completed
    std::uint64_t rounds_skipped = 0;
  };
  /// A communicator's collectives are one queue; so are its sends, and its receives, of one peer.
  struct QueueName {
    CommunicatorId communicator{};
    CollectiveKind kind = CollectiveKind::kAllReduce;
    MemberIndex peer{};
    friend auto operator<=>(const QueueName&, const QueueName&) = default;
  };
  /// A chunk whose message waits for the software on its way.
  struct Delayed {
    Time at{};
    EdgeId edge{};
    EdgeTable::Chunk chunk{};
  };

  CollectiveEngine(Messenger& messenger, const CollectiveEngineOptions& options);

  Result<void> on_sent(const Message& message, verbs::WcStatus status) override;
  Result<void> on_arrived(const Arrival& arrival) override;
  Result<void> on_reduced(std::uint64_t wr_id, verbs::WcStatus status) override;

  /// The network's edges over which this rank sends chunks of a request that is complete, with their bytes.
  [[nodiscard]] std::map<EdgeName, std::uint64_t> edges_of(const LaneContext& context) const;
  [[nodiscard]] static QueueName queue_of(const CollectiveRequest& request);
  [[nodiscard]] Result<CollectiveRequest> checked(const CollectiveRequest& request) const;
  /// Of reducers, where the request asks them. They are kept from then on. Errors: which reducer has none left.
  [[nodiscard]] Result<void> has_groups_left(const CollectiveRequest& request) const;
  [[nodiscard]] LaneContext context_of(const CollectiveRequest& request) const;
  void count_incoming(const LaneContext& context, Operation& operation);
  [[nodiscard]] Result<void> clear_senders(Operation& operation);
  [[nodiscard]] Result<void> make_groups(const LaneContext& context);
  [[nodiscard]] Result<void> launch(OperationId id, Operation& operation);
  [[nodiscard]] Result<void> run();
  /// Whether anything was done.
  [[nodiscard]] Result<bool> run(OperationId id, Operation& operation);
  [[nodiscard]] Result<bool> run(OperationId id, Operation& operation, std::uint32_t lane);
  [[nodiscard]] bool load(Operation& operation, LaneState& lane);
  [[nodiscard]] bool may_start(const Operation& operation, const LaneState& lane) const;
  /// At which a GPU hands vectors to its domain's switch; none: nothing limits it.
  [[nodiscard]] std::optional<Rate> rate_to_reducers(CollectiveAlgorithm algorithm) const;
  [[nodiscard]] Duration time_of(const Operation& operation, const LaneState& lane) const;
  [[nodiscard]] Result<void> finish_action(OperationId id, Operation& operation, std::uint32_t lane);
  [[nodiscard]] Result<void> send(OperationId id, Operation& operation, std::uint32_t lane);
  [[nodiscard]] Result<void> post(EdgeId edge, const EdgeTable::Chunk& chunk);
  [[nodiscard]] Result<void> post_delayed();
  [[nodiscard]] Result<void> reduce_in_network(OperationId id, Operation& operation, std::uint32_t lane);
  void take_bytes(const LaneState& lane);
  [[nodiscard]] Result<void> end(OperationId id);
  [[nodiscard]] const TierCosts& costs(EdgeId edge) const;
  [[nodiscard]] std::uint64_t place_of(const Action& action) const;
  void wake_at(Time at);

  Messenger& messenger_;
  CollectiveEngineOptions options_;
  CommunicatorTable communicators_;
  EdgeTable edges_;
  GroupTable groups_;
  OperationId next_id_ = 1;
  std::map<OperationId, Operation> operations_;
  std::map<QueueName, Ring<OperationId>> queues_;
  Ring<CollectiveFinished> finished_;
  std::array<Ring<Delayed>, 2> delayed_;  // scale-out, scale-up: constant delays, so each in order of time
  std::array<Bytes, 2> sent_{};
};

}  // namespace weft::workload
