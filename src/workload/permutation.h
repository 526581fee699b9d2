// Permutation traffic: every rank sends one flow and receives one, none to itself.
#pragma once

#include <variant>
#include <vector>

#include "workload/flow.h"

namespace weft::workload {

/// Any of the permutations without fixed point, all equally likely: f(seed, job).
struct RandomPermutation {};
/// Rank i sends to i + `by`, modulo the number of ranks.
struct ShiftPermutation {
  std::uint32_t by = 1;
};
/// Rank i sends to `destinations[i]`.
struct GivenPermutation {
  std::vector<RankId> destinations{};
};

struct PermutationOptions {
  FlowShape flow{};
  std::variant<RandomPermutation, ShiftPermutation, GivenPermutation> kind{};
};

class Permutation final : public TrafficPattern {
 public:
  /// Errors: fewer than 2 ranks, a shift that leads back to the sender, a list that is no permutation of the ranks or
  /// sends a rank to itself, check_flow.
  [[nodiscard]] static Result<Permutation> make(const JobOptions& job, const PermutationOptions& options);

  [[nodiscard]] std::unique_ptr<FlowSource> flows_of(RankId rank) const override;
  [[nodiscard]] bool needs_receives() const override { return needs_receive(flow_.operation); }
  [[nodiscard]] RankId destination_of(RankId rank) const { return destinations_[rank.value()]; }

 private:
  Permutation(JobId job, const FlowShape& flow, std::vector<RankId> destinations)
      : job_(job), flow_(flow), destinations_(std::move(destinations)) {}

  JobId job_;
  FlowShape flow_;
  std::vector<RankId> destinations_;
};

}  // namespace weft::workload
