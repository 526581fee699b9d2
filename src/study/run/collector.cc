#include "study/run/collector.h"

#include <algorithm>
#include <tuple>

#include "base/format_quantity.h"
#include "base/int128.h"
#include "study/results/silent_flows.h"
#include "study/run/collector_attacks.h"
#include "study/run/collector_control.h"
#include "study/run/collector_controller.h"
#include "study/run/collector_events.h"
#include "study/run/collector_multicast.h"
#include "study/run/collector_ports.h"
#include "study/run/collector_scale_up.h"
#include "study/run/collector_security.h"
#include "study/run/ladder.h"
#include "study/run/run_description.h"
#include "study/run/subnet_bring_up.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::run {
namespace {

/// In millionths of what the wire could carry at a rate.
std::uint32_t utilisation(Rate rate, std::uint64_t wire_bytes, Duration span) {
  const std::int64_t possible = rate.bytes_in(span).count();
  return possible <= 0 ? 0
                       : static_cast<std::uint32_t>(static_cast<Uint128>(wire_bytes) * 1'000'000 /
                                                    static_cast<std::uint64_t>(possible));
}

}  // namespace

void Collector::watch(Simulation& simulation) {
  simulation_ = &simulation;
  simulation.check_with([this] { return check_limits(); });
  if (const std::optional<Duration> interval = simulation.scenario().output.sample_interval; interval) {
    for (std::uint32_t port = 0; port < port_count(simulation.world()); ++port) {
      seen_.push_back({.rate = gauge(simulation.world(), port, Time::zero()).rate});
    }
    decisions_ = DecisionMeter(simulation);
    simulation.observe(*interval, [this](Time at) { sample(at); });
  }
}

Result<void> Collector::check_limits() const {
  if (messages_.size() > limits_.messages) {
    return fail(
        "more than {} messages, all of which results keep: let there be fewer (count, stop, load) or larger ones",
        limits_.messages);
  }
  // Of several processes each has its part, and the first gets all of them.
  const sim::Peers* const peers = simulation_->world().peers();
  if (samples_.size() > limits_.samples / (peers == nullptr ? 1 : peers->count() + 1)) {
    return fail("more than {} samples, all of which results keep: set a longer output.sample_interval than {}",
                limits_.samples, *simulation_->scenario().output.sample_interval);
  }
  return {};
}

void Collector::sample(Time at) {
  // A composed step rests for much longer than it sends; rests are no part of what queues are like.
  const std::uint64_t events = simulation_->world().events();
  if (simulation_->is_between_phases(at) && events == sampled_events_) {
    sampled_at_ = at;
    return;
  }
  sampled_events_ = events;
  ++instants_;
  for (std::uint32_t port = 0; port < seen_.size(); ++port) {
    const PortGauge now = gauge(simulation_->world(), port, at);
    Seen& before = seen_[port];
    results::SampleRow row{.at = at,
                           .port = port,
                           .queue_bytes = now.queue_bytes,
                           .tx_bytes = now.tx_bytes - before.tx_bytes,
                           .utilisation = utilisation(std::max(now.rate, before.rate),
                                                      now.wire_bytes - before.wire_bytes, at - sampled_at_),
                           .held = now.held - before.held};
    const bool is_foreign = simulation_->world().is_foreign_port(port);
    before = {.tx_bytes = now.tx_bytes, .wire_bytes = now.wire_bytes, .held = now.held, .rate = now.rate};
    if (is_foreign) {
      continue;
    }
    if (row.queue_bytes != 0 || row.tx_bytes != 0 || row.held != Duration::zero()) {
      samples_.push_back(row);
    }
  }
  sampled_at_ = at;
  decisions_.sample(at);
}

results::RunResults Collector::finish(Simulation::End end, const Identity& identity,
                                      const std::function<bool()>& keep_going) {
  results::RunResults results;
  describe_run(results.run, end, identity);
  if (!simulation_->loss()) {
    results.silent_flows = results::silent_flows(simulation_->unfinished_flows(), messages_);
  }
  take_jobs(results);
  take_messages(results);
  const world::World& world = simulation_->world();
  // A divided world goes on to the end of its window.
  results.ports = port_rows(world, later(simulation_->ended_at(), world.now()));
  results.drops = world.fabric().drops();
  take_nics(results);
  results.samples = std::move(samples_);
  results.decisions = decisions_.take();
  take_events(*simulation_, results);
  take_cpu(results);
  take_scale_up(*simulation_, results);
  results.security = security_row(*simulation_);
  results.controller = controller_row(*simulation_);
  results.subnet = subnet_row(simulation_->scenario(), world.graph());
  results.multicast = multicast_rows(*simulation_);
  take_control(simulation_->world().fabric(), later(simulation_->ended_at(), world.now()), results);
  results.attacks = attack_rows(*simulation_, later(simulation_->ended_at(), world.now()));
  take_stages(*simulation_, results);
  take_steps(results, keep_going);
  return results;
}

