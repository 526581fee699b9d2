// What the operations of a training step put on the links of the network, by their probes.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "study/run/step_overlap.h"
#include "study/run/step_phases.h"
#include "study/run/step_traffic.h"
#include "study/world/flow_paths.h"

namespace weft::study::run {

class StepLoads {
 public:
  /// What each flow of a phase puts on its links; its connection has been used.
  using LoadsOf =
      std::function<std::vector<world::FlowLoad>(std::uint32_t phase, std::span<const world::FlowDemand> demands)>;
  struct Options {
    const StepPhases& phases;  // all of them must outlive this; the probes have been run
    const StepTraffic& traffic;
    std::span<const workload::Communicator> communicators;
    LoadsOf loads{};
  };
  explicit StepLoads(const Options& options);

  [[nodiscard]] const std::vector<StepOverlap::Member>& members() const { return members_; }
  /// Where some communicators stand for all: those that are left put on each link what all of their kind put there.
  /// Links that none of a kind that is left uses lack its load: whoever chooses keeps those with the fullest links.
  using IsLeft = std::function<bool(workload::CommunicatorId)>;
  [[nodiscard]] std::vector<StepOverlap::Member> members_standing_for_all(const IsLeft& is_left) const;
  /// The number of an operation of the step among them. One that sends nothing through the network has a member without
  /// links.
  [[nodiscard]] std::uint32_t member_of(const workload::CostedOperation& operation) const;
  /// Of its members.
  [[nodiscard]] std::uint32_t kind_of(const StepOperation& operation) const {
    return options_.phases.probe_of(operation) + 1;
  }

 private:
  /// Of an operation: its probe, and where it runs.
  using Place = std::tuple<std::uint32_t, workload::CommunicatorId, std::uint32_t>;
  void add(const StepOperation& operation, std::uint32_t probe);

  Options options_;
  std::vector<StepOverlap::Member> members_;
  std::map<Place, std::uint32_t> places_;
};

}  // namespace weft::study::run
