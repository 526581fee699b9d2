#include "study/assembly/participants.h"

#include <fmt/core.h>

#include <algorithm>

#include "fabric/topology/graph_query.h"
#include "study/assembly/build_topology.h"
#include "study/scenario/fail_at.h"
#include "workload/placement.h"

namespace weft::study::assembly {
namespace {

workload::PlacementOptions placement_options(const scenario::JobSettings& job) {
  workload::PlacementOptions options;
  switch (job.placement) {
    case scenario::Placement::kPacked:
      break;
    case scenario::Placement::kSpread:
      options.kind = workload::SpreadPlacement{};
      break;
    case scenario::Placement::kRandom:
      options.kind = workload::RandomPlacement{};
      break;
    case scenario::Placement::kListed: {
      workload::ListedPlacement listed;
      for (const std::string& gpu : job.places) {
        const std::size_t slash = gpu.find("/gpu");
        listed.places.push_back(
            {.host = gpu.substr(0, slash), .gpu = static_cast<std::uint32_t>(std::stoul(gpu.substr(slash + 4)))});
      }
      options.kind = std::move(listed);
      break;
    }
  }
  return options;
}

}  // namespace

std::uint16_t ports_of_first_nic(const world::MachinePlan& machine, const fabric::Graph& graph) {
  const auto nic_of = [&graph](EndpointId port) { return fabric::nic_name(graph[graph.node_of(port)]); };
  std::uint16_t ports = 0;
  while (ports < machine.rails.size() && nic_of(machine.rails[ports]) == nic_of(machine.rails.front())) {
    ++ports;
  }
  return ports;
}

tl::unexpected<Error> wrong(const scenario::TrafficSettings& traffic, std::string_view what) {
  return fail("traffic '{}': {}", traffic.name, what);
}

Participants::Participants(const scenario::Scenario& scenario, const fabric::Graph& graph, const ScaleUpPlan* scale_up)
    : scenario_(scenario), graph_(graph), scale_up_(scale_up), rates_(fabric::endpoint_rates(graph)) {}

// Ranks of a [[job]] go to GPUs; what one job has taken, the next one does not get.
Result<void> Participants::place_jobs() {
  std::vector<workload::HostShape> hosts;
  std::vector<std::vector<EndpointId>> rails;
  for (std::uint32_t i = 0; i < graph_.host_endpoints(); ++i) {
    const std::string host = host_of(graph_, EndpointId(i));
    if (hosts.empty() || hosts.back().name != host) {
      hosts.push_back({.name = host, .gpus = static_cast<std::uint32_t>(scenario_.topology.gpus_per_host), .rails = 0});
      rails.emplace_back();
    }
    ++hosts.back().rails;
    rails.back().push_back(EndpointId(i));
  }
  auto placement = workload::Placement::make(hosts);
  if (!placement) {
    return pass_on(placement);
  }
  for (std::size_t index = 0; index < scenario_.jobs.size(); ++index) {
    const scenario::JobSettings& job = scenario_.jobs[index];
    const workload::PlacementOptions options = placement_options(job);
    const workload::JobOptions name{.id = {},
                                    .name = job.name,
                                    .seed = static_cast<std::uint64_t>(scenario_.seed),
                                    .ranks = static_cast<std::uint32_t>(job.ranks)};
    auto places = placement->place(name, options);
    if (!places) {
      const auto path =
          fmt::format("job[{}].{}", index, job.placement == scenario::Placement::kListed ? "places" : "gpus");
      return scenario::fail_at(scenario_, path, "{}", places.error().message);
    }
    std::vector<Participant>& made = jobs_[job.name];
    for (std::size_t rank = 0; rank < places->size(); ++rank) {
      const workload::RankPlace& place = (*places)[rank];
      Participant participant{
          .name = "rank" + std::to_string(rank),
          .host = hosts[place.host.value()].name,
          .machine = {.name = job.name + "/rank" + std::to_string(rank), .rails = {}, .options = {}},
          .rate = {}};
      participant.machine.options.gpus = hosts[place.host.value()].gpus;
      participant.machine.gpu = place.gpu;
      if (const ScaleUpPlan::Gpu* gpu = gpu_at(participant.host, place.gpu); gpu != nullptr) {
        participant.machine.scale_up = gpu->endpoint;
      }
      for (const std::uint32_t rail : place.rails) {
        participant.machine.rails.push_back(rails[place.host.value()][rail]);
      }
      participant.rate = rates_[participant.machine.rails.front().value()];
      made.push_back(std::move(participant));
    }
  }
  return {};
}

const ScaleUpPlan::Gpu* Participants::gpu_at(const std::string& host, verbs::GpuIndex gpu) const {
  return scale_up_ == nullptr || !gpu.is_valid() ? nullptr : scale_up_->find(host, gpu);
}

// Pools take part where a traffic can name them, and nowhere by themselves.
std::vector<Participant> Participants::scale_up_ports(const scenario::TrafficSettings& traffic) const {
  const auto make = [&](const std::string& name, const std::string& host, EndpointId endpoint) {
    return Participant{.name = name,
                       .host = host,
                       .machine = {.name = traffic.name + "@" + name, .rails = {}, .options = {}, .scale_up = endpoint},
                       .rate = scenario_.scale_up.rate};
  };
  std::vector<Participant> all;
  for (const ScaleUpPlan::Gpu& gpu : scale_up_->gpus) {
    all.push_back(make(gpu.host + "/gpu" + std::to_string(gpu.gpu.value()), gpu.host, gpu.endpoint));
    all.back().machine.gpu = gpu.gpu;
    all.back().machine.options.gpus = static_cast<std::uint32_t>(scenario_.topology.gpus_per_host);
  }
  if (traffic.kind == scenario::TrafficKind::kFlows || traffic.kind == scenario::TrafficKind::kIncast) {
    for (const ScaleUpPlan::Pool& pool : scale_up_->pools) {
      all.push_back(make(pool.name, pool.name, pool.endpoint));
      all.back().is_pool = true;
    }
  }
  return all;
}

std::vector<Participant> Participants::endpoints(const std::string& traffic) const {
  std::vector<Participant> all;
  for (std::uint32_t i = 0; i < graph_.host_endpoints(); ++i) {
    const std::string& name = graph_.nodes[i].name;
    all.push_back({.name = name,
                   .host = host_of(graph_, EndpointId(i)),
                   .machine = {.name = traffic + "@" + name,
                               .rails = {EndpointId(i)},
                               .options = {.gpus = static_cast<std::uint32_t>(scenario_.topology.gpus_per_host)}},
                   .rate = rates_[i]});
  }
  return all;
}

std::vector<Participant> Participants::nics(const scenario::TrafficSettings& traffic) const {
  std::vector<Participant> all;
  for (Participant& port : endpoints(traffic.name)) {
    const std::string nic(fabric::nic_name(graph_[graph_.node_of(port.machine.rails.front())]));
    if (!all.empty() && all.back().name == nic) {
      all.back().machine.rails.push_back(port.machine.rails.front());
      continue;
    }
    port.name = nic;
    port.machine.name = traffic.name + "@" + nic;
    all.push_back(std::move(port));
  }
  for (Participant& nic : all) {
    nic.rate = rate_of(nic, traffic);
  }
  return all;
}

Rate Participants::rate_of(const Participant& nic, const scenario::TrafficSettings& traffic) const {
  const auto ports = std::min<std::int64_t>(ports_of_first_nic(nic.machine, graph_), traffic.queue_pairs.value_or(1));
  Rate sum;
  for (std::int64_t port = 0; port < ports; ++port) {
    sum = sum + rates_[nic.machine.rails[static_cast<std::size_t>(port)].value()];
  }
  return sum;
}

Result<std::vector<Participant>> Participants::of(const scenario::TrafficSettings& traffic) const {
  const bool over_scale_up = traffic.over == scenario::TrafficRoute::kScaleUp;
  if (traffic.job.empty()) {
    if (over_scale_up) {
      return scale_up_ports(traffic);
    }
    return traffic.ends == scenario::TrafficEnds::kNics ? nics(traffic) : endpoints(traffic.name);
  }
  const auto job = jobs_.find(traffic.job);
  if (job == jobs_.end()) {
    return wrong(traffic, "no [[job]] is named '" + traffic.job + "'");
  }
  std::vector<Participant> all = job->second;
  for (Participant& participant : all) {
    participant.machine.name = traffic.name + "@" + participant.machine.name;
    // One network carries a traffic: only collectives choose between them.
    if (over_scale_up) {
      participant.machine.rails.clear();
      participant.rate = scenario_.scale_up.rate;
    } else if (traffic.kind != scenario::TrafficKind::kCollective) {
      participant.machine.scale_up.reset();
      if (traffic.ends == scenario::TrafficEnds::kNics) {
        participant.rate = rate_of(participant, traffic);
      }
    }
  }
  return all;
}

}  // namespace weft::study::assembly
