// What a training job's messages add up to: bytes per kind of link, and flows by size, for a whole step.
//
// With every packet, messages are those of the run. Composed, they are those of the phases: what an operation of a
// phase sent is taken as often as the step has that operation, and as much longer as it is than its sample.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "study/results/step_rows.h"
#include "study/run/step_phases.h"
#include "study/world/flow_paths.h"
#include "workload/message_record.h"
#include "workload/training/critical_path.h"
#include "workload/training/node_log.h"

namespace weft::study::run {

class StepTraffic {
 public:
  struct Options {
    const workload::JobLayout* layout = nullptr;  // all of them must outlive this
    const StepPhases* phases = nullptr;           // null: every packet
    const workload::PhaseCoordinator* board = nullptr;
    Rate network_rate{};   // of one GPU's ways out
    Rate scale_up_rate{};  // of its scale-up links
  };
  explicit StepTraffic(const Options& options) : options_(options) {}

  /// From the first to the second.
  using Pair = std::pair<workload::RankId, workload::RankId>;

  /// A message that has ended. Whether it went through the network, not over scale-up links.
  bool add(const workload::MessageRecord& message);

  /// Composed: what a phase sent through the network, by flow. Which of several queue pairs carried it is left out: a
  /// slice has few messages, and the operations that it stands for use all of them in turn.
  [[nodiscard]] std::vector<world::FlowDemand> demands_of(std::uint32_t phase) const;

  /// Every packet: the messages of a run that were kept, if those are all.
  [[nodiscard]] std::span<const workload::MessageRecord> all_messages() const;

  /// Of a communicator of the log, the number of those for which it stands.
  using Weight = std::function<double(workload::CommunicatorId)>;
  /// Fills in tiers and flows; the row's GPUs and steps are known. The log is that of the step.
  void report(results::StepRow& row, std::span<const workload::Communicator> communicators,
              const workload::NodeLog& log, const Weight& weight) const;

  /// Between whom the last message of a part of the critical path went. Composed: in the phase that ran its operation,
  /// and on another communicator if that one stood for its own. None: a part of compute, or more messages than are
  /// kept.
  [[nodiscard]] std::optional<Pair> flow_behind(const workload::PathPart& part, const workload::NodeLog& log,
                                                std::span<const workload::Communicator> communicators) const;

 private:
  struct PhaseTraffic {
    Bytes scale_up{};
    std::map<Pair, Bytes> flows{};  // through the network
    std::map<Pair, Time> ends{};    // composed: of the last message between the two
    std::map<workload::FlowId, Bytes> demands{};
  };
  /// What a phase stands for in a step: `instances` operations, of which `run` were run, each `whole` / `part` as long.
  struct Scale {
    StepOperation operation{};
    std::uint64_t instances = 0;
    std::uint64_t run = 1;
    std::int64_t whole = 1;
    std::int64_t part = 1;
    std::int64_t pair_part = 1;  // what `part` is of what two ranks send one another: more, if only some pairs were run
    /// Between two ranks.
    [[nodiscard]] Bytes larger(Bytes bytes) const;
    [[nodiscard]] Bytes of(Bytes bytes) const;
  };
  using Instances = std::map<StepOperation, std::uint64_t>;

  void keep_end(const workload::MessageRecord& message, PhaseTraffic& traffic);
  [[nodiscard]] Scale scale_of(std::uint32_t phase, const Instances& instances) const;
  void add_flows(results::StepRow& row, const PhaseTraffic& traffic, const Scale& scale) const;

  [[nodiscard]] std::optional<Pair> last_of_phase(const workload::NodeRecord& record,
                                                  std::span<const workload::Communicator> communicators) const;

  Options options_;
  std::map<std::uint32_t, PhaseTraffic> phases_;
  std::vector<workload::MessageRecord> messages_;  // every packet: the first ones
};

}  // namespace weft::study::run
