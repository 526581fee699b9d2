// A running scenario at the flow level: its jobs and their programs over a network without packets (src/flow/).
//
// The plans, programs and connections are those of Simulation; below the verbs, messages are drained at max-min fair
// rates over the links that the fabric's own routes and hashes give them (study/world/flow_medium.h). What has no
// meaning without packets is refused. The scenario, and whoever takes the messages, must outlive it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "flow/corrections.h"
#include "study/results/results.h"
#include "study/results/step_rows.h"
#include "study/run/simulation.h"
#include "study/run/steady_rounds.h"
#include "study/scenario/scenario.h"
#include "study/world/stand_ins.h"
#include "workload/message_record.h"

namespace weft::study::run {

/// Errors: what of the scenario the flow level cannot do, and what to write instead.
[[nodiscard]] Result<void> check_flow_level(const scenario::Scenario& scenario);

class FlowSimulation {
 public:
  /// The first ranks of a collective around rings, whose hosts do what all others do at the same time: a ring of them
  /// alone takes the same steps.
  struct RingCell {
    std::uint32_t ranks = 0;  // 0: there are none that stand for all
    std::uint32_t of = 0;
    Duration longer{};  // what ways around the whole ring take more than as many as those of the cell
  };
  struct Options {
    /// Of collectives around rings: so many steps of each pass (CollectiveRequest::ring_steps); 0: all.
    std::uint32_t ring_steps = 0;
    /// Of the scenario's only traffic these ranks run alone, with parts of the same size; `ring_steps` is set, and may
    /// be more than their ring has.
    RingCell ring_cell{};
    /// Whether what repeats in collectives is jumped over (steady_rounds.h).
    enum class Repeats : std::uint8_t { kAreJumpedOver, kAreRun };
    Repeats repeats = Repeats::kAreJumpedOver;
    /// The run ends as interrupted if so many rounds of its first collective have not repeated; 0: it goes on.
    std::uint64_t patience = 0;
    /// Nodes of a composed step that are kept at most; 0: a million.
    std::uint64_t step_nodes = 0;
    /// Connections of a composed step's direct exchange beyond which some peers stand for all; 0: 2^18.
    std::uint64_t most_connections = 0;
    flow::Corrections corrections{};
  };
  /// Errors: check_flow_level, those of building network and traffic.
  [[nodiscard]] static Result<std::unique_ptr<FlowSimulation>> create(const scenario::Scenario& scenario,
                                                                      workload::MessageSink& sink,
                                                                      const Options& options);
  ~FlowSimulation();

  /// Runs to an end; `keep_going` is asked now and then, false stops the run cleanly.
  [[nodiscard]] Simulation::End run(const std::function<bool(const Progress&)>& keep_going);

  [[nodiscard]] const std::vector<JobDescription>& jobs() const { return jobs_; }
  [[nodiscard]] const fabric::Graph& graph() const;
  [[nodiscard]] const std::string& endpoint_name(EndpointId endpoint) const;
  [[nodiscard]] Rate endpoint_rate(EndpointId endpoint) const;
  [[nodiscard]] Time ended_at() const { return ended_at_; }
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::uint64_t events() const;
  [[nodiscard]] Progress progress() const;
  /// Messages of a job (by its number) that were posted and have not ended.
  [[nodiscard]] std::uint64_t unfinished(std::size_t job) const;
  /// As Simulation has them.
  [[nodiscard]] std::set<results::SilentFlowRow> unfinished_flows() const;
  [[nodiscard]] TierBytes collective_bytes(std::size_t job, std::uint32_t rank) const;
  [[nodiscard]] workload::CollectiveAlgorithm collective_algorithm(std::size_t job) const;
  /// Steps of one pass of the job's collective around its rings; 0: it has none.
  [[nodiscard]] std::uint32_t ring_steps(std::size_t job) const;
  /// Of the job's collective: whether no two of its ranks share a host or a domain, and how many rounds of each of its
  /// lanes are alike; 0: that is not known.
  [[nodiscard]] bool has_ranks_apart(std::size_t job) const;
  [[nodiscard]] std::uint64_t rounds_alike(std::size_t job) const;
  /// Which ranks of the job's collective stand for all.
  [[nodiscard]] RingCell ring_cell(std::size_t job);
  /// What was jumped over of the job's collective.
  [[nodiscard]] SteadyRounds::Jumped jumped(std::size_t job) const;
  /// The run has ended since nothing repeated (Options::patience).
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  /// What the message would take if nothing else were there.
  [[nodiscard]] Duration ideal_time(const workload::MessageRecord& message) const;
  /// The steps of the jobs that run steps, once the run has finished; composed ones are put together now, while
  /// `keep_going` says so. Errors: given up.
  [[nodiscard]] Result<std::vector<results::StepRow>> training_steps(const std::function<bool()>& keep_going);
  /// Of the job of that number, after training_steps; null if it runs no steps.
  [[nodiscard]] const TrainingRun* training(std::size_t job) const;
  /// After training_steps: whether steps have flows of several senders on one direction of a link between switches.
  [[nodiscard]] bool shares_links() const { return shares_links_; }

 private:
  struct Job;
  struct Counter;
  struct Parts;

  FlowSimulation(const scenario::Scenario& scenario, workload::MessageSink& sink, const Options& options);
  [[nodiscard]] Result<void> build();
  [[nodiscard]] Result<void> make_job(assembly::TrafficPlan plan);
  [[nodiscard]] Result<void> make_directory(Job& job);
  [[nodiscard]] Result<void> make_program(Job& job, std::uint32_t rank);
  // Jobs that run steps: flow_simulation_steps.cc.
  [[nodiscard]] Result<void> make_training(Job& job);
  [[nodiscard]] Result<void> make_training_program(Job& job, std::uint32_t rank);
  // What stands for others in phases of their samples: flow_simulation_peers.cc.
  void begin_phase(Job& job, std::uint32_t phase);
  void use_stand_ins(const Job& job, std::uint32_t phase);
  [[nodiscard]] world::StandIns stand_ins(Job& job, std::uint32_t phase);
  [[nodiscard]] std::vector<world::FlowLoad> path_loads(const Job& job, std::span<const world::FlowDemand> demands);
  void note_sender(EndpointId sender, const std::map<std::uint32_t, double>& links);
  [[nodiscard]] Result<void> call(workload::Program* program, bool& started, bool& done);
  // Rings through hosts that are alike: flow_simulation_rings.cc.
  void keep_ring_cell(assembly::TrafficPlan& plan) const;
  [[nodiscard]] bool may_jump() const;
  void look_for_repeats(Time limit);
  [[nodiscard]] bool all_done() const;

  const scenario::Scenario& scenario_;
  Options options_;
  std::unique_ptr<Parts> parts_;
  std::vector<JobDescription> jobs_;
  std::size_t ranks_left_ = 0;
  std::uint64_t expected_bytes_ = 0;
  bool all_expected_ = true;
  bool shares_links_ = false;
  bool gave_up_ = false;
  Time ended_at_;
  std::string error_;
};

}  // namespace weft::study::run