void Collector::describe_run(results::RunInfo& run, Simulation::End end, const Identity& identity) const {
  const world::World& world = simulation_->world();
  describe_scenario(simulation_->scenario(), world.graph(), run);
  run.key = identity.key;
  run.version = identity.version;
  run.end = end_of(end);
  run.error = simulation_->error();
  run.ended_at = simulation_->ended_at();
  run.packet_hops = world.packet_hops();
  run.events = world.events();
  run.sample_instants = instants_;
}

// By job, those that have sent a message, each once; of a job with more than are examined, one more than that.
std::vector<Simulation::SentByFlow> Collector::flows() const {
  std::vector<Simulation::SentByFlow> flows(simulation_->jobs().size());
  for (const workload::MessageRecord& record : messages_) {
    Simulation::SentByFlow& own = flows[record.flow.job.value()];
    if (own.size() <= Simulation::kMaxFlows) {
      own[{.flow = record.flow, .comes_back = record.operation == workload::Operation::kRead}].add(record);
    }
  }
  return flows;
}

void Collector::take_jobs(results::RunResults& results) const {
  const world::World& world = simulation_->world();
  const std::vector<Simulation::SentByFlow> flows_of_jobs = flows();
  for (const JobDescription& job : simulation_->jobs()) {
    results::JobRow& row = results.jobs.emplace_back();
    row.name = job.name;
    const Simulation::ConnectionCounts connections = simulation_->connection_counts(results.jobs.size() - 1);
    row.reconnections = connections.made_anew;
    row.disconnected = connections.disconnected;
    // Of a job that is lost all others go on until they hear of it; in a divided world that is the end of a window.
    row.unfinished = simulation_->loss() ? 0 : simulation_->unfinished(results.jobs.size() - 1);
    const std::size_t number = results.jobs.size() - 1;
    row.allowed = simulation_->allowed(number, flows_of_jobs[number], results::silent_flows_of(results, number));
    for (std::size_t rank = 0; rank < job.rank_endpoints.size(); ++rank) {
      const EndpointId endpoint = job.rank_endpoints[rank];
      row.ranks.push_back({job.rank_names[rank], world.endpoint_name(endpoint), world.endpoint_rate(endpoint)});
    }
  }
}

void Collector::take_messages(results::RunResults& results) {
  std::sort(messages_.begin(), messages_.end(), [](const workload::MessageRecord& a, const workload::MessageRecord& b) {
    return std::tie(a.flow, a.number) < std::tie(b.flow, b.number);
  });
  for (const workload::MessageRecord& record : messages_) {
    results.messages.push_back({.record = record, .ideal = simulation_->ideal_time(record)});
  }
  messages_.clear();
  std::sort(collectives_.begin(), collectives_.end(),
            [](const workload::CollectiveRecord& a, const workload::CollectiveRecord& b) {
              return std::tie(a.job, a.iteration, a.rank) < std::tie(b.job, b.iteration, b.rank);
            });
  results.collectives = std::move(collectives_);
}

void Collector::take_steps(results::RunResults& results, const std::function<bool()>& keep_going) const {
  if (results.run.end != results::RunEnd::kFinished) {
    return;
  }
  Result<std::vector<results::StepRow>> rows = simulation_->training_steps(keep_going);
  if (rows) {
    results.steps = std::move(*rows);
    return;
  }
  results.run.end = results::RunEnd::kInterrupted;
  results.run.error = rows.error().message;
}

void Collector::take_nics(results::RunResults& results) const {
  const world::World& world = simulation_->world();
  for (std::uint32_t i = 0; i < world.graph().host_endpoints(); ++i) {
    results.nics.push_back(results::nic_row(world.graph().nodes[i].name, world.nic(EndpointId(i))));
  }
}

void Collector::take_cpu(results::RunResults& results) const {
  simulation_->visit_hosts([&results](const std::string& name, const host::HostResources& resources) {
    for (std::size_t i = 0; i < host::kCpuWorks; ++i) {
      const auto work = static_cast<host::CpuWork>(i);
      if (const Duration used = resources.cpu().used(work); used > Duration::zero()) {
        results.cpu.push_back({name, std::string(to_string(work)), used});
      }
    }
  });
}

}  // namespace weft::study::run
