// The collectives of a training step, each kind once: what a composed step runs packet by packet.
//
// Operations of one purpose, kind and size run at the same time on all their communicators, as they do in the step; one
// phase after the other. Of an operation longer than the slice two shorter ones are run, and its time is continued from
// theirs: t2 + (S - s2) (t2 - t1) / (s2 - s1). Behind those of all operations lie longer ones, each twice the one
// before, which may be left out; where they were run, the line goes through the second and the longest. Communicators
// that lie each in a scale-up domain of their own do not meet on any wire, so one of them is run for all that have as
// many members.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "workload/collective/costed_collectives.h"
#include "workload/collective/phased_program.h"
#include "workload/training/step_graph.h"

namespace weft::study {

/// One kind of operation of a step, summed over ranks.
struct StepOperation {
  workload::Purpose purpose{};
  workload::CollectiveKind kind{};  // kSend stands for both ends
  Bytes size{};
  friend auto operator<=>(const StepOperation&, const StepOperation&) = default;
};

class StepPhases {
 public:
  struct Options {
    const workload::JobLayout* layout = nullptr;  // must outlive the phases, as must the communicators
    std::span<const workload::Communicator> communicators;
    Bytes slice{};       // longest operation that is run in any case
    bool grows = false;  // whether there are longer ones, up to the whole
    std::uint32_t ranks = 0;
  };
  /// `graph_of` makes the graph of a rank; it is walked through once.
  using GraphOf = std::function<std::unique_ptr<workload::StepGraph>(workload::RankId)>;
  [[nodiscard]] static StepPhases make(const Options& options, const GraphOf& graph_of);

  [[nodiscard]] std::uint32_t phases() const { return static_cast<std::uint32_t>(samples_.size()); }
  [[nodiscard]] const std::vector<workload::PhasedRequest>& requests_of(workload::RankId rank) const {
    return requests_[rank.value()];
  }
  /// What an operation of the step costs, from the times of the phases. It must be one of those walked through.
  [[nodiscard]] Duration cost(const workload::CostedOperation& operation,
                              const std::map<workload::PhasedOperation, Duration>& times) const;

  /// What the operation of this sample takes as a whole, if the sample is the last one: `time_of(phase)` is the time of
  /// a sample. Not for the first of several.
  [[nodiscard]] Duration whole_time(std::uint32_t last, const std::function<Duration(std::uint32_t)>& time_of) const;

  /// Which operation a phase runs, and how long its sample is.
  struct Sample {
    StepOperation operation{};
    Bytes size{};
    std::uint32_t turn = 0;  // among the operation's samples; those from 2 on may be skipped
    bool skipped = false;
  };
  [[nodiscard]] const Sample& sample(std::uint32_t phase) const { return samples_[phase]; }
  /// Of the same operation; not of its first sample.
  [[nodiscard]] std::uint32_t sample_before(std::uint32_t phase) const;
  /// The sample is not run, and none of the operation's longer ones.
  void skip(std::uint32_t phase) { samples_[phase].skipped = true; }
  /// The phase that ran it, or the longest of its samples. It must be one of those walked through.
  [[nodiscard]] std::uint32_t phase_of(const StepOperation& operation) const;

 private:
  using Place = std::vector<std::uint32_t>;  // an operation's phases, by turn
  /// An operation as costs are asked for it.
  struct Key {
    workload::CommunicatorId communicator{};
    workload::CollectiveKind kind{};
    Bytes size{};
    std::uint32_t sender = 0;  // of sends: the member
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  /// Where its times are found.
  struct Source {
    workload::CommunicatorId communicator{};  // it, or the one that stands for it
    StepOperation operation{};
  };

  explicit StepPhases(const Options& options);
  void take(workload::RankId rank, const workload::GraphNode& node);
  void add_requests(workload::RankId rank, const workload::CollectiveRequest& request, const Source& source);
  void add_samples(const StepOperation& operation, std::size_t members);
  void put_longer_ones_last();
  [[nodiscard]] workload::CommunicatorId stand_in(const StepOperation& operation, workload::CommunicatorId own);
  [[nodiscard]] bool inside_domain(const workload::Communicator& communicator) const;

  Options options_;
  std::vector<Sample> samples_;  // by phase
  std::map<StepOperation, Place> places_;
  std::map<std::pair<StepOperation, std::size_t>, workload::CommunicatorId> stand_ins_;
  std::map<Key, Source> sources_;
  std::vector<std::vector<workload::PhasedRequest>> requests_;
};

}  // namespace weft::study
