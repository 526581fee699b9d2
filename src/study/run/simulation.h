// A running scenario: the simulated network, its jobs, and their programs.
//
// Each [[traffic]] is a job of its own: its ranks are the hosts' NICs in the order of their numbers, or the ranks of
// the [[job]] that it names. Every rank has a machine of its own on the NICs that it uses. The scenario, and whoever
// takes the messages, must outlive the simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/results/results.h"
#include "study/results/step_rows.h"
#include "study/scenario/scenario.h"
#include "study/world/flow_paths.h"
#include "study/world/ideal_time.h"
#include "study/world/path_model.h"
#include "study/world/traffic_controller.h"
#include "study/world/world.h"
#include "workload/message_record.h"
#include "workload/multicast_deliveries.h"
#include "workload/program.h"

namespace weft::study::assembly {

struct Resweep;
struct ScaleUpPlan;
struct TrafficPlan;

}  // namespace weft::study::assembly

namespace weft::study::run {

/// One job as reports name it.
struct JobDescription {
  std::string name;  // of the traffic
  /// The NIC port ("host3/nic0") that rank r uses first, and its endpoint.
  std::vector<std::string> rank_names;
  std::vector<EndpointId> rank_endpoints;
};

/// The run's state, for a progress display.
struct Progress {
  Time now;                          // simulated
  Time limit = Time::never();        // simulated time at which the run stops in any case
  std::uint64_t messages = 0;        // finished so far
  std::uint64_t bytes = 0;           // of their payload
  std::uint64_t expected_bytes = 0;  // of all messages; 0 if it is not known
  std::uint64_t packet_hops = 0;
};

class TrainingRun;

/// Flows through the network that are there at the same time.
struct FlowSet {
  std::string name{};     // "permutation", "train: dp all-reduce"
  std::string purpose{};  // of a training step's operations: "dp"; else empty
  std::vector<world::PlannedFlow> flows{};
};

struct FlowPlan {
  std::vector<FlowSet> sets{};
  std::vector<std::string> left_out{};  // over TCP or iWARP, and come and go as long as the jobs last
  std::vector<std::string> streams{};  // names of traffic over TCP or iWARP, whose ports follow from queue pair numbers
};

/// Whether packets carry their lengths alone, or real bytes.
enum class Payload : std::uint8_t { kLengths, kBytes };

/// Payload that a rank has sent for collectives.
struct TierBytes {
  Bytes scale_out{};
  Bytes scale_up{};
};

class Simulation {
 public:
  /// Builds everything; nothing has happened yet. Errors name the scenario's place where possible.
  /// With bytes, collectives really move and add up numbers; all traffic must be collectives then. How many threads
  /// build it changes nothing.
  [[nodiscard]] static Result<std::unique_ptr<Simulation>> create(
      const scenario::Scenario& scenario, workload::MessageSink& sink, Payload payload = Payload::kLengths,
      world::Division division = world::Division::kWhereItPays, std::uint32_t setup_threads = 1);
  ~Simulation();

  enum class End : std::uint8_t {
    kFinished,     // every program is done
    kTimeLimit,    // the scenario's stop
    kInterrupted,  // `keep_going` returned false: the result is partial
    kStuck,        // deadlocked: programs wait, and no event is pending
    kError,        // a program failed: error()
    kJobLost,      // a job lost a queue pair, or made no progress for too long: loss()
  };
  /// Runs to an end. `keep_going` is called now and then (some ten times a second at least, of real time); false stops
  /// the run cleanly.
  [[nodiscard]] End run(const std::function<bool(const Progress&)>& keep_going);

  /// Before run(): on so many threads, where the world is divided and no flow waits for others. Changes no result.
  void set_threads(std::uint32_t threads);

  /// In place of set_threads: the run is shared with these processes, which have made the same simulation and call the
  /// same of its functions, each with so many threads. All take every message; of ports, hosts and ranks each knows its
  /// own (study/run/shared_results.h). Empty; or why it cannot be shared, and nothing has changed. `peers` must outlive
  /// the simulation.
  [[nodiscard]] std::string share(sim::Peers& peers, std::uint32_t threads);
  /// Of what all processes have done alike before they parted, in each: what was counted then.
  struct Common {
    std::uint64_t packet_hops = 0;
    fabric::FabricDrops drops{};
  };
  [[nodiscard]] const Common& common() const { return common_; }
  /// A process that shares the run is gone; it has ended in kError, and what it has counted is not that of all.
  [[nodiscard]] bool has_lost_peer() const;

  /// Calls `look` each time that so much simulated time has passed, after everything that happened up to then. Before
  /// run().
  void observe(Duration interval, std::function<void(Time)> look);

