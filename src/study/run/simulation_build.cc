// From a scenario to its world and the programs of its ranks.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "base/stable_hash.h"
#include "study/assembly/build_attacks.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_failures.h"
#include "study/assembly/build_multicast.h"
#include "study/assembly/build_reduction.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/reach.h"
#include "study/assembly/receive_buffers.h"
#include "study/assembly/subnet_resweeps.h"
#include "study/run/group_reach.h"
#include "study/run/manager_study.h"
#include "study/run/settled_excess.h"
#include "study/run/simulation_parts.h"
#include "study/run/start_delay.h"
#include "study/scenario/scenario_validate.h"
#include "study/world/congestion_signals.h"
#include "workload/flow_program.h"

namespace weft::study::run {
namespace {

/// What a rank sends of each part of an operation, for its flows to meet those of others: several times what is under
/// way on a path.
constexpr std::int64_t kProductsPerPiece = 4;
constexpr std::int64_t kChunksPerPiece = 3;

/// `resweeps`: of its subnet managers.
Result<void> choose_fabric(const scenario::Scenario& scenario, const fabric::Graph& graph,
                           std::span<assembly::TrafficPlan> plans, world::WorldOptions& options,
                           std::vector<assembly::Resweep>& resweeps) {
  Result<fabric::AnyFabricOptions> made = assembly::fabric_options(scenario, graph);
  if (!made) {
    return pass_on(made);
  }
  if (auto* const subnet = std::get_if<fabric::InfiniBandOptions>(&*made);
      subnet != nullptr && scenario::has_manager(scenario.routing)) {
    if (scenario::simulates_resweeps(scenario.routing) && !subnet->events.empty()) {
      if (Result<void> timed = add_sweep_times(scenario, graph, subnet->events); !timed) {
        return timed;
      }
    }
    Result<assembly::ResweepPlan> plan = assembly::plan_resweeps(scenario, graph, subnet->events);
    if (!plan) {
      return pass_on(plan);
    }
    subnet->sweeps = std::move(plan->schedule);
    resweeps = std::move(plan->resweeps);
  }
  if (auto* const subnet = std::get_if<fabric::InfiniBandOptions>(&*made); subnet != nullptr) {
    Result<fabric::MulticastTables> trees = assembly::multicast_tables(scenario, graph, plans);
    if (!trees) {
      return pass_on(trees);
    }
    subnet->multicast = std::move(*trees);
  }
  options.fabric = std::move(*made);
  options.port_failover_delay = scenario.routing.port_failover_delay;
  return {};
}

/// P_Keys of jobs, and those of ports by a file.
Result<void> choose_partitions(const scenario::Scenario& scenario, const fabric::Graph& graph,
                               std::span<const assembly::TrafficPlan> plans, std::vector<std::uint16_t>& of_jobs,
                               std::optional<assembly::PortKeys>& of_ports) {
  Result<std::optional<assembly::PortKeys>> made = assembly::checked_partitions(scenario, graph, plans);
  if (!made) {
    return pass_on(made);
  }
  of_ports = *std::move(made);
  of_jobs = assembly::partition_keys(scenario, plans);
  return {};
}

/// `numbers`: of the world's attacks, in the scenario.
Result<void> choose_attacks(const scenario::Scenario& scenario, std::span<const assembly::TrafficPlan> plans,
                            const std::optional<assembly::PortKeys>& port_keys, world::WorldOptions& options,
                            std::vector<std::size_t>& numbers) {
  Result<assembly::AttackPlan> attacks = assembly::plan_attacks(scenario, options.graph, plans, port_keys);
  if (!attacks) {
    return pass_on(attacks);
  }
  numbers = std::move(attacks->numbers);
  options.attacks = std::move(attacks->attacks);
  options.defences = std::move(attacks->defences);
  return {};
}

/// Of flows or of routes.
bool has_controller(const fabric::AnyFabricOptions& fabric) {
  const auto* const ethernet = std::get_if<fabric::EthernetOptions>(&fabric);
  return ethernet != nullptr &&
         (ethernet->switches.front().path == fabric::PathPolicy::kCentral || ethernet->control.has_value());
}

/// What a connection is told depends on when it is opened, and a divided world opens all at the start.
bool changes_levels(const fabric::AnyFabricOptions& fabric) {
  const auto* const subnet = std::get_if<fabric::InfiniBandOptions>(&fabric);
  return subnet != nullptr && subnet->sweeps.changes_levels();
}

bool is_composed(const assembly::TrafficPlan& plan) {
  return plan.training && plan.training->settings->training.fidelity == scenario::StepFidelity::kComposed;
}

bool runs_over_streams(const assembly::TrafficPlan& plan) {
  const host::Service service = assembly::service_of(plan.family);
  return service == host::Service::kTcp || service == host::Service::kIwarp;
}

/// Flows that wait for others tell their ranks so over connections that are opened then, which moves the clocks of both
/// ends of a stream, or of loads and stores.
bool connects_late(const world::WorldOptions& options, const assembly::TrafficPlan& plan) {
  return plan.pattern != nullptr && plan.pattern->triggers() != nullptr &&
         (runs_over_streams(plan) || options.scale_up);
}

// Composed steps, and traffic as long as they last, decide by what the whole network has seen, and numbers are checked
// in memory that ranks share. Handshakes of streams would all come at once where connections are opened first. Leaves
// of a scheduled fabric act on each other's queues and links, attackers look into victims, a traffic controller on the
// tables of all switches, and what switches decide for themselves is judged over the tables of all. Members of a
// multicast group share the list of who has what. Of a manager whose sweeps change service levels: changes_levels(). A
// queue pair that is connected anew concerns both of its hosts at once.
bool stays_whole(const world::WorldOptions& options, std::span<const assembly::TrafficPlan> plans,
                 const scenario::Scenario& scenario) {
  const bool sets_up_streams = scenario.tcp.setup == scenario::StreamSetup::kOnTheWire;
  return scenario.library.reconnects() || options.carries_bytes || !options.attacks.empty() ||
         options.defences.cnp_interval > Duration::zero() ||
         std::holds_alternative<fabric::ScheduledOptions>(options.fabric) || has_controller(options.fabric) ||
         changes_levels(options.fabric) || std::ranges::any_of(plans, [&](const assembly::TrafficPlan& plan) {
           return is_composed(plan) || plan.as_long_as_jobs || plan.multicast.has_value() ||
                  connects_late(options, plan) || (runs_over_streams(plan) && sets_up_streams);
         });
}

/// What to write in place of traffic that a composed step cannot have beside it; nothing if it can.
std::string remedy_beside_composed(const assembly::TrafficPlan& other) {
  constexpr std::string_view kPacket = "set fidelity = \"packet\" in the composed job";
  if (is_composed(other)) {
    return {};  // they take turns (study/run/job_turns.h)
  }
  if (other.training || other.collective || other.multicast) {
    return std::string(kPacket);
  }
  if (!other.as_long_as_jobs) {
    return fmt::format(
        "let it last as long as the job (count = 0, or kind \"poisson\", without stop), "
        "or {}",
        kPacket);
  }
  return other.latest_start > TrainingRun::kLead
             ? fmt::format("let all of it begin within {} (start, start_jitter, the flow file), or {}",
                           TrainingRun::kLead, kPacket)
             : std::string();
}

/// Phases of a composed step meet what the step meets only beside traffic that is alike at all times.
Result<void> check_company(std::span<const assembly::TrafficPlan> plans) {
  for (const assembly::TrafficPlan& plan : plans) {
    for (const assembly::TrafficPlan& other : plans) {
      if (&other == &plan || !is_composed(plan)) {
        continue;
      }
      if (const std::string remedy = remedy_beside_composed(other); !remedy.empty()) {
        return fail("job '{}': its step is composed, and '{}' is not alike at all times; {}",
                    plan.training->settings->name, other.job.name, remedy);
      }
    }
  }
  return {};
}

/// The links of GPUs beside the network, if there are any. Plan and hosts must outlive the world.
void choose_scale_up(const std::optional<assembly::ScaleUpPlan>& plan, assembly::HostBuilder& hosts,
                     world::WorldOptions& options) {
  if (!plan) {
    return;
  }
  options.scale_up = plan->options;
  options.scale_up_graph = plan->reducers.graph;
  options.scale_up_endpoints = plan->reducers.endpoints;
  options.scale_up_reduction = plan->reducers.options;
  options.scale_up_nic = [&](EndpointId endpoint) { return hosts.scale_up_nic(plan->find(endpoint)); };
}

}  // namespace

Result<void> Simulation::build(std::uint32_t threads) {
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
  if (Result<void> may = choose_partitions(scenario_, *graph, *plans, parts_->partitions, parts_->port_keys); !may) {
    return may;
  }
  if (Result<void> may = check_company(*plans); !may) {
    return may;
  }
  has_company_ = std::ranges::any_of(*plans, &assembly::TrafficPlan::as_long_as_jobs);
  make_turns(*plans);
  world::WorldOptions options;
  options.seed = static_cast<std::uint64_t>(scenario_.seed);
  options.threads = threads;
  options.carries_bytes = payload_ == Payload::kBytes;
  if (Result<void> chosen = choose_fabric(scenario_, *graph, *plans, options, parts_->resweeps); !chosen) {
    return chosen;
  }
  Result<std::vector<host::ReceiveFlowControl>> receive = assembly::receive_flow_control(scenario_, *graph);
  if (!receive) {
    return pass_on(receive);
  }
  parts_->hosts = std::make_unique<assembly::HostBuilder>(scenario_, *graph, std::move(*receive));
  options.reduction = assembly::reduction_options(scenario_);
  options.graph = std::move(*graph);
  options.nic = [this](EndpointId endpoint) { return parts_->hosts->nic(endpoint); };
  parts_->scale_up = std::move(*scale_up);
  choose_scale_up(parts_->scale_up, *parts_->hosts, options);
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
  if (Result<void> attacked = choose_attacks(scenario_, *plans, parts_->port_keys, options, parts_->attacks);
      !attacked) {
    return attacked;
  }
  options.division = stays_whole(options, *plans, scenario_) ? world::Division::kNever : division_;
  Result<std::unique_ptr<world::World>> world = world::World::create(std::move(options));
  if (!world) {
    return pass_on(world);
  }
  world_ = std::move(*world);
  if (Result<void> made = make_jobs(*plans); !made) {
    return made;
  }
  world_->start();
  make_controller();
  return {};
}

Result<void> Simulation::make_jobs(std::vector<assembly::TrafficPlan>& plans) {
  std::size_t first_machine = 0;
  for (assembly::TrafficPlan& plan : plans) {
    const std::size_t ranks = plan.machines.size();
    if (Result<void> made = make_job(std::move(plan), first_machine); !made) {
      return made;
    }
    first_machine += ranks;
  }
  if (scenario_.library.watchdog) {
    parts_->counter.last.resize(running_.size(), Time::zero());
  }
  return assembly::check_slow_gpus(scenario_, parts_->gpus);
}

void Simulation::make_turns(std::span<const assembly::TrafficPlan> plans) {
  if (std::ranges::count_if(plans, is_composed) > 1) {
    parts_->turns = std::make_unique<JobTurns>(
        JobTurns::Options{.hops = [this] { return world_->packet_hops(); },
                          .links =
                              [this](const TrainingRun& run, std::span<const world::FlowDemand> demands) {
                                return links_of(*running_[run.options().identity.id.value()], demands);
                              }});
  }
}

// A pool of memory belongs to no host.
host::HostResources* Simulation::resources_of(const world::MachinePlan& machine) const {
  if (!machine.rails.empty()) {
    return parts_->hosts->resources(machine.rails.front());
  }
  const assembly::ScaleUpPlan::Gpu* const gpu = parts_->scale_up->find(*machine.scale_up);
  return gpu == nullptr ? nullptr : parts_->hosts->resources(gpu->host);
}

// Kernel sockets have their buffers in the host's memory, whatever RDMA beside them uses.
verbs::MemoryPlace Simulation::place_of_buffers(const assembly::TrafficPlan& plan,
                                                const world::MachinePlan& machine) const {
  if (machine.rails.empty()) {
    return {machine.gpu};
  }
  return assembly::service_of(plan.family) == host::Service::kTcp ? verbs::MemoryPlace{}
                                                                  : parts_->hosts->memory(machine.rails.front());
}

/// Where a subnet manager gives paths their service levels, queue pairs ask it.
workload::ConnectionAttributes Simulation::attributes_of(const assembly::TrafficPlan& plan) const {
  workload::ConnectionAttributes made = assembly::connection_attributes(scenario_, plan.family, plan.priority);
  const auto* const fabric = world_->fabric().get_if<fabric::InfiniBandFabric>();
  if (fabric != nullptr && !fabric->path_levels().empty()) {
    made.level_of_path = [world = world_.get(), &levels = fabric->path_levels(),
                          other = made.service_level](const workload::PathEnds& ends) {
      return world->is_scale_up(ends.source)
                 ? other
                 : levels.of({.source = ends.source, .destination = ends.destination, .offset = ends.offset});
    };
  }
  return made;
}

Result<void> Simulation::make_job(assembly::TrafficPlan plan, std::size_t first_machine) {
  jobs_.push_back({.name = plan.job.name, .rank_names = plan.rank_names, .rank_endpoints = {}});
  for (const world::MachinePlan& machine : plan.machines) {
    jobs_.back().rank_endpoints.push_back(machine.rails.empty() ? *machine.scale_up : machine.rails.front());
  }
  expected_bytes_ += plan.expected_bytes;
  all_expected_ = all_expected_ && plan.expected_bytes > 0;
  workload::ConnectionAttributes attributes = attributes_of(plan);
  attributes.partition_key = parts_->partitions[running_.size()];
  if (parts_->port_keys) {
    attributes.partition_of_path = [&keys = *parts_->port_keys](const workload::PathEnds& ends) {
      return assembly::path_key(keys, ends.source, ends.destination);
    };
  }
  running_.push_back(std::make_unique<Job>(std::move(plan), attributes));
  Job& job = *running_.back();
  if (payload_ == Payload::kBytes && job.plan.collective) {
    job.bytes = std::make_unique<assembly::CollectiveBytes>(*job.plan.collective);
  }
  if (Result<void> made = make_training(job); !made) {
    return made;
  }
  make_group(job);
  for (std::uint32_t rank = 0; rank < job.plan.machines.size(); ++rank) {
    host::SimMachine& machine = world_->machine(first_machine + rank);
    const world::MachinePlan& planned = job.plan.machines[rank];
    const verbs::MemoryPlace place = place_of_buffers(job.plan, planned);
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
    assembly::describe_rails(job.plan, rank, *ports);
    workload::DeliveryMatcher& matcher = job.plan.as_long_as_jobs ? parts_->company_matcher : parts_->matcher;
    Job::Rank& made = job.ranks.emplace_back(place, std::move(*ports), job.connector, matcher);
    job.connector.add_rank(made.ports, made.messenger);
    if (Result<void> programmed = make_program(job, rank); !programmed) {
      return programmed;
    }
    if (job.plan.as_long_as_jobs) {
      parts_->counter.company.insert(job.plan.job.id);
      machine.set_program([this, &made]() { return call_company(made.program.get(), made.started); });
      continue;
    }
    machine.set_program([this, &job, &made]() {
      const bool was_done = made.done;
      Result<void> called = call(made.program.get(), made.started, made.done);
      if (made.done && !was_done && parts_->controller) {
        note_rank_done(job);
      }
      return called;
    });
    ++ranks_left_;
    ++job.ranks_left;
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

// One for each rank, or none at all.
Result<void> Simulation::find_slow_gpus(Job& job) {
  const auto slows = [](const scenario::FailureSettings& failure) {
    return failure.kind == scenario::FailureKind::kGpuSlow;
  };
  if (std::ranges::none_of(scenario_.failures, slows)) {
    return {};
  }
  for (const world::MachinePlan& machine : job.plan.machines) {
    const assembly::ScaleUpPlan::Gpu* const gpu =
        machine.rails.empty() ? parts_->scale_up->find(*machine.scale_up) : nullptr;
    const std::string host = gpu != nullptr ? gpu->host : assembly::host_of(world_->graph(), machine.rails.front());
    parts_->gpus.push_back(fmt::format("{}/gpu{}", host, machine.gpu.is_valid() ? machine.gpu.value() : 0));
    Result<workload::SlowSpans> spans = assembly::slow_spans(scenario_, parts_->gpus.back());
    if (!spans) {
      return pass_on(spans);
    }
    job.slow.push_back(std::move(*spans));
  }
  return {};
}

Result<void> Simulation::make_training(Job& job) {
  if (!job.plan.training) {
    return {};
  }
  assembly::TrainingPlanEntry& planned = *job.plan.training;
  if (Result<void> slowed = find_slow_gpus(job); !slowed) {
    return slowed;
  }
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
       .loads = [this, &job](std::uint32_t /*phase*/,
                             std::span<const world::FlowDemand> demands) { return path_loads(job, demands); },
       .piece = [this, &job] { return job.plan.training->network_rate.bytes_in(round_trip(job)) * kProductsPerPiece; },
       .min_piece = scenario_.collectives.chunk * kChunksPerPiece,
       .shares_hosts = assembly::service_of(job.plan.family) == host::Service::kTcp,
       .has_company = has_company_,
       .reacts = scenario::reacts_to_congestion(scenario_.congestion.algorithm) ||
                 assembly::service_of(job.plan.family) == host::Service::kTcp,
       .excess = settled_excess(scenario_),
       .turn = parts_->turns ? std::optional(parts_->turns->jobs()) : std::nullopt,
       .slow =
           job.slow.empty() ? nullptr : std::function([&job](workload::RankId rank) { return job.slow[rank.value()]; }),
       .connects_first = world_->runs_in_windows()});
  if (!run) {
    return pass_on(run);
  }
  if (Result<void> met = check_groups((*run)->communicators(), planned.layout); !met) {
    return fail("{}: job '{}': {}", place_of(job.plan), planned.settings->name, met.error().message);
  }
  job.training = std::move(*run);
  if (parts_->turns) {
    parts_->turns->add(*job.training);
  }
  parts_->counter.training.emplace(job.plan.job.id, job.training.get());
  return {};
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

Result<void> Simulation::make_program(Job& job, std::uint32_t rank) {
  Job::Rank& made = job.ranks[rank];
  if (job.plan.collective) {
    return make_collective(job, rank);
  }
  if (job.training) {
    return make_training_program(job, rank);
  }
  if (job.deliveries) {
    make_group_member(job, rank);
    return {};
  }
  workload::FlowProgramOptions options{.job = job.plan.job.id,
                                       .connection = job.plan.connection,
                                       .start_delay = start_delay(job.plan, rank),
                                       .triggers = job.plan.pattern->triggers(),
                                       .rank = workload::RankId(rank),
                                       .layout = assembly::relay_layout(job.plan)};
  if (job.plan.as_long_as_jobs) {
    options.quiet_until = [this](Time now) { return quiet_until(now); };
  }
  if (job.plan.pattern->needs_receives()) {
    options.connection.receive_requests = 2 * options.connection.max_send_wr;
  }
  auto program = std::make_unique<workload::FlowProgram>(made.messenger,
                                                         job.plan.pattern->flows_of(workload::RankId(rank)), options);
  if (world_->runs_in_windows()) {
    program->connect_first(job.plan.pattern->flows_of(workload::RankId(rank)));
  }
  made.program = std::move(program);
  return {};
}

void Simulation::make_group(Job& job) {
  if (const std::optional<assembly::MulticastPlan>& plan = job.plan.multicast) {
    job.deliveries = std::make_unique<workload::MulticastDeliveries>(
        workload::MulticastDeliveries::Ranks{.senders = plan->senders, .members = plan->members});
  }
}

/// With the membership that the rank's port has of the group's partition.
std::uint16_t Simulation::group_key(const Job& job, std::uint32_t rank) const {
  if (!parts_->port_keys) {
    return parts_->partitions[job.plan.job.id.value()];
  }
  const auto port = [&](workload::RankId each) { return job.plan.machines[each.value()].rails.front(); };
  std::vector<EndpointId> senders;
  std::vector<EndpointId> members;
  std::ranges::transform(job.plan.multicast->senders, std::back_inserter(senders), port);
  std::ranges::transform(job.plan.multicast->members, std::back_inserter(members), port);
  const std::array own{port(workload::RankId(rank))};
  return assembly::group_keys(*parts_->port_keys, senders, members, own).front();
}

void Simulation::make_group_member(Job& job, std::uint32_t rank) {
  const assembly::MulticastPlan& plan = *job.plan.multicast;
  const workload::RankId id(rank);
  const workload::ConnectionAttributes attributes =
      assembly::connection_attributes(scenario_, job.plan.family, job.plan.priority);
  workload::MulticastProgramOptions options = plan.program;
  options.rank = id;
  options.group = {.gid = wire::multicast_gid(plan.lid).octets, .lid = plan.lid};
  options.address = {.destination = wire::multicast_destination(plan.lid),
                     .service_level = attributes.service_level,
                     .traffic_class = attributes.traffic_class,
                     .hop_limit = attributes.hop_limit};
  options.partition_key = group_key(job, rank);
  options.sends = std::ranges::find(plan.senders, id) != plan.senders.end();
  options.receives = std::ranges::find(plan.members, id) != plan.members.end();
  options.start = options.start + start_delay(job.plan, rank);
  Job::Rank& made = job.ranks[rank];
  made.program = std::make_unique<workload::MulticastProgram>(made.ports, *job.deliveries, options);
}

// One for all ranks: each on its own would take memory with the square of their number.
Result<void> Simulation::make_directory(Job& job) {
  if (job.directory) {
    return {};
  }
  job.world = workload::world_communicator(job.plan.collective->layout.size());
  Result<workload::CommunicatorDirectory> made = workload::CommunicatorDirectory::make(
      {.layout = &job.plan.collective->layout,
       .communicators = {&job.world, 1},
       .collectives = job.plan.collective->program.engine.collectives,
       .areas = workload::MemoryAreas::of(job.ranks.front().ports.memory().length)});
  if (!made) {
    return fail("{}: traffic '{}': {}", place_of(job.plan), job.plan.job.name, made.error().message);
  }
  job.directory.emplace(std::move(*made));
  return {};
}

Result<void> Simulation::make_collective(Job& job, std::uint32_t rank) {
  workload::CollectiveProgramOptions options = job.plan.collective->program;
  options.start = options.start + start_delay(job.plan, rank);
  options.engine.job = job.plan.job.id;
  options.engine.rank = workload::RankId(rank);
  options.engine.layout = &job.plan.collective->layout;
  if (Result<void> made = make_directory(job); !made) {
    return made;
  }
  options.engine.directory = &*job.directory;
  options.world = &job.world;
  auto program = workload::CollectiveProgram::make(job.ranks[rank].messenger, parts_->matcher, options);
  if (!program) {
    return fail("{}: traffic '{}': {}", place_of(job.plan), job.plan.job.name, program.error().message);
  }
  // A rank that may close connections cannot open all of them beforehand; it runs on one thread.
  if (world_->runs_in_windows() && !options.engine.collectives.closes_connections()) {
    (*program)->connect_first();
  }
  job.collectives.push_back(program->get());
  job.ranks[rank].program = std::move(*program);
  return {};
}

}  // namespace weft::study::run
