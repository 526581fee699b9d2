#include "study/run/flow_simulation.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/stable_hash.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_paths.h"
#include "study/assembly/build_security.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/port_partitions.h"
#include "study/assembly/reach.h"
#include "study/assembly/receive_buffers.h"
#include "study/assembly/socket_costs.h"
#include "study/run/flow_simulation_parts.h"
#include "study/run/start_delay.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"
#include "workload/flow_program.h"
#include "workload/operation.h"

namespace weft::study::run {
namespace {

/// Events between two looks at the outside world.
constexpr std::uint64_t kEventsPerLook = 100'000;
/// Of jobs with more ranks, acknowledgements are taken for those of the same link's other direction.
constexpr std::size_t kMostRanksWithAnswers = 1'024;
/// Where one of the jobs has more ranks and nothing but collectives runs, changes of rates are applied together, after
/// so much of what a message takes.
constexpr std::size_t kMostRanksAtOnce = 256;
constexpr double kPartPutOff = 1.0 / 8;

bool are_large_collectives(std::span<const assembly::TrafficPlan> plans) {
  const auto is_collective = [](const assembly::TrafficPlan& plan) { return plan.training || plan.collective; };
  const auto is_large = [](const assembly::TrafficPlan& plan) { return plan.machines.size() > kMostRanksAtOnce; };
  return std::ranges::all_of(plans, is_collective) && std::ranges::any_of(plans, is_large);
}

bool mirrors_answers(const assembly::TrafficPlan& plan) {
  return plan.training.has_value() && plan.machines.size() > kMostRanksWithAnswers;
}

tl::unexpected<Error> not_at_flow_level(std::string_view what) {
  return fail("fidelity = \"flow\": {}; set fidelity = \"packet\"", what);
}

/// Jobs that run steps are alone: a composed one would not meet what is beside it, and no one waits for endless
/// traffic.
Result<void> check_steps(const scenario::Scenario& scenario) {
  const auto runs_steps = std::ranges::find_if(scenario.jobs, &scenario::JobSettings::runs_steps);
  const auto number = std::ranges::count_if(scenario.jobs, &scenario::JobSettings::runs_steps);
  return runs_steps != scenario.jobs.end() && (number > 1 || !scenario.traffic.empty())
             ? not_at_flow_level(fmt::format("job '{}' runs steps beside other jobs or traffic", runs_steps->name))
             : Result<void>();
}

/// The host of each endpoint, counted from 0.
std::vector<std::uint32_t> host_numbers(const fabric::Graph& graph) {
  std::map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    const auto next = static_cast<std::uint32_t>(known.size());
    numbers.push_back(known.try_emplace(assembly::host_of(graph, EndpointId(i)), next).first->second);
  }
  return numbers;
}

/// Of streams through hosts with stages.
void set_cores(const scenario::Scenario& scenario, world::FlowMediumOptions& medium) {
  if (medium.service == host::Service::kTcp && scenario.devices.host.model != scenario::HostModel::kNicDelays) {
    medium.hosts = host_numbers(medium.graph);
    medium.cores = static_cast<std::uint32_t>(scenario.devices.host.cores);
    medium.receive_unit = scenario.devices.sockets.unit;
    const assembly::CoreCosts costs =
        assembly::core_costs(assembly::socket_path_options({scenario, scenario.devices}), Bytes(scenario.fabric.mtu));
    medium.send_cost = costs.send;
    medium.receive_cost = costs.receive;
  }
}

}  // namespace