  /// Asked now and then; an error ends the run. Before run().
  void check_with(std::function<Result<void>()> check) { check_ = std::move(check); }

  [[nodiscard]] const scenario::Scenario& scenario() const { return scenario_; }
  [[nodiscard]] world::World& world() { return *world_; }
  [[nodiscard]] const world::World& world() const { return *world_; }
  [[nodiscard]] const std::vector<JobDescription>& jobs() const { return jobs_; }
  /// Null without scale-up links.
  [[nodiscard]] const assembly::ScaleUpPlan* scale_up_plan() const;
  /// Of the world's attacks, their numbers in the scenario; others are such as the family cannot suffer.
  [[nodiscard]] std::span<const std::size_t> attacks() const;
  /// What subnet managers write in the run when links fail and return, in the order of time; reached or not.
  [[nodiscard]] std::span<const assembly::Resweep> resweeps() const;
  /// Null unless a controller gives flows their paths.
  [[nodiscard]] const world::TrafficController* controller() const;
  [[nodiscard]] Progress progress() const;
  /// Messages of a job (by its number) that were posted and have not ended.
  [[nodiscard]] std::uint64_t unfinished(std::size_t job) const;
  /// The flows of those of all jobs.
  [[nodiscard]] std::set<results::SilentFlowRow> unfinished_flows() const;
  /// Data of a flow in one direction: that of READs comes back.
  struct SentOver {
    workload::FlowId flow{};
    bool comes_back = false;
    friend auto operator<=>(const SentOver&, const SentOver&) = default;
  };
  using SentByFlow = std::map<SentOver, world::SentBytes>;
  /// What the paths of these flows of it allow a sender; each has sent so much. Of `silent` ones no message has ended:
  /// they compete all the same, and who has no path counts as a sender with nothing. None: they come and go, or are too
  /// many.
  [[nodiscard]] std::optional<results::AllowedRates> allowed(std::size_t job, const SentByFlow& flows,
                                                             std::span<const results::SilentFlowRow> silent) const;
  static constexpr std::size_t kMaxFlows = 65'536;
  static constexpr std::size_t kMaxAtOnce = 4'096;  // what max-min rates take grows with their product with the links
  /// Nothing for other traffic than collectives.
  [[nodiscard]] TierBytes collective_bytes(std::size_t job, std::uint32_t rank) const;
  /// What a collective's ranks use, `auto` resolved; kAutomatic for other traffic.
  [[nodiscard]] workload::CollectiveAlgorithm collective_algorithm(std::size_t job) const;
  /// Connections of a job between its ranks, over the network and over scale-up links.
  struct ConnectionCounts {
    std::uint64_t opened = 0;
    std::uint64_t most_open = 0;  // at a time
    std::uint64_t made_anew = 0;  // queue pairs, after they had used up their retries
    Duration disconnected;        // with at least one queue pair that waited for that
  };
  [[nodiscard]] ConnectionCounts connection_counts(std::size_t job) const;
  /// Of a job that is a multicast group.
  struct GroupReport {
    std::uint16_t lid = 0;
    std::size_t senders = 0;
    workload::MulticastCounts counts{};
    std::vector<workload::MemberCounts> members{};
  };
  /// None: the job is no group.
  [[nodiscard]] std::optional<GroupReport> group_report(std::size_t job) const;
  /// After a run with bytes: whether every rank has the right numbers. Errors: the first that is wrong, and where.
  [[nodiscard]] Result<void> check_bytes() const;
  /// When the run ended: the last thing that a program did, or the limit.
  [[nodiscard]] Time ended_at() const { return ended_at_; }
  /// The steps of the jobs that train a model, once the run has finished. Composed ones are put together now, while
  /// `keep_going` says so. Errors: given up.
  [[nodiscard]] Result<std::vector<results::StepRow>> training_steps(const std::function<bool()>& keep_going) const;
  /// Of the job of that number, after training_steps; null if it trains no model.
  [[nodiscard]] const TrainingRun* training(std::size_t job) const;
  /// Idle between two phases of a composed step, while packets in flight drain.
  [[nodiscard]] bool is_between_phases(Time time) const;

  /// What its jobs send, as far as that is known before they run: all traffic together, and each kind of operation of a
  /// job's step for itself. Opens the connections; before run(). Errors: what they cannot be opened for, more flows
  /// than kMaxPlanned.
  [[nodiscard]] Result<FlowPlan> planned_flows();
  static constexpr std::size_t kMaxPlanned = 1'000'000;

