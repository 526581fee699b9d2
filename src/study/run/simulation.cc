#include "study/run/simulation.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <span>

#include "base/random.h"
#include "base/stable_hash.h"
#include "study/assembly/build_collective.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_hosts.h"
#include "study/assembly/build_reduction.h"
#include "study/assembly/build_scale_up.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/build_traffic.h"
#include "study/assembly/reach.h"
#include "study/run/training_run.h"
#include "study/scenario/scenario_validate.h"
#include "study/world/congestion_signals.h"
#include "study/world/flow_paths.h"
#include "study/world/ideal_time.h"
#include "wire/encapsulation.h"
#include "wire/opcode.h"
#include "workload/collective/engine.h"
#include "workload/collective/member_layout.h"
#include "workload/flow_program.h"
#include "workload/local_connector.h"
#include "workload/messenger.h"
#include "workload/ring_all_reduce.h"

namespace weft::study::run {
namespace {

/// Events between two looks at the outside world: some hundredths of a second.
constexpr std::uint64_t kSlice = 200'000;

/// What a rank sends of each part of an operation, for its flows to meet those of others: several times what is under
/// way on a path.
constexpr std::int64_t kProductsPerPiece = 4;
constexpr std::int64_t kChunksPerPiece = 3;

/// Of a full packet on the wire.
double payload_share(const world::World& world, const scenario::Scenario& scenario) {
  const host::NicOptions& nic = world.nic(EndpointId(0)).options();
  const bool in_stream = assembly::service_of(scenario.fabric.family) != host::Service::kRdma;
  const Bytes payload(in_stream ? nic.tcp.tcp.mss : scenario.fabric.mtu);
  const Bytes wire = in_stream
                         ? wire::tcp_sizes(wire::Encapsulation::kTcpIpv4, {.payload = payload}).wire
                         : wire::sizes(nic.device.encapsulation,
                                       wire::make_opcode(wire::Service::kRc, wire::Operation::kWriteMiddle), payload)
                               .wire;
  return static_cast<double>(payload.count()) / static_cast<double>(wire.count());
}

Result<void> choose_fabric(const scenario::Scenario& scenario, const fabric::Graph& graph,
                           world::WorldOptions& options) {
  if (scenario::is_infiniband(scenario.fabric.family)) {
    Result<fabric::InfiniBandOptions> made = assembly::infiniband_options(scenario, graph);
    if (!made) {
      return pass_on(made);
    }
    options.fabric = std::move(*made);
    return {};
  }
  Result<fabric::EthernetOptions> made = assembly::ethernet_options(scenario, graph);
  if (!made) {
    return pass_on(made);
  }
  options.fabric = std::move(*made);
  return {};
}

/// Often why a message failed: a fabric in parts, such as rails that no spine joins.
std::string unreachable_text(const world::World& world) {
  const std::uint64_t lost = world.drops().unreachable;
  return lost == 0 ? std::string()
                   : "; " + std::to_string(lost) +
                         " packets had no route: the topology does not connect all ports (rail-optimised without "
                         "spines connects ports of one rail only)";
}

/// Whether the members reach whom they send to: of pipelines their neighbours, of other groups all, by way of others.
bool all_reached(const workload::Communicator& group, const workload::MemberLayout& members) {
  if (!group.name.starts_with("pp-")) {
    return members.reach() != workload::Reach::kNotAll;
  }
  for (std::uint32_t next = 1; next < members.size(); ++next) {
    if (!members.reaches(workload::MemberIndex(next - 1), workload::MemberIndex(next))) {
      return false;
    }
  }
  return true;
}

Result<void> check_groups(std::span<const workload::Communicator> groups, const workload::JobLayout& layout) {
  for (const workload::Communicator& group : groups) {
    if (!all_reached(group, workload::MemberLayout(group, layout))) {
      return fail(
          "the NICs of the {} ranks of group {} are in disconnected parts of the network (rails without spines), and "
          "scale-up links do not connect all of them",
          group.members.size(), group.name);
    }
  }
  return {};
}

// Training steps decide by what the whole network has seen, collectives have messages of their own under way when they
// are done, and numbers are checked in memory that ranks share. The ports of TCP, and so its paths, and the cores that
// serve a queue pair follow from the order in which a host's connections are opened.
bool stays_whole(const world::WorldOptions& options, std::span<const assembly::TrafficPlan> plans) {
  return options.carries_bytes ||
         std::ranges::any_of(plans,
                             [](const assembly::TrafficPlan& plan) {
                               return plan.training || plan.collective ||
                                      assembly::service_of(plan.family) != host::Service::kRdma;
                             }) ||
         std::ranges::any_of(options.machines,
                             [](const world::MachinePlan& machine) { return machine.options.host != nullptr; });
}

// Whether its flows send at the same time. Collectives do if they go around rings: nobody sends to more than two
// others.
bool sends_at_once(const assembly::TrafficPlan& plan, const std::set<workload::FlowId>& flows) {
  constexpr std::size_t kNeighbours = 2;
  if (!plan.collective) {
    return plan.all_at_once;
  }
  std::map<workload::RankId, std::set<workload::RankId>> receivers;
  for (const workload::FlowId& flow : flows) {
    receivers[flow.source].insert(flow.destination);
  }
  return std::ranges::all_of(receivers, [](const auto& of) { return of.second.size() <= kNeighbours; });
}

}  // namespace

/// Counts what passes on its way to the sink.
struct Simulation::Counter final : workload::MessageSink {
  explicit Counter(workload::MessageSink& behind) : sink(behind) {}
  void on_message(const workload::MessageRecord& record) override {
    ++messages;
    bytes += static_cast<std::uint64_t>(record.size.count());
    // What a training job sends inside its domains is counted there, and no message of the network.
    const auto job = training.find(record.flow.job);
    if (job == training.end() || job->second->take(record)) {
      sink.on_message(record);
    }
  }
  void on_collective(const workload::CollectiveRecord& record) override { sink.on_collective(record); }