Result<void> check_flow_level(const scenario::Scenario& scenario) {
  if (scenario::detours(scenario.routing.policy) || scenario.routing.policy == scenario::RoutingPolicy::kScheduled ||
      scenario.routing.policy == scenario::RoutingPolicy::kCentral) {
    return not_at_flow_level(fmt::format("with routing.policy = \"{}\" the paths are not known before a run",
                                         scenario::word_of(scenario.routing.policy)));
  }
  if (scenario.reduction.enabled || scenario.scale_up.reduction) {
    return not_at_flow_level("reducers of the network are not there");
  }
  if (!scenario.attacks.empty() && scenario.keys.attacks) {
    return not_at_flow_level("attacks are packets");
  }
  if (scenario.keys.cnp_limit) {
    return not_at_flow_level("there are no notifications for keys.cnp_limit to hold back");
  }
  if (scenario::has_control(scenario)) {
    return not_at_flow_level("switches that decide on routes themselves do so with packets");
  }
  if (!scenario.failures.empty()) {
    return not_at_flow_level("failures are not followed");
  }
  if (!scenario.events.empty()) {
    return not_at_flow_level("events of links are not followed");
  }
  if (scenario.devices.nic.service_time != scenario::ServiceTime{}) {
    return not_at_flow_level("nic.service_time is not drawn");
  }
  if (scenario.output.sample_interval) {
    return not_at_flow_level("there are no queues for output.sample_interval to look at");
  }
  if (Result<void> steps = check_steps(scenario); !steps) {
    return steps;
  }
  for (const scenario::TrafficSettings& traffic : scenario.traffic) {
    if (traffic.kind == scenario::TrafficKind::kMulticast) {
      return not_at_flow_level(
          fmt::format("traffic '{}' is a multicast group, and switches that replicate packets are "
                      "not followed",
                      traffic.name));
    }
    if (traffic.family && scenario::engine_of(*traffic.family) != scenario::engine_of(scenario.fabric.family)) {
      return not_at_flow_level(fmt::format("traffic '{}' goes over '{}' on a network of '{}'", traffic.name,
                                           scenario::word_of(*traffic.family),
                                           scenario::word_of(scenario.fabric.family)));
    }
  }
  return {};
}

FlowSimulation::FlowSimulation(const scenario::Scenario& scenario, workload::MessageSink& sink, const Options& options)
    : scenario_(scenario), options_(options), parts_(std::make_unique<Parts>(sink)) {}

FlowSimulation::~FlowSimulation() = default;

Result<std::unique_ptr<FlowSimulation>> FlowSimulation::create(const scenario::Scenario& scenario,
                                                               workload::MessageSink& sink, const Options& options) {
  if (Result<void> possible = check_flow_level(scenario); !possible) {
    return pass_on(possible);
  }
  std::unique_ptr<FlowSimulation> simulation(new FlowSimulation(scenario, sink, options));
  if (Result<void> built = simulation->build(); !built) {
    return pass_on(built);
  }
  return simulation;
}

namespace {

Result<void> check_traffic(const scenario::Scenario& scenario, const fabric::Graph& graph,
                           std::span<const assembly::TrafficPlan> plans) {
  if (Result<void> reached = assembly::check_reach(scenario, graph, plans); !reached) {
    return reached;
  }
  if (auto partitions = assembly::checked_partitions(scenario, graph, plans); !partitions) {
    return pass_on(partitions);  // flows have no P_Keys, but what cannot talk is refused alike
  }
  return {};
}

}  // namespace

Result<void> FlowSimulation::build() {
  Parts& parts = *parts_;
  Result<fabric::Graph> graph = assembly::build_topology(scenario_);
  if (!graph) {
    return pass_on(graph);
  }
  Result<std::optional<assembly::ScaleUpPlan>> scale_up = assembly::plan_scale_up(scenario_, *graph);
  if (!scale_up) {
    return pass_on(scale_up);
  }
  parts.scale_up = std::move(*scale_up);
  Result<std::vector<assembly::TrafficPlan>> plans =
      assembly::plan_traffic(scenario_, *graph, parts.scale_up ? &*parts.scale_up : nullptr);
  if (!plans) {
    return pass_on(plans);
  }
  if (options_.ring_cell.ranks > 0) {
    keep_ring_cell(plans->front());
  }
  if (Result<void> possible = check_traffic(scenario_, *graph, *plans); !possible) {
    return possible;
  }
  Result<fabric::AnyFabricOptions> fabric = assembly::fabric_options(scenario_, *graph);
  if (!fabric) {
    return pass_on(fabric);
  }
  if (auto receive = assembly::receive_flow_control(scenario_, *graph); !receive) {
    return pass_on(receive);  // flows fill no buffers, but what cannot be built is refused alike
  }
  parts.hosts = std::make_unique<assembly::HostBuilder>(scenario_, *graph);
  world::FlowMediumOptions medium{
      .seed = static_cast<std::uint64_t>(scenario_.seed),
      .graph = std::move(*graph),
      .fabric = std::move(*fabric),
      .nic = [this](EndpointId endpoint) { return parts_->hosts->nic(endpoint); },
      .memory =
          [this](EndpointId endpoint) {
            const auto* const gpu = parts_->scale_up ? parts_->scale_up->find(endpoint) : nullptr;
            return gpu != nullptr ? verbs::MemoryPlace{gpu->gpu} : parts_->hosts->memory(endpoint);
          },
      .service = assembly::service_of(scenario_.fabric.family),
      .protected_rate = assembly::protected_rate(scenario_),
      .nics_alike = scenario_.overrides.empty()};
  medium.mirrors_answers = std::ranges::any_of(*plans, mirrors_answers);
  medium.bundles_links = std::ranges::any_of(*plans, [](const auto& plan) { return plan.training.has_value(); });
  set_cores(scenario_, medium);
  if (parts.scale_up) {
    medium.scale_up = parts.scale_up->options;
    medium.scale_up_nic = [this](EndpointId endpoint) {
      return parts_->hosts->scale_up_nic(parts_->scale_up->find(endpoint));
    };
  }
  Result<std::unique_ptr<world::FlowMedium>> made = world::FlowMedium::create(std::move(medium));
  if (!made) {
    return pass_on(made);
  }
  parts.medium = std::move(*made);
  parts.network = std::make_unique<flow::FlowNetwork>(*parts.medium, parts.medium->capacities(), options_.corrections);
  if (are_large_collectives(*plans)) {
    parts.network->put_off_rates(kPartPutOff);
  }
  for (assembly::TrafficPlan& plan : *plans) {
    if (Result<void> job = make_job(std::move(plan)); !job) {
      return job;
    }
  }
  parts.network->start();
  return {};
}