  /// A job that is lost would be started again from its checkpoint.
  struct JobLoss {
    std::string job{};
    Time at{};
    std::string place{};   // "rank 3 (host1/nic0) to rank 5 (host2/nic0), queue pair 17"; empty: of the whole job
    std::string reason{};  // "transport retry counter exceeded"
  };
  [[nodiscard]] const std::optional<JobLoss>& loss() const { return loss_; }
  /// Why it ended in kError, kStuck or kJobLost.
  [[nodiscard]] const std::string& error() const { return error_; }

  /// What the message would take on an empty network, from post_send to the requester's completion; slowdown is
  /// measured against it. Closed form over the path of the first next hops.
  [[nodiscard]] Duration ideal_time(const workload::MessageRecord& message) const;
  /// The way of a message.
  [[nodiscard]] world::IdealPath path_of(const workload::MessageRecord& message) const;
  /// Calls visit(name, resources) for every host that has stages, in the order of their names.
  void visit_hosts(const std::function<void(const std::string&, const host::HostResources&)>& visit) const;

 private:
  struct Job;
  struct Counter;
  struct Parts;
  class Planner;

  Simulation(const scenario::Scenario& scenario, workload::MessageSink& sink, Payload payload,
             world::Division division);
  [[nodiscard]] Result<void> make_collective(Job& job, std::uint32_t rank);
  [[nodiscard]] Result<void> make_directory(Job& job);
  [[nodiscard]] Result<void> build(std::uint32_t threads);
  /// Of several composed jobs.
  void make_turns(std::span<const assembly::TrafficPlan> plans);
  [[nodiscard]] host::HostResources* resources_of(const world::MachinePlan& machine) const;
  [[nodiscard]] verbs::MemoryPlace place_of_buffers(const assembly::TrafficPlan& plan,
                                                    const world::MachinePlan& machine) const;
  [[nodiscard]] workload::ConnectionAttributes attributes_of(const assembly::TrafficPlan& plan) const;
  [[nodiscard]] Result<void> make_jobs(std::vector<assembly::TrafficPlan>& plans);
  [[nodiscard]] Result<void> make_job(assembly::TrafficPlan plan, std::size_t first_machine);
  [[nodiscard]] Result<void> make_program(Job& job, std::uint32_t rank);
  [[nodiscard]] Result<void> make_training(Job& job);
  void make_group(Job& job);
  [[nodiscard]] std::uint16_t group_key(const Job& job, std::uint32_t rank) const;
  void make_group_member(Job& job, std::uint32_t rank);
  [[nodiscard]] Result<void> find_slow_gpus(Job& job);
  [[nodiscard]] world::FlowPaths paths_of(const Job& job, std::span<const world::FlowDemand> demands) const;
  [[nodiscard]] world::PathLimits path_limits(const Job& job, std::span<const world::FlowDemand> demands) const;
  /// Ranks with silent flows alone, of which one has no path.
  /// Adds those that can send to `demands`; how many senders have none that can.
  [[nodiscard]] std::size_t add_silent(const Job& job, std::span<const results::SilentFlowRow> silent,
                                       std::vector<world::FlowDemand>& demands) const;
  [[nodiscard]] std::vector<world::FlowLoad> path_loads(const Job& job,
                                                        std::span<const world::FlowDemand> demands) const;
  [[nodiscard]] std::set<fabric::PortIndex> links_of(const Job& job, std::span<const world::FlowDemand> demands) const;
  [[nodiscard]] Duration round_trip(const Job& job) const;
  [[nodiscard]] std::string place_of(const assembly::TrafficPlan& plan) const;
  [[nodiscard]] Result<void> make_training_program(Job& job, std::uint32_t rank);
  // The traffic controller, if there is one: simulation_controller.cc.
  void make_controller();
  [[nodiscard]] Result<void> brief_controller();
  [[nodiscard]] Duration start_of(const Job& job) const;
  void note_rank_done(Job& job);
  /// What one job will send, an operation of its step after another.
  struct JobFlows {
    std::size_t job = 0;  // in running_
    std::vector<FlowSet> sets{};
  };
  enum class StreamFlows : std::uint8_t { kWithout, kWith };
  [[nodiscard]] Result<std::vector<JobFlows>> flows_by_job(StreamFlows streams);
  [[nodiscard]] static bool is_stream(const Job& job);
  /// A slice of the run; the first, where there are windows, is time zero alone.
  [[nodiscard]] world::World::Stop advance(bool starts, Time limit);
  [[nodiscard]] bool has_news(WorkerIndex worker) const;
  /// At the end of a run: all that was kept.
  void flush();
  /// What programs did since it was last called; false: everything is done.
  [[nodiscard]] bool take_news();
  void note_done(const workload::Program& program);
  /// Of the workers that there are now.
  void keep_news();
  // Shared with other processes: simulation_peers.cc.
  [[nodiscard]] std::string why_not_shared() const;
  // False: a peer is gone.
  /// What programs did in other processes, as if workers of this one had done it.
  [[nodiscard]] bool gather(const std::string& own, std::vector<std::string>& told);
  [[nodiscard]] bool gather_news();
  /// What the world outside says between two slices of the run.
  struct Outside {
    bool goes_on = true;
    std::string error{};
  };
  [[nodiscard]] Outside look_outside(const std::function<bool(const Progress&)>& keep_going);
  [[nodiscard]] Outside agree(const Outside& own);
  /// What packets of other processes' queue pairs are hashed to, so that paths of all flows are known here.
  void learn_flow_hashes();
  /// Of a run that has failed: packets without a route, and the loss of a queue pair that came first, anywhere.
  struct Failure {
    std::uint64_t unreachable = 0;
    std::optional<JobLoss> loss{};
  };
  [[nodiscard]] Failure failure() const;
  /// What call does, of traffic that lasts as long as the jobs.
  [[nodiscard]] Result<void> call_company(workload::Program* program, bool& started);
  /// Beside other traffic jobs that wait for one another would never be found idle.
  [[nodiscard]] bool jobs_are_stuck();
  // Whether jobs live: simulation_losses.cc.
  /// When the library of a job gives up, unless a message of it ends before; never: nobody looks.
  [[nodiscard]] Time watchdog_at() const;
  /// Of the jobs that have made no progress until now, the one that gave up first.
  [[nodiscard]] std::optional<JobLoss> stalled_job(Time now) const;
  /// The queue pair whose end made a program fail; none: it failed of something else.
  [[nodiscard]] std::optional<JobLoss> lost_queue_pair() const;
  [[nodiscard]] bool is_watched(const Job& job) const;
  End lose(JobLoss loss);
  End end_of_lost_peer();
  /// kJobLost if a library has given up by now.
  [[nodiscard]] std::optional<End> end_of_stall(Time now);
  /// A program has failed: what that is.
  [[nodiscard]] End end_of_error();
  void tell_stuck();
  /// Until when no composed job looks at the network; none: one does now, or there is none.
  [[nodiscard]] std::optional<Time> quiet_until(Time time) const;
  /// Every program is done, and every message that arrives with a completion has been seen.
  [[nodiscard]] bool all_done() const;
  [[nodiscard]] Result<void> call(workload::Program* program, bool& started, bool& done);

