#include "study/world/world.h"

#include <fmt/core.h>

#include "base/assert.h"
#include "base/stable_hash.h"

namespace weft::study::world {
namespace {

constexpr std::size_t kActorsOfNic = 2;

}  // namespace

World::World(const WorldOptions& options)
    : seed_(options.seed),
      division_(divide_world(options)),
      kernel_(event_sets_for(options, division_)),
      payloads_(options.carries_bytes ? std::make_unique<host::PayloadStore>() : nullptr),
      own_(1) {}

Result<std::unique_ptr<World>> World::create(WorldOptions options) {
  std::unique_ptr<World> world(new World(options));
  const fabric::FabricContext context{world->kernel_, world->packets_, options.seed, options.threads};
  std::optional<std::vector<fabric::LinkEvent>> events;  // of links, where ports stand in for one another
  std::visit(
      [&](const auto& fabric) {
        if (fabric.ports_stand_in) {
          events = fabric.events;
        }
      },
      options.fabric);
  auto network = fabric::AnyFabric::create(options.graph, std::move(options.fabric), context);
  if (!network) {
    return pass_on(network);
  }
  world->fabric_ = std::move(*network);
  if (events) {
    world->make_port_groups(*events, options.port_failover_delay);
  }
  if (options.scale_up) {
    WEFT_ASSERT(options.scale_up->first == EndpointId(world->graph().endpoints));
    auto made = fabric::ScaleUpFabric::create(std::move(*options.scale_up), context);
    if (!made) {
      return pass_on(made);
    }
    world->scale_up_ = std::move(*made);
  }
  for (const MachinePlan& plan : options.machines) {
    if (plan.rails.empty() && !plan.scale_up) {
      return fail("{}: a machine needs at least one NIC port", plan.name);
    }
  }
  world->make_nics(options);
  world->make_hosts(options);
  if (options.scale_up_graph.reducer_ports > 0) {
    world->scale_up_graph_ = std::move(options.scale_up_graph);
    world->make_scale_up_groups(options);
  }
  world->assign_ranks(options);
  return world;
}

void World::set_threads(std::uint32_t threads) {
  if (!kernel_.is_divided() || threads <= 1 || kernel_.events() > 0) {
    return;
  }
  kernel_.set_workers(deal_among_workers(division_, threads));
  give_workers_their_own();
}

bool World::set_peers(sim::Peers& peers, std::uint32_t threads) {
  WEFT_ASSERT(runs_in_windows() && kernel_.events() == 0);
  const ProcessShare share = deal_among_processes(division_, peers.count() + 1, peers.own_number(), threads);
  if (share.worker_of.empty()) {
    return false;
  }
  kernel_.set_peers(share.worker_of, share.workers, peers);
  give_workers_their_own();
  return true;
}

std::optional<std::uint32_t> World::peer_of_port(fabric::PortIndex port) const {
  if (kernel_.peers() == nullptr) {
    return std::nullopt;
  }
  const sim::PartitionIndex partition = division_.of_node[fabric_.end_of(port).node.value()];
  return kernel_.is_foreign(partition) ? std::optional(kernel_.peer_of(partition)) : std::nullopt;
}

void World::give_workers_their_own() {
  packets_.set_workers(kernel_.workers());
  fabric_.set_workers(kernel_.workers());
  if (scale_up_ != nullptr) {
    scale_up_->set_workers(kernel_.workers());
  }
  own_.resize(kernel_.workers());
}

const std::string& World::endpoint_name(EndpointId endpoint) const {
  return is_scale_up(endpoint) ? scale_up_->port(endpoint).name : graph()[graph().node_of(endpoint)].name;
}

sim::PartitionIndex World::partition_of(EndpointId endpoint) const {
  if (!kernel_.is_divided()) {
    return 0;
  }
  return is_scale_up(endpoint) ? division_.of_domain[scale_up_->domain_of(endpoint)]
                               : division_.of_node[graph().node_of(endpoint).value()];
}

void World::assign_ranks(const WorldOptions& options) {
  if (kernel_.is_divided()) {
    partition_ports_ = PartitionPorts(division_, fabric_);
  }
  sim::ActorOrder ranks;
  fabric_.register_actors(ranks, division_.of_node);
  if (scale_up_ != nullptr) {
    scale_up_->register_actors(ranks, division_.of_domain);
  }
  ranks.reserve(kActorsOfNic * nics_.size() + machines_.size());
  for (std::uint32_t i = 0; i < nics_.size(); ++i) {
    nics_[i].register_actors(ranks, addresses_[i], partition_of(EndpointId(i)));
  }
  for (std::uint32_t i = 0; i < bumps_.size(); ++i) {
    if (bumps_[i] != nullptr) {
      bumps_[i]->register_actor(ranks, addresses_[i], partition_of(EndpointId(i)));
    }
  }
  if (port_groups_ != nullptr) {
    port_groups_->register_actors(ranks, [this](EndpointId first) { return partition_of(first); });
  }
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    const MachinePlan& plan = options.machines[i];
    const EndpointId place = plan.rails.empty() ? *plan.scale_up : plan.rails.front();
    machines_[i]->register_actors(ranks, stable_hash(seed_, "machine " + plan.name), partition_of(place));
  }
  if (attacks_ != nullptr) {
    attacks_->register_actors(ranks, seed_);
  }
  if (aggregation_ != nullptr) {
    aggregation_->register_actors(ranks);
  }
  if (scale_up_aggregation_ != nullptr) {
    scale_up_aggregation_->register_actors(ranks);
  }
  ranks.assign(options.threads);
}

std::uint64_t World::packet_hops() const {
  return fabric_.packets_sent() + (scale_up_ != nullptr ? scale_up_->packets_sent() : 0);
}

std::size_t World::heap_bytes() const {
  std::size_t bytes = kernel_.heap_bytes() + packets_.heap_bytes() + fabric_.heap_bytes() +
                      (scale_up_ != nullptr ? scale_up_->heap_bytes() : 0);
  for (const host::Nic& nic : nics_) {
    bytes += sizeof(nic) + nic.heap_bytes();
  }
  for (const auto& bump : bumps_) {
    bytes += bump == nullptr ? 0 : bump->heap_bytes();
  }
  bytes += aggregation_ == nullptr ? 0 : aggregation_->heap_bytes();
  bytes += scale_up_aggregation_ == nullptr ? 0 : scale_up_aggregation_->heap_bytes();
  bytes += payloads_ == nullptr ? 0 : payloads_->heap_bytes();
  bytes += port_groups_ == nullptr ? 0 : port_groups_->heap_bytes();
  return bytes + machines_.size() * sizeof(host::SimMachine);
}

std::string World::check_invariants() const {
  std::string wrong = fabric_.check_invariants();
  std::uint64_t inside = fabric_.packets_inside();
  if (scale_up_ != nullptr) {
    inside += scale_up_->packets_inside();
    wrong = wrong.empty() ? scale_up_->check_invariants() : wrong;
  }
  std::uint64_t kept = 0;
  for (const host::Nic& nic : nics_) {
    kept += nic.packets_kept();
  }
  for (const auto& bump : bumps_) {
    kept += bump == nullptr ? 0 : bump->packets_kept();
  }
  kept += port_groups_ == nullptr ? 0 : port_groups_->packets_kept();
  // Between two events a packet that lives is in the fabric, in the receive ring of a host, or before its NIC.
  if (wrong.empty() && packets_.live_count() != inside + kept) {
    wrong = fmt::format("{} packets live, {} are in the fabric and {} in hosts", packets_.live_count(), inside, kept);
  }
  return wrong;
}

}  // namespace weft::study::world