Result<void> FlowSimulation::make_job(assembly::TrafficPlan made) {
  Parts& parts = *parts_;
  const std::uint64_t seed = static_cast<std::uint64_t>(scenario_.seed);
  const workload::ConnectionAttributes attributes =
      assembly::connection_attributes(scenario_, made.family, made.priority);
  parts.jobs.push_back(std::make_unique<Job>(std::move(made), attributes));
  Job& job = *parts.jobs.back();
  jobs_.push_back({.name = job.plan.job.name, .rank_names = job.plan.rank_names, .rank_endpoints = {}});
  expected_bytes_ += job.plan.expected_bytes;
  all_expected_ = all_expected_ && job.plan.expected_bytes > 0;
  if (Result<void> made_directory = job.plan.collective ? make_directory(job) : make_training(job); !made_directory) {
    return made_directory;
  }
  for (std::uint32_t rank = 0; rank < job.plan.machines.size(); ++rank) {
    const world::MachinePlan& plan = job.plan.machines[rank];
    if (plan.rails.empty() && !plan.scale_up) {
      return fail("{}: a machine needs at least one NIC port", plan.name);
    }
    jobs_.back().rank_endpoints.push_back(plan.rails.empty() ? *plan.scale_up : plan.rails.front());
    flow::FlowMachine& machine = parts.network->add_machine(stable_hash(seed, "machine " + plan.name),
                                                            {.gpus = plan.options.gpus,
                                                             .flops_per_second = plan.options.flops_per_second,
                                                             .copy_rate = plan.options.copy_rate});
    for (const EndpointId rail : plan.rails) {
      machine.add_rail(rail, parts.medium->rate_of(rail), verbs::RailKind::kScaleOut);
    }
    if (plan.scale_up) {
      machine.add_rail(*plan.scale_up, parts.medium->rate_of(*plan.scale_up), verbs::RailKind::kScaleUp);
    }
    workload::RankMemory memory;
    if (job.plan.collective || job.plan.training) {
      memory.length = assembly::kCollectiveMemory;
    }
    Result<workload::RankPorts> ports = workload::RankPorts::open(machine, memory);
    if (!ports) {
      return pass_on(ports);
    }
    assembly::describe_rails(job.plan, rank, *ports);
    Job::Rank& own = job.ranks.emplace_back(std::move(*ports), job.connector, parts.matcher);
    job.connector.add_rank(own.ports, own.messenger);
    if (Result<void> programmed = make_program(job, rank); !programmed) {
      return programmed;
    }
    machine.set_group(job.plan.job.id.value());
    if (rank == 0 && job.plan.collective && may_jump()) {
      machine.set_program([this, &own, &job] {
        Result<void> ran = call(own.program.get(), own.started, own.done);
        if (!own.done && job.steady->is_due()) {
          parts_->network->stop();
        }
        return ran;
      });
    } else {
      machine.set_program([this, &own] { return call(own.program.get(), own.started, own.done); });
    }
    ++ranks_left_;
  }
  if (job.plan.collective && may_jump()) {
    job.steady.emplace(SteadyRounds::Options{.network = parts.network.get(),
                                             .matcher = &parts.matcher,
                                             .sink = &parts.counter.sink,
                                             .job = job.plan.job.id,
                                             .group = job.plan.job.id.value()},
                       job.collectives);
    parts.counter.steady.push_back(&*job.steady);
  }
  return {};
}