  const scenario::Scenario& scenario_;
  Payload payload_;
  world::Division division_;
  std::unique_ptr<Parts> parts_;  // outlives the world and the jobs
  std::unique_ptr<world::World> world_;
  std::vector<std::unique_ptr<Job>> running_;
  std::vector<JobDescription> jobs_;
  std::size_t ranks_left_ = 0;      // of jobs; nobody waits for traffic that lasts as long as they do
  bool has_company_ = false;        // there is such traffic
  std::uint64_t job_progress_ = 0;  // messages that had ended, and reconnections, when jobs were last seen to go on
  Time jobs_went_on_;
  std::uint64_t expected_bytes_ = 0;
  bool all_expected_ = true;
  Duration pause_interval_;
  Time next_pause_ = Time::never();
  std::function<void(Time)> at_pause_;
  std::function<Result<void>()> check_;
  Time ended_at_;
  std::string error_;
  std::optional<JobLoss> loss_;
  /// What the programs of one worker did in a window, until all may see it.
  struct alignas(64) WorkersNews {
    std::size_t ranks_done = 0;
    Time last;
  };
  std::vector<WorkersNews> worker_news_;  // empty: there are no windows
  bool is_parted_ = false;                // from other processes, which have done the same up to here
  bool lost_peer_ = false;
  std::uint64_t hops_elsewhere_ = 0;  // as far as peers have told
  Common common_{};
};

/// What the memory of a run goes to, in bytes, roughly and rather too many.
struct MemoryEstimate {
  std::uint64_t ports = 0;        // of the network, with their queues
  std::uint64_t nics = 0;         // one for each port of a host, with its rank
  std::uint64_t queue_pairs = 0;  // of all connections, with what programs know of them
  std::uint64_t packets = 0;      // under way
  std::uint64_t records = 0;      // messages and samples that results keep, where their number is known
  std::uint64_t other = 0;        // what every run takes, and a fifth more of all but the records

  [[nodiscard]] std::uint64_t total() const { return ports + nics + queue_pairs + packets + records + other; }
};
[[nodiscard]] MemoryEstimate memory_parts(const scenario::Scenario& scenario, const fabric::Graph& graph);
/// All of it; for the check before a large run.
[[nodiscard]] std::uint64_t estimate_memory(const scenario::Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study::run
