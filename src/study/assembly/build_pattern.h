// From a [[traffic]] and those who take part in it to what each of them sends.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "study/assembly/build_traffic.h"
#include "study/assembly/participants.h"
#include "workload/permutation.h"

namespace weft::study::assembly {

/// Indices of those that the selectors name, each once, in the order of the selectors. Errors: a selector that names
/// nobody more.
[[nodiscard]] Result<std::vector<std::size_t>> select(const std::vector<std::string>& selectors,
                                                      const std::vector<Participant>& from,
                                                      const scenario::TrafficSettings& traffic);

class PatternBuilder {
 public:
  /// All must outlive this; `scale_up` may be null.
  PatternBuilder(const scenario::Scenario& scenario, const fabric::Graph& graph, const ScaleUpPlan* scale_up)
      : scenario_(scenario), graph_(graph), scale_up_(scale_up) {}

  /// Fills in the pattern or the collective of a plan whose job and machines are there. Errors name the traffic.
  [[nodiscard]] Result<void> fill(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                  const std::vector<Participant>& all) const;

  /// A job's ranks, by the port that each uses first, and all ports, storage's among them.
  struct Savers {
    const std::vector<Participant>& ranks;
    const std::vector<Participant>& all;
    const scenario::JobSettings& job;
  };
  /// The same for checkpoints: each rank sends its part to one of the destinations, in turn.
  [[nodiscard]] Result<void> checkpoint(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                        const Savers& savers) const;

 private:
  void set_common(TrafficPlan& plan, const scenario::TrafficSettings& traffic) const;
  [[nodiscard]] workload::FlowShape shape_of(const scenario::TrafficSettings& traffic) const;
  [[nodiscard]] static Result<void> permutation(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                                const workload::PermutationOptions& options);
  [[nodiscard]] Result<void> incast(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                    const std::vector<Participant>& all) const;
  [[nodiscard]] Result<void> flows(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                   const std::vector<Participant>& all) const;
  [[nodiscard]] Result<void> collective(TrafficPlan& plan, const scenario::TrafficSettings& traffic) const;
  [[nodiscard]] Result<void> poisson(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                                     const std::vector<Participant>& all) const;

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  const ScaleUpPlan* scale_up_;
};

}  // namespace weft::study::assembly
