// The program of one rank that carries out one collective again and again, and reports each time it is done.
//
// All ranks of the job take part. Sends go from every rank of the lower half to one of the upper half.
#pragma once

#include <memory>

#include "workload/collective/engine.h"
#include "workload/program.h"

namespace weft::workload {

struct CollectiveProgramOptions {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::kAutomatic;
  Bytes size{};
  std::uint32_t iterations = 1;
  Time start{};
  RankId root{0};                // broadcast and reduce
  std::uint32_t ring_steps = 0;  // of each operation, as CollectiveRequest has them
  CollectiveEngineOptions engine{};
  const Communicator* world = nullptr;  // that of engine.directory; null: the program makes its own
};

/// Of all ranks of a job, in their order.
[[nodiscard]] Communicator world_communicator(std::size_t ranks);

/// `send`: rank r of the lower half to rank r + N / 2; with an odd rank left over, that one does nothing. Errors: a
/// receive, whose other half is the send.
[[nodiscard]] Result<void> check_collective(const CollectiveProgramOptions& options);

class CollectiveProgram final : public Program {
 public:
  /// The messenger and the matcher must outlive this. Errors: check_collective, those of the engine, an operation that
  /// the ranks cannot carry out.
  [[nodiscard]] static Result<std::unique_ptr<CollectiveProgram>> make(Messenger& messenger, DeliveryMatcher& matcher,
                                                                       const CollectiveProgramOptions& options);

  [[nodiscard]] Result<void> start() override;
  [[nodiscard]] Result<void> on_event() override;
  [[nodiscard]] bool done() const override { return finished_ == options_.iterations; }

  [[nodiscard]] const CollectiveEngine& engine() const { return *engine_; }
  /// What this rank sends of each operation; nothing is run.
  [[nodiscard]] Result<std::vector<CollectiveEngine::PlannedSend>> planned_sends() const;
  /// Before start(): that shall open all connections, before any message is sent (CollectiveEngine::connect).
  void connect_first() { connects_first_ = true; }
  // For whoever jumps over what repeats: operations begun so far, what comes next, and on behind what was left out.
  [[nodiscard]] std::uint64_t rounds() const;  // that the first lane will say it has
  [[nodiscard]] std::uint32_t begun() const { return begun_; }
  void record(std::uint64_t rounds_left, std::uint32_t begun, StateRecord& state) const;
  /// So many operations as well, at most iterations() - begun().
  void skip(std::uint32_t operations, const CollectiveEngine::Skip& what);
  [[nodiscard]] std::uint32_t iterations() const { return options_.iterations; }
  /// `auto` resolved.
  [[nodiscard]] CollectiveAlgorithm algorithm() const;
  /// Of one pass of all steps; 0: of an algorithm that does not go around rings.
  [[nodiscard]] std::uint32_t ring_steps() const;

 private:
  CollectiveProgram(DeliveryMatcher& matcher, Messenger& messenger, const CollectiveProgramOptions& options)
      : messenger_(messenger), matcher_(matcher), options_(options) {}

  [[nodiscard]] std::optional<CollectiveRequest> request() const;
  [[nodiscard]] Result<void> advance();

  Messenger& messenger_;
  DeliveryMatcher& matcher_;
  CollectiveProgramOptions options_;
  std::unique_ptr<CollectiveEngine> engine_;
  CommunicatorId world_{};
  std::uint32_t begun_ = 0;
  std::uint32_t finished_ = 0;
  bool connects_first_ = false;
};

}  // namespace weft::workload