bool FlowSimulation::may_jump() const {
  return options_.repeats == Options::Repeats::kAreJumpedOver &&
         (options_.ring_steps == 0 || options_.ring_cell.ranks > 0);
}

Result<void> FlowSimulation::make_directory(Job& job) {
  job.world = workload::world_communicator(job.plan.collective->layout.size());
  Result<workload::CommunicatorDirectory> made =
      workload::CommunicatorDirectory::make({.layout = &job.plan.collective->layout,
                                             .communicators = {&job.world, 1},
                                             .collectives = job.plan.collective->program.engine.collectives,
                                             .areas = workload::MemoryAreas::of(assembly::kCollectiveMemory)});
  if (!made) {
    return fail("traffic '{}': {}", job.plan.job.name, made.error().message);
  }
  job.directory.emplace(std::move(*made));
  return {};
}

Result<void> FlowSimulation::make_program(Job& job, std::uint32_t rank) {
  Job::Rank& made = job.ranks[rank];
  if (job.plan.collective) {
    workload::CollectiveProgramOptions options = job.plan.collective->program;
    options.start = options.start + start_delay(job.plan, rank);
    options.ring_steps = options_.ring_steps;
    options.engine.job = job.plan.job.id;
    options.engine.rank = workload::RankId(rank);
    options.engine.layout = &job.plan.collective->layout;
    options.engine.directory = &*job.directory;
    options.world = &job.world;
    auto program = workload::CollectiveProgram::make(made.messenger, parts_->matcher, options);
    if (!program) {
      return fail("traffic '{}': {}", job.plan.job.name, program.error().message);
    }
    job.collectives.push_back(program->get());
    made.program = std::move(*program);
    return {};
  }
  if (job.training) {
    return make_training_program(job, rank);
  }
  workload::FlowProgramOptions options{.job = job.plan.job.id,
                                       .connection = job.plan.connection,
                                       .start_delay = start_delay(job.plan, rank),
                                       .triggers = job.plan.pattern->triggers(),
                                       .rank = workload::RankId(rank),
                                       .layout = assembly::relay_layout(job.plan)};
  if (job.plan.pattern->needs_receives()) {
    options.connection.receive_requests = 2 * options.connection.max_send_wr;
  }
  made.program = std::make_unique<workload::FlowProgram>(made.messenger,
                                                         job.plan.pattern->flows_of(workload::RankId(rank)), options);
  return {};
}

bool FlowSimulation::all_done() const { return ranks_left_ == 0 && parts_->matcher.awaiting_delivery() == 0; }

Result<void> FlowSimulation::call(workload::Program* program, bool& started, bool& done) {
  Result<void> ran = started ? program->on_event() : program->start();
  started = true;
  if (!done && program->done()) {
    done = true;
    --ranks_left_;
    ended_at_ = later(ended_at_, parts_->network->now());
  }
  // A receiver behind a long path through its host may see the last message after its sender has its completion.
  if (all_done()) {
    ended_at_ = later(ended_at_, parts_->matcher.last_delivery());
    parts_->network->stop();
  }
  return ran;
}

Progress FlowSimulation::progress() const {
  return {.now = parts_->network->now(),
          .limit = scenario_.stop ? Time::zero() + *scenario_.stop : Time::never(),
          .messages = parts_->counter.messages,
          .bytes = parts_->counter.bytes,
          .expected_bytes = all_expected_ ? expected_bytes_ : 0,
          .packet_hops = 0};
}

void FlowSimulation::look_for_repeats(Time limit) {
  bool waits = options_.patience > 0;
  for (const auto& job : parts_->jobs) {
    if (job->steady) {
      job->steady->look(limit);
      const SteadyRounds::Jumped& jumped = job->steady->jumped();
      waits = waits && jumped.rounds + jumped.operations == 0 && job->steady->rounds_seen() >= options_.patience;
    }
  }
  gave_up_ = waits;
}