  workload::MessageSink& sink;
  std::map<workload::JobId, TrainingRun*> training;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// What the ranks of one traffic are made of.
struct Simulation::Job {
  struct Rank {
    verbs::MemoryPlace place;  // of its buffers
    workload::RankPorts ports;
    workload::Messenger messenger;
    std::unique_ptr<workload::CollectiveEngine> engine;  // of a training job
    std::unique_ptr<workload::Program> program;
    bool started = false;
    bool done = false;

    Rank(verbs::MemoryPlace chosen, workload::RankPorts opened, workload::LocalConnector& connector,
         workload::DeliveryMatcher& matcher)
        : place(chosen), ports(std::move(opened)), messenger(ports, connector, matcher) {}
  };

  Job(assembly::TrafficPlan made, const workload::ConnectionAttributes& attributes)
      : plan(std::move(made)), connector(plan.job, attributes) {}

  assembly::TrafficPlan plan;
  workload::LocalConnector connector;
  std::unique_ptr<assembly::CollectiveBytes> bytes;  // null: lengths only
  std::unique_ptr<TrainingRun> training;             // null: other traffic
  std::deque<Rank> ranks;
  std::vector<const workload::CollectiveProgram*> collectives;  // by rank; empty for other traffic
};

struct Simulation::Parts {
  explicit Parts(workload::MessageSink& sink) : counter(sink), matcher(counter) {}
  Counter counter;
  workload::DeliveryMatcher matcher;
  std::unique_ptr<assembly::HostBuilder> hosts;
  std::optional<assembly::ScaleUpPlan> scale_up;
};

Simulation::Simulation(const scenario::Scenario& scenario, workload::MessageSink& sink, Payload payload,
                       world::Division division)
    : scenario_(scenario), payload_(payload), division_(division), parts_(std::make_unique<Parts>(sink)) {}

Simulation::~Simulation() = default;

Result<std::unique_ptr<Simulation>> Simulation::create(const scenario::Scenario& scenario, workload::MessageSink& sink,
                                                       Payload payload, world::Division division) {
  std::unique_ptr<Simulation> simulation(new Simulation(scenario, sink, payload, division));
  if (Result<void> built = simulation->build(); !built) {
    return pass_on(built);
  }
  return simulation;
}

Result<void> Simulation::build() {
  Result<fabric::Graph> graph = assembly::build_topology(scenario_);
  if (!graph) {
    return pass_on(graph);
  }
  Result<std::optional<assembly::ScaleUpPlan>> scale_up = assembly::plan_scale_up(scenario_, *graph);
  if (!scale_up) {
    return pass_on(scale_up);
  }
  Result<std::vector<assembly::TrafficPlan>> plans =
      assembly::plan_traffic(scenario_, *graph, scale_up->has_value() ? &**scale_up : nullptr);
  if (!plans) {
    return pass_on(plans);
  }
  if (Result<void> reached = assembly::check_reach(scenario_, *graph, *plans); !reached) {
    return reached;
  }
  world::WorldOptions options;
  options.seed = static_cast<std::uint64_t>(scenario_.seed);
  options.carries_bytes = payload_ == Payload::kBytes;
  if (Result<void> chosen = choose_fabric(scenario_, *graph, options); !chosen) {
    return chosen;
  }
  parts_->hosts = std::make_unique<assembly::HostBuilder>(scenario_, *graph);
  options.reduction = assembly::reduction_options(scenario_);
  options.graph = std::move(*graph);
  options.nic = [this](EndpointId endpoint) { return parts_->hosts->nic(endpoint); };
  if (scale_up->has_value()) {
    options.scale_up = (*scale_up)->options;
    parts_->scale_up = std::move(*scale_up);
    options.scale_up_graph = parts_->scale_up->reducers.graph;
    options.scale_up_endpoints = parts_->scale_up->reducers.endpoints;
    options.scale_up_reduction = parts_->scale_up->reducers.options;
    options.scale_up_nic = [this](EndpointId endpoint) {
      return parts_->hosts->scale_up_nic(parts_->scale_up->find(endpoint));
    };
  }
  for (const assembly::TrafficPlan& plan : *plans) {
    for (const world::MachinePlan& machine : plan.machines) {
      options.machines.push_back(machine);
      host::MachineOptions& made = options.machines.back().options;
      made.host = resources_of(machine);
      if (made.host != nullptr) {
        made.core = made.host->cpu().core_of(stable_hash(options.seed, "core " + machine.name));
      }
    }
  }
  options.division = stays_whole(options, *plans) ? world::Division::kNever : division_;
  Result<std::unique_ptr<world::World>> world = world::World::create(std::move(options));
  if (!world) {
    return pass_on(world);
  }
  world_ = std::move(*world);
  std::size_t first_machine = 0;
  for (assembly::TrafficPlan& plan : *plans) {
    const std::size_t ranks = plan.machines.size();
    if (Result<void> made = make_job(std::move(plan), first_machine); !made) {
      return made;
    }
    first_machine += ranks;
  }
  world_->start();
  return {};
}

// A pool of memory belongs to no host.
host::HostResources* Simulation::resources_of(const world::MachinePlan& machine) const {
  if (!machine.rails.empty()) {
    return parts_->hosts->resources(machine.rails.front());
  }
  const assembly::ScaleUpPlan::Gpu* const gpu = parts_->scale_up->find(*machine.scale_up);
  return gpu == nullptr ? nullptr : parts_->hosts->resources(gpu->host);
}

Result<void> Simulation::make_job(assembly::TrafficPlan plan, std::size_t first_machine) {
  jobs_.push_back({.name = plan.job.name, .rank_names = plan.rank_names, .rank_endpoints = {}});
  for (const world::MachinePlan& machine : plan.machines) {
    jobs_.back().rank_endpoints.push_back(machine.rails.empty() ? *machine.scale_up : machine.rails.front());
  }
  expected_bytes_ += plan.expected_bytes;
  all_expected_ = all_expected_ && plan.expected_bytes > 0;
  running_.push_back(
      std::make_unique<Job>(std::move(plan), assembly::connection_attributes(scenario_, plan.family, plan.priority)));
  Job& job = *running_.back();
  if (payload_ == Payload::kBytes && job.plan.collective) {
    job.bytes = std::make_unique<assembly::CollectiveBytes>(*job.plan.collective);
  }
  if (Result<void> made = make_training(job); !made) {
    return made;
  }
  for (std::uint32_t rank = 0; rank < job.plan.machines.size(); ++rank) {
    host::SimMachine& machine = world_->machine(first_machine + rank);
    const world::MachinePlan& planned = job.plan.machines[rank];
    const verbs::MemoryPlace place =
        planned.rails.empty() ? verbs::MemoryPlace{planned.gpu} : parts_->hosts->memory(planned.rails.front());
    workload::RankMemory memory{.place = place};
    if (job.bytes) {
      memory = job.bytes->memory(rank, place);
    } else if (job.plan.collective || job.plan.training) {
      memory.length = assembly::kCollectiveMemory;
    }
    Result<workload::RankPorts> ports = workload::RankPorts::open(machine, memory);
    if (!ports) {
      return pass_on(ports);
    }
    Job::Rank& made = job.ranks.emplace_back(place, std::move(*ports), job.connector, parts_->matcher);
    job.connector.add_rank(made.ports, made.messenger);
    if (Result<void> programmed = make_program(job, rank); !programmed) {
      return programmed;
    }
    machine.set_program([this, &made]() { return call(made.program.get(), made.started, made.done); });
    ++ranks_left_;
  }
  return {};
}

// Where the scenario says what a plan comes from: the collective's algorithm if it is given, or the first key.
std::string Simulation::place_of(const assembly::TrafficPlan& plan) const {
  const auto place = [this](const std::string& path) { return scenario::source_place(scenario_, path); };
  for (std::size_t i = 0; i < scenario_.traffic.size(); ++i) {
    if (plan.collective && scenario_.traffic[i].name == plan.job.name) {
      const std::string algorithm = place(fmt::format("traffic[{}].algorithm", i));
      return algorithm == scenario_.file ? place(fmt::format("traffic[{}].kind", i)) : algorithm;
    }
  }
  for (std::size_t i = 0; i < scenario_.jobs.size(); ++i) {
    if (plan.training && scenario_.jobs[i].name == plan.job.name) {
      return place(fmt::format("job[{}].name", i));
    }
  }
  return scenario_.file;
}

Result<void> Simulation::make_training(Job& job) {
  if (!job.plan.training) {
    return {};
  }
  assembly::TrainingPlanEntry& planned = *job.plan.training;
  Result<std::unique_ptr<TrainingRun>> run = TrainingRun::make(
      {.job = *planned.settings,
       .identity = job.plan.job,
       .layout = planned.layout,
       .network_rate = planned.network_rate,
       .scale_up_rate = planned.scale_up_rate,
       .load =
           [this] {
             return SliceGrowth::Load{.signals = world::congestion_signals(*world_),
                                      .packet_hops = world_->packet_hops()};
           },
       .limits = [this, &job](std::span<const world::FlowDemand> demands) { return path_limits(job, demands); },
       .piece = [this, &job] { return job.plan.training->network_rate.bytes_in(round_trip(job)) * kProductsPerPiece; },
       .min_piece = scenario_.collectives.chunk * kChunksPerPiece,
       .shares_hosts = assembly::service_of(job.plan.family) == host::Service::kTcp});
  if (!run) {
    return pass_on(run);
  }
  if (Result<void> met = check_groups((*run)->communicators(), planned.layout); !met) {
    return fail("{}: job '{}': {}", place_of(job.plan), planned.settings->name, met.error().message);
  }
  if ((*run)->composed() && running_.size() > 1) {
    return fail("job '{}': a composed step excludes other traffic; set fidelity = \"packet\"", planned.settings->name);
  }
  job.training = std::move(*run);
  parts_->counter.training.emplace(job.plan.job.id, job.training.get());
  return {};
}

world::PathLimits Simulation::path_limits(const Job& job, std::span<const world::FlowDemand> demands) const {
  return world::FlowPaths(
             {.world = *world_, .connector = job.connector, .payload_share = payload_share(*world_, scenario_)})
      .examine(demands);
}

// Between the first rank and the last, which are as far from one another as any.
Duration Simulation::round_trip(const Job& job) const {
  const std::vector<EndpointId>& ends = jobs_[job.plan.job.id.value()].rank_endpoints;
  if (ends.size() < 2 || world_->is_scale_up(ends.front()) || job.plan.training->network_rate == Rate::zero()) {
    return {};
  }
  const workload::MessageRecord message{
      .flow = {.job = job.plan.job.id,
               .source = workload::RankId(0),
               .destination = workload::RankId(static_cast<std::uint32_t>(ends.size() - 1))}};
  return ideal_time(message);
}

Result<void> Simulation::make_training_program(Job& job, std::uint32_t rank) {
  Job::Rank& made = job.ranks[rank];
  auto engine = workload::CollectiveEngine::make(made.messenger,
                                                 {.job = job.plan.job.id,
                                                  .rank = workload::RankId(rank),
                                                  .layout = &job.plan.training->layout,
                                                  .collectives = scenario::collective_options(scenario_.collectives)});
  if (!engine) {
    return fail("job '{}': {}", job.plan.job.name, engine.error().message);
  }
  made.engine = std::move(*engine);
  auto program = job.training->make_program(workload::RankId(rank), made.ports.machine(), *made.engine);
  if (!program) {
    return fail("job '{}': {}", job.plan.job.name, program.error().message);
  }
  made.program = std::move(*program);
  return {};
}

Result<std::vector<results::StepRow>> Simulation::training_steps(const std::function<bool()>& keep_going) const {
  std::vector<results::StepRow> rows;
  for (const auto& job : running_) {
    if (!job->training) {
      continue;
    }
    Result<results::StepRow> row = job->training->finish(keep_going);
    if (!row) {
      return pass_on(row);
    }
    rows.push_back(std::move(*row));
  }
  return rows;
}

bool Simulation::is_between_phases(Time time) const {
  return std::ranges::any_of(
      running_, [time](const auto& job) { return job->training && job->training->is_between_phases(time); });
}

const TrainingRun* Simulation::training(std::size_t job) const { return running_[job]->training.get(); }

Duration Simulation::start_delay(const Job& job, std::uint32_t rank) const {
  const assembly::TrafficPlan& plan = job.plan;
  if (plan.start_jitter == Duration::zero()) {
    return {};
  }
  RandomStream random(plan.job.seed, fmt::format("{}/{}/start", plan.job.name, plan.rank_names[rank]));
  return Duration::picoseconds(random.uniform_between({.low = 0, .high = plan.start_jitter.picoseconds()}));
}

Result<void> Simulation::make_program(Job& job, std::uint32_t rank) {
  Job::Rank& made = job.ranks[rank];
  if (job.plan.collective) {
    return make_collective(job, rank);
  }
  if (job.training) {
    return make_training_program(job, rank);
  }
  if (job.plan.ring) {
    Result<std::unique_ptr<workload::RingAllReduce>> ring =
        workload::RingAllReduce::make(made.messenger, parts_->matcher,
                                      {.job = job.plan.job.id,
                                       .rank = workload::RankId(rank),
                                       .shape = job.plan.ring->shape,
                                       .iterations = job.plan.ring->iterations,
                                       .start = job.plan.ring->start + start_delay(job, rank)});
    if (!ring) {
      return pass_on(ring);
    }
    made.program = std::move(*ring);
    return {};
  }
  workload::FlowProgramOptions options{.job = job.plan.job.id, .start_delay = start_delay(job, rank)};
  if (job.plan.pattern->needs_receives()) {
    options.connection.receive_requests = 2 * options.connection.max_send_wr;
  }
  made.program = std::make_unique<workload::FlowProgram>(made.messenger,
                                                         job.plan.pattern->flows_of(workload::RankId(rank)), options);
  return {};
}

Result<void> Simulation::make_collective(Job& job, std::uint32_t rank) {
  workload::CollectiveProgramOptions options = job.plan.collective->program;
  options.start = options.start + start_delay(job, rank);
  options.engine.job = job.plan.job.id;
  options.engine.rank = workload::RankId(rank);
  options.engine.layout = &job.plan.collective->layout;
  auto program = workload::CollectiveProgram::make(job.ranks[rank].messenger, parts_->matcher, options);
  if (!program) {
    return fail("{}: traffic '{}': {}", place_of(job.plan), job.plan.job.name, program.error().message);
  }
  job.collectives.push_back(program->get());
  job.ranks[rank].program = std::move(*program);
  return {};
}

TierBytes Simulation::collective_bytes(std::size_t job, std::uint32_t rank) const {
  const Job& asked = *running_[job];
  if (asked.collectives.empty()) {
    return {};
  }
  const workload::CollectiveEngine& engine = asked.collectives[rank]->engine();
  return {.scale_out = engine.sent_over_scale_out(), .scale_up = engine.sent_over_scale_up()};
}

workload::CollectiveAlgorithm Simulation::collective_algorithm(std::size_t job) const {
  const Job& asked = *running_[job];
  return asked.collectives.empty() ? workload::CollectiveAlgorithm::kAutomatic : asked.collectives[0]->algorithm();
}

Result<void> Simulation::check_bytes() const {
  for (const auto& job : running_) {
    if (!job->bytes) {
      return fail("traffic '{}' carried no bytes", job->plan.job.name);
    }
    if (Result<void> right = job->bytes->check(); !right) {
      return fail("traffic '{}': {}", job->plan.job.name, right.error().message);
    }
  }
  return {};
}

Result<void> Simulation::call(workload::Program* program, bool& started, bool& done) {
  Result<void> ran = started ? program->on_event() : program->start();
  started = true;
  if (!done && program->done()) {
    done = true;
    --ranks_left_;
    ended_at_ = later(ended_at_, world_->now());
  }
  // A receiver behind a long path through its host may see the last message after its sender has its completion.
  if (all_done()) {
    ended_at_ = later(ended_at_, parts_->matcher.last_delivery());
    world_->stop();
  }
  return ran;
}

std::uint64_t Simulation::unfinished(std::size_t job) const {
  std::uint64_t sum = 0;
  for (const Job::Rank& rank : running_[job]->ranks) {
    sum += rank.messenger.outstanding();
  }
  return sum;
}

std::optional<world::PathLimits> Simulation::allowed(std::size_t job, const std::set<workload::FlowId>& flows) const {
  const Job& running = *running_[job];
  if (flows.size() > kMaxFlows || !sends_at_once(running.plan, flows)) {
    return std::nullopt;
  }
  std::vector<world::FlowDemand> demands;
  for (const workload::FlowId& flow : flows) {
    demands.push_back({.flow = flow, .bytes = Bytes(1)});
  }
  const world::PathLimits limits = path_limits(running, demands);
  return limits.flows > 0 ? std::optional(limits) : std::nullopt;
}

bool Simulation::all_done() const { return ranks_left_ == 0 && parts_->matcher.awaiting_delivery() == 0; }

Progress Simulation::progress() const {
  return {.now = world_->now(),
          .limit = scenario_.stop ? Time::zero() + *scenario_.stop : Time::never(),
          .messages = parts_->counter.messages,
          .bytes = parts_->counter.bytes,
          .expected_bytes = all_expected_ ? expected_bytes_ : 0,
          .packet_hops = world_->packet_hops()};
}

Simulation::End Simulation::run(const std::function<bool(const Progress&)>& keep_going) {
  const Time limit = progress().limit;
  End end = End::kFinished;
  for (bool running = ranks_left_ > 0; running;) {
    switch (world_->run(next_pause_ < limit ? next_pause_ : limit, kSlice)) {
      case world::World::Stop::kBudget:
        break;
      case world::World::Stop::kLimit:
        if (next_pause_ < limit) {
          // An observer wanted to look at this instant.
          at_pause_(next_pause_);
          next_pause_ = next_pause_ + pause_interval_;
          break;
        }
        end = End::kTimeLimit;
        ended_at_ = limit;
        running = false;
        break;
      case world::World::Stop::kIdle:
        end = ranks_left_ == 0 ? End::kFinished : End::kStuck;
        running = false;
        break;
      case world::World::Stop::kError:
        end = End::kError;
        ended_at_ = world_->error_at();
        error_ = world_->error()->message + unreachable_text(*world_);
        running = false;
        break;
    }
    if (running && all_done()) {
      running = false;
    } else if (running && !keep_going(progress())) {
      end = End::kInterrupted;
      ended_at_ = world_->now();
      running = false;
    }
  }
  if (end == End::kFinished) {
    // Where a sample was due in the last window, or a slice ended, the rest of it.
    world_->finish_window(limit);
  }
  if (end == End::kStuck) {
    error_ = "deadlock: no event is pending, but " + std::to_string(ranks_left_) + " ranks wait";
    ended_at_ = world_->now();
  }
  parts_->matcher.flush();
  return end;
}

void Simulation::observe(Duration interval, std::function<void(Time)> look) {
  pause_interval_ = interval;
  next_pause_ = Time::zero() + interval;
  at_pause_ = std::move(look);
}

world::IdealPath Simulation::path_of(const workload::MessageRecord& message) const {
  const JobDescription& job = jobs_[message.flow.job.value()];
  const Job& running = *running_[message.flow.job.value()];
  const EndpointId source = job.rank_endpoints[message.flow.source.value()];
  return {.source = source,
          .destination = job.rank_endpoints[message.flow.destination.value()],
          .encapsulation = world_->nic(source).options().device.encapsulation,
          .mtu = Bytes(scenario_.fabric.mtu),
          .place = running.ranks[message.flow.source.value()].place,
          .service = running.plan.over == scenario::TrafficRoute::kScaleUp ? host::Service::kMemory
                                                                           : assembly::service_of(running.plan.family)};
}

Duration Simulation::ideal_time(const workload::MessageRecord& message) const {
  return world::ideal_time(*world_, path_of(message), message.operation, message.size);
}

const assembly::ScaleUpPlan* Simulation::scale_up_plan() const {
  return parts_->scale_up.has_value() ? &*parts_->scale_up : nullptr;
}

void Simulation::visit_hosts(const std::function<void(const std::string&, const host::HostResources&)>& visit) const {
  parts_->hosts->visit(visit);
}

// Measured on permutations of fat-trees: ports with their queues, a NIC with one queue pair, and the packets of one
// bandwidth-delay product per host; then a fifth more.
std::uint64_t estimate_memory(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  constexpr std::uint64_t kPerPort = 1'600;
  constexpr std::uint64_t kPerEndpoint = 9'000;
  constexpr std::uint64_t kPerConnection = 2'500;
  constexpr std::uint64_t kPerPacket = 64 + 16;
  std::uint64_t connections = 0;
  for (const scenario::TrafficSettings& traffic : scenario.traffic) {
    const std::uint64_t all = graph.host_endpoints();
    connections += traffic.kind == scenario::TrafficKind::kAllToAll || traffic.kind == scenario::TrafficKind::kPoisson
                       ? all * all
                       : 2 * all;
  }
  const std::uint64_t packets = std::uint64_t{200} * graph.endpoints;
  const std::uint64_t sum = 2 * graph.links.size() * kPerPort + graph.endpoints * kPerEndpoint +
                            connections * kPerConnection + packets * kPerPacket + (std::uint64_t{16} << 20);
  return sum + sum / 5;
}

}  // namespace weft::study::run