Simulation::End FlowSimulation::run(const std::function<bool(const Progress&)>& keep_going) {
  using Stop = flow::FlowNetwork::Stop;
  const Time limit = progress().limit;
  Simulation::End end = Simulation::End::kFinished;
  for (bool running = ranks_left_ > 0; running;) {
    const Stop stop = parts_->network->run(limit, kEventsPerLook);
    running = false;
    if (stop == Stop::kError) {
      end = Simulation::End::kError;
      ended_at_ = parts_->network->now();
      error_ = parts_->network->error()->message;
    } else if (all_done()) {
      end = Simulation::End::kFinished;
    } else if (stop == Stop::kLimit) {
      end = Simulation::End::kTimeLimit;
      ended_at_ = limit;
    } else if (stop == Stop::kIdle) {
      end = Simulation::End::kStuck;
      ended_at_ = parts_->network->now();
      error_ = fmt::format("deadlock: no event is pending, but {} ranks wait", ranks_left_);
    } else if (stop == Stop::kStopped && (look_for_repeats(limit), gave_up_)) {
      end = Simulation::End::kInterrupted;
      ended_at_ = parts_->network->now();
    } else if (!keep_going(progress())) {
      end = Simulation::End::kInterrupted;
      ended_at_ = parts_->network->now();
    } else {
      running = true;
    }
  }
  parts_->matcher.flush();
  return end;
}

const fabric::Graph& FlowSimulation::graph() const { return parts_->medium->graph(); }
const std::string& FlowSimulation::endpoint_name(EndpointId endpoint) const {
  return parts_->medium->name_of(endpoint);
}
Rate FlowSimulation::endpoint_rate(EndpointId endpoint) const { return parts_->medium->rate_of(endpoint); }
std::uint64_t FlowSimulation::events() const { return parts_->network->events(); }

std::uint64_t FlowSimulation::unfinished(std::size_t job) const {
  std::uint64_t sum = 0;
  for (const Job::Rank& rank : parts_->jobs[job]->ranks) {
    sum += rank.messenger.outstanding();
  }
  return sum;
}

std::set<results::SilentFlowRow> FlowSimulation::unfinished_flows() const {
  std::set<results::SilentFlowRow> flows;
  for (const auto& job : parts_->jobs) {
    for (const Job::Rank& rank : job->ranks) {
      rank.messenger.visit_unfinished([&flows](const workload::FlowId& flow, workload::Operation operation) {
        flows.insert({flow, operation});
      });
    }
  }
  return flows;
}

TierBytes FlowSimulation::collective_bytes(std::size_t job, std::uint32_t rank) const {
  const Job& asked = *parts_->jobs[job];
  if (asked.collectives.empty()) {
    return {};
  }
  const workload::CollectiveEngine& engine = asked.collectives[rank]->engine();
  return {.scale_out = engine.sent_over_scale_out(), .scale_up = engine.sent_over_scale_up()};
}

workload::CollectiveAlgorithm FlowSimulation::collective_algorithm(std::size_t job) const {
  const Job& asked = *parts_->jobs[job];
  return asked.collectives.empty() ? workload::CollectiveAlgorithm::kAutomatic : asked.collectives[0]->algorithm();
}

std::uint32_t FlowSimulation::ring_steps(std::size_t job) const {
  const Job& asked = *parts_->jobs[job];
  return asked.collectives.empty() ? 0 : asked.collectives[0]->ring_steps();
}

bool FlowSimulation::has_ranks_apart(std::size_t job) const {
  const Job& asked = *parts_->jobs[job];
  return asked.plan.collective && asked.directory->at(workload::CommunicatorId(0)).layout->largest_group() == 1;
}

std::uint64_t FlowSimulation::rounds_alike(std::size_t job) const {
  const Job& asked = *parts_->jobs[job];
  return asked.collectives.empty() ? 0 : asked.collectives.front()->rounds();
}

SteadyRounds::Jumped FlowSimulation::jumped(std::size_t job) const {
  const auto& steady = parts_->jobs[job]->steady;
  return steady ? steady->jumped() : SteadyRounds::Jumped{};
}

Duration FlowSimulation::ideal_time(const workload::MessageRecord& message) const {
  const assembly::TrafficPlan& plan = parts_->jobs[message.flow.job.value()]->plan;
  const assembly::FlowEnds ends = assembly::ends_of(plan, message.flow, message.queue_pair);
  const flow::MessageQuery query{
      .from = ends.source,
      .to = ends.destination,
      .opcode = workload::opcode_of(message.operation),
      .size = assembly::most_by_one_port(plan, message.flow, message.size),
      .path_mtu = verbs::ethernet_path_mtu_from(Bytes(scenario_.fabric.mtu)).value_or(verbs::PathMtu::k4096)};
  Duration time = parts_->medium->ideal_time(query);
  if (ends.hop) {
    flow::MessageQuery hop = query;
    hop.from = ends.hop->source;
    hop.to = ends.hop->destination;
    hop.opcode = workload::opcode_of(workload::Operation::kWrite);
    time += parts_->medium->ideal_time(hop);
  }
  return time;
}

}  // namespace weft::study::run
