#include "study/world/world.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "base/prefetch.h"
#include "base/stable_hash.h"

namespace weft::study::world {
namespace {

/// The port of a reducer: nothing lies between its device and the wire.
void make_plain(host::NicOptions& nic) {
  nic.pipeline = {};
  nic.path = nullptr;
  nic.congestion_control = nullptr;
  nic.congestion_receiver = nullptr;
}

}  // namespace

template <class Fabric>
struct World::Dispatch {
  World& world;
  Fabric& fabric;
  const WarmEndpoint* warm = world.warm_.data();
  const std::uint32_t endpoints = static_cast<std::uint32_t>(world.warm_.size());

  const bool prefetching = world.prefetches_;

  [[nodiscard]] bool prefetches() const { return prefetching; }

  [[nodiscard]] static bool is_at_port(sim::ActorId actor) {
    return actor.kind() == fabric::kArrival || actor.kind() == fabric::kTransmit;
  }

  // An endpoint's port has the endpoint's own number: what comes there, or may leave there, concerns its NIC.
  [[gnu::always_inline]] void prefetch_first(sim::ActorId actor) const {
    const std::uint32_t index = actor.index();
    fabric.prefetch_first(actor);
    if (index < endpoints && is_at_port(actor)) {
      __builtin_prefetch(&warm[index]);
    }
  }

  [[gnu::always_inline]] void prefetch_second(sim::ActorId actor) const {
    const std::uint32_t index = actor.index();
    fabric.prefetch_second(actor);
    if (index < endpoints && is_at_port(actor)) {
      warm[index].nic->prefetch();
    }
  }

  [[gnu::always_inline]] void prefetch_third(sim::ActorId actor) const {
    const std::uint32_t index = actor.index();
    fabric.prefetch_third(actor);
    if (index >= endpoints) {
      return;
    }
    if (actor.kind() == fabric::kArrival) {
      if (const wire::Packet* const packet = fabric.next_arrival(index); packet != nullptr) {
        const unsigned which = packet->has(wire::kControl) ? 1 : 0;
        if (warm[index].numbers[which] != packet->ib.destination_qp) [[unlikely]] {
          world.find_engine(index, *packet);
        }
        prefetch_lines<kEngineBytes>(warm[index].engines[which]);
        warm[index].nic->prefetch_queues();
      }
    } else if (actor.kind() == fabric::kTransmit) {
      prefetch_lines<kEngineBytes>(warm[index].engines[0]);
      prefetch_lines<kEngineBytes>(warm[index].engines[1]);
      warm[index].nic->prefetch_queues();
    }
  }

  // A partition with little to do finds what it needs by itself: fetching all its ports would take longer.
  void ran_partition(sim::PartitionIndex partition, std::uint64_t events) const {
    const std::size_t ports = world.ports_of(partition).size();
    world.is_busy_[partition] = events >= std::max<std::size_t>(ports / 2, 2);
  }

  void prefetch_partition(sim::PartitionIndex partition) const {
    if (!world.is_busy_[partition]) {
      return;
    }
    for (const fabric::PortIndex port : world.ports_of(partition)) {
      fabric.prefetch_port(port);
      if (port < endpoints) {
        __builtin_prefetch(&warm[port]);
        warm[port].nic->prefetch();
      }
    }
  }

  void prefetch_contents(sim::PartitionIndex partition) const {
    if (!world.is_busy_[partition]) {
      return;
    }
    for (const fabric::PortIndex port : world.ports_of(partition)) {
      fabric.prefetch_port_contents(port);
      if (port < endpoints) {
        if (warm[port].engines[0] == nullptr || warm[port].engines[1] == nullptr) [[unlikely]] {
          if (const wire::Packet* const packet = fabric.next_arrival(port); packet != nullptr) {
            world.find_engine(port, *packet);
          }
        }
        prefetch_lines<kEngineBytes>(warm[port].engines[0]);
        prefetch_lines<kEngineBytes>(warm[port].engines[1]);
        warm[port].nic->prefetch_queues();
      }
    }
  }

  static constexpr std::size_t kEngineBytes = sizeof(transport::RcQueuePair);

  [[nodiscard, gnu::always_inline]] bool on_event(sim::ActorId actor, Time now) {
    switch (actor.kind()) {
      case fabric::kArrival:
        fabric.on_arrival(actor.index(), now);
        break;
      case fabric::kTransmit:
        fabric.on_transmit(actor.index(), now);
        break;
      case fabric::kControlArrival:
        fabric.on_control(actor.index(), now);
        break;
      case fabric::kPortTimer:
        fabric.on_port_timer(actor.index(), now);
        break;
      case fabric::kSwitchTimer:
        fabric.on_switch_timer(actor.index(), now);
        break;
      case fabric::kFabricTimer:
        fabric.on_fabric_timer(now);
        break;
      case fabric::kScaleUpArrival:
        world.scale_up_->on_arrival(actor.index(), now);
        break;
      case fabric::kScaleUpTransmit:
        world.scale_up_->on_transmit(actor.index(), now);
        break;
      case host::kNicTimer:
        world.nics_[actor.index()].on_timer(now);
        break;
      case host::kNicPipeline:
        world.nics_[actor.index()].on_pipeline(now);
        if (const auto& error = world.nics_[actor.index()].deferred_error(); error) [[unlikely]] {
          world.fail_at(now, *error);
        }
        break;
      case host::kProgram:
        // After an error no program is called, though events go on to the end of the window.
        if (now >= world.error_at_) [[unlikely]] {
          return false;
        }
        if (Result<void> ran = world.machines_[actor.index()]->on_wake(now); !ran) {
          world.fail_at(now, ran.error());
        }
        return !world.error_ && !world.stopping_;
      case host::kReduction:
        world.wake_reduction(actor.index(), now);
        break;
      default:
        WEFT_ASSERT(false);
    }
    return true;
  }
};

/// The same, and tells of every event.
template <class Fabric>
struct World::ObservedDispatch : World::Dispatch<Fabric> {
  const std::function<void(sim::ActorId, Time)>& observe;

  [[nodiscard]] bool on_event(sim::ActorId actor, Time now) {
    observe(actor, now);
    return Dispatch<Fabric>::on_event(actor, now);
  }
};

[[gnu::noinline]] void World::find_engine(std::uint32_t endpoint, const wire::Packet& packet) {
  if (packet.common.kind != wire::PacketKind::kInfiniBandTransport) {
    return;
  }
  const transport::Device& device = nics_[endpoint].device();
  const unsigned which = packet.has(wire::kControl) ? 1 : 0;
  const transport::QpSlot slot = device.slot_of(Qpn(packet.ib.destination_qp));
  warm_[endpoint].numbers[which] = packet.ib.destination_qp;
  warm_[endpoint].engines[which] = slot.exists() ? &device.core_of(slot) : nullptr;
}

World::World(const WorldOptions& options)
    : seed_(options.seed),
      division_(divide_world(options)),
      kernel_(event_sets_for(options, division_)),
      payloads_(options.carries_bytes ? std::make_unique<host::PayloadStore>() : nullptr) {}

Result<std::unique_ptr<World>> World::create(WorldOptions options) {
  std::unique_ptr<World> world(new World(options));
  const fabric::FabricContext context{world->kernel_, world->packets_, options.seed};
  if (auto* const ethernet = std::get_if<fabric::EthernetOptions>(&options.fabric); ethernet != nullptr) {
    auto made = fabric::EthernetFabric::create(options.graph, std::move(*ethernet), context);
    if (!made) {
      return pass_on(made);
    }
    world->ethernet_ = std::move(*made);
  } else {
    auto made = fabric::InfiniBandFabric::create(
        options.graph, std::move(std::get<fabric::InfiniBandOptions>(options.fabric)), context);
    if (!made) {
      return pass_on(made);
    }
    world->infiniband_ = std::move(*made);
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

fabric::EndpointPort& World::port() {
  return ethernet_ != nullptr ? static_cast<fabric::EndpointPort&>(*ethernet_) : *infiniband_;
}

const fabric::Graph& World::graph() const { return ethernet_ != nullptr ? ethernet_->graph() : infiniband_->graph(); }

const std::string& World::endpoint_name(EndpointId endpoint) const {
  return is_scale_up(endpoint) ? scale_up_->port(endpoint).name : graph()[graph().node_of(endpoint)].name;
}

void World::make_nics(const WorldOptions& options) {
  const fabric::Graph& graph = this->graph();
  prefetches_ = graph.endpoints >= options.prefetch_from;
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    addresses_.push_back(stable_hash(seed_, graph.nodes[i].name));
  }
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    host::NicOptions nic = options.nic(EndpointId(i));
    if (i >= graph.host_endpoints()) {
      make_plain(nic);
    }
    nic.device.endpoint = EndpointId(i);
    nic.device.seed = nic.seed = nic.address = addresses_[i];
    nics_.emplace_back(nic, host::Nic::Environment{.kernel = kernel_,
                                                   .packets = packets_,
                                                   .port = port(),
                                                   .index = i,
                                                   .addresses = addresses_,
                                                   .payloads = payloads_.get()});
    warm_.push_back({.nic = &nics_.back(), .engines = {}, .numbers = {}});
    if (ethernet_ != nullptr) {
      ethernet_->attach(EndpointId(i), nics_.back());
    } else {
      infiniband_->attach(EndpointId(i), nics_.back());
    }
  }
  rates_.resize(graph.endpoints);
  for (const fabric::Link& link : graph.links) {
    for (const fabric::LinkEnd end : {link.a, link.b}) {
      if (end.node.value() < graph.endpoints) {
        rates_[end.node.value()] = link.rate;
      }
    }
  }
  if (scale_up_ != nullptr) {
    make_scale_up_nics(options);
  }
}

void World::make_scale_up_nics(const WorldOptions& options) {
  const std::uint32_t first = graph().endpoints;
  for (std::uint32_t i = first; i < first + scale_up_->endpoints(); ++i) {
    addresses_.push_back(stable_hash(seed_, endpoint_name(EndpointId(i))));
    rates_.push_back(scale_up_->port(EndpointId(i)).rate);
  }
  for (std::uint32_t i = first; i < first + scale_up_->endpoints(); ++i) {
    host::NicOptions nic = options.scale_up_nic(EndpointId(i));
    nic.device.endpoint = EndpointId(i);
    nic.device.seed = nic.seed = nic.address = addresses_[i];
    nic.lane_of_peer = [fabric = scale_up_.get(), i](EndpointId to) { return fabric->lane_to(EndpointId(i), to); };
    host::Nic& made = nics_.emplace_back(nic, host::Nic::Environment{.kernel = kernel_,
                                                                     .packets = packets_,
                                                                     .port = *scale_up_,
                                                                     .index = i,
                                                                     .addresses = addresses_,
                                                                     .payloads = payloads_.get()});
    scale_up_->attach(EndpointId(i), made, made.receive_memory());
  }
}

void World::make_hosts(const WorldOptions& options) {
  const fabric::Graph& graph = this->graph();
  if (graph.reducer_ports > 0) {
    aggregation_ = std::make_unique<host::AggregationManager>(
        options.reduction,
        host::AggregationManager::Environment{
            .kernel = kernel_, .graph = graph, .seed = seed_, .carries_bytes = options.carries_bytes});
    aggregation_->make_reducers([this](EndpointId endpoint) -> host::Nic& { return nic(endpoint); });
  }
  for (std::uint32_t i = 0; i < options.machines.size(); ++i) {
    const MachinePlan& plan = options.machines[i];
    machines_.push_back(std::make_unique<host::SimMachine>(kernel_, i, plan.options));
    for (std::size_t rail = 0; rail < plan.rails.size(); ++rail) {
      host::Nic& nic = this->nic(plan.rails[rail]);
      machines_.back()->add_rail(nic, rates_[plan.rails[rail].value()]);
      if (aggregation_ != nullptr) {
        const std::string name = fmt::format("reduction of machine {} rail {}", plan.name, rail);
        machines_.back()->set_groups(rail, aggregation_->add_rail(nic, machines_.back()->provider(rail), name));
      }
    }
    if (plan.scale_up) {
      machines_.back()->add_scale_up_rail(nic(*plan.scale_up), rates_[plan.scale_up->value()]);
    }
  }
}

void World::make_scale_up_groups(const WorldOptions& options) {
  scale_up_aggregation_ = std::make_unique<host::AggregationManager>(
      options.scale_up_reduction,
      host::AggregationManager::Environment{.kernel = kernel_,
                                            .graph = scale_up_graph_,
                                            .seed = seed_,
                                            .carries_bytes = options.carries_bytes,
                                            .service = host::Service::kMemory,
                                            .first_actor = aggregation_ == nullptr ? 0 : aggregation_->end_actor(),
                                            .endpoints = options.scale_up_endpoints});
  scale_up_aggregation_->make_reducers([this](EndpointId endpoint) -> host::Nic& { return nic(endpoint); });
  for (std::uint32_t i = 0; i < options.machines.size(); ++i) {
    const MachinePlan& plan = options.machines[i];
    if (!plan.scale_up) {
      continue;
    }
    host::SimMachine& machine = *machines_[i];
    const std::size_t rail = plan.rails.size();
    const std::string name = fmt::format("reduction of machine {} in its domain", plan.name);
    machine.set_groups(rail, scale_up_aggregation_->add_rail(nic(*plan.scale_up), machine.provider(rail), name));
  }
}

void World::wake_reduction(std::uint32_t actor, Time now) {
  const bool first = aggregation_ != nullptr && actor < aggregation_->end_actor();
  (first ? *aggregation_ : *scale_up_aggregation_).on_wake(actor, now);
}

void World::list_ports() {
  std::vector<std::vector<fabric::PortIndex>> ports(division_.ports.size());
  const std::uint32_t count = ethernet_ != nullptr ? ethernet_->port_count() : infiniband_->port_count();
  for (fabric::PortIndex port = 0; port < count; ++port) {
    const fabric::LinkEnd end = ethernet_ != nullptr ? ethernet_->end_of(port) : infiniband_->end_of(port);
    ports[division_.of_node[end.node.value()]].push_back(port);
  }
  for (const std::vector<fabric::PortIndex>& own : ports) {
    first_ports_.push_back(static_cast<std::uint32_t>(listed_ports_.size()));
    listed_ports_.insert(listed_ports_.end(), own.begin(), own.end());
  }
  first_ports_.push_back(static_cast<std::uint32_t>(listed_ports_.size()));
  is_busy_.assign(ports.size(), true);
}

void World::assign_ranks(const WorldOptions& options) {
  if (kernel_.is_divided()) {
    list_ports();
  }
  sim::ActorOrder ranks;
  if (ethernet_ != nullptr) {
    ethernet_->register_actors(ranks, division_.of_node);
  } else {
    infiniband_->register_actors(ranks, division_.of_node);
  }
  if (scale_up_ != nullptr) {
    scale_up_->register_actors(ranks);
  }
  for (std::uint32_t i = 0; i < nics_.size(); ++i) {
    nics_[i].register_actors(ranks, addresses_[i], fabric::partition_of(division_.of_node, fabric::NodeIndex(i)));
  }
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    const MachinePlan& plan = options.machines[i];
    const EndpointId place = plan.rails.empty() ? *plan.scale_up : plan.rails.front();
    machines_[i]->register_actors(ranks, stable_hash(seed_, "machine " + plan.name),
                                  fabric::partition_of(division_.of_node, fabric::NodeIndex(place.value())));
  }
  if (aggregation_ != nullptr) {
    aggregation_->register_actors(ranks);
  }
  if (scale_up_aggregation_ != nullptr) {
    scale_up_aggregation_->register_actors(ranks);
  }
  ranks.assign();
}

void World::start() {
  if (ethernet_ != nullptr) {
    ethernet_->start();
  } else {
    infiniband_->start();
  }
  for (const auto& machine : machines_) {
    machine->on_completions(Time::zero());
  }
}

// Of several the earliest, in whatever order partitions come to it.
void World::fail_at(Time now, const Error& error) {
  if (now < error_at_) {
    error_ = error;
    error_at_ = now;
  }
}

World::Stop World::stop_of(sim::Kernel::Stop stop) const {
  switch (stop) {
    case sim::Kernel::Stop::kEmpty:
      return Stop::kIdle;
    case sim::Kernel::Stop::kLimit:
      return Stop::kLimit;
    case sim::Kernel::Stop::kAsked:
      break;
  }
  return error_ ? Stop::kError : Stop::kBudget;
}

World::Stop World::run(Time limit, std::uint64_t budget) {
  stopping_ = false;
  const auto run_with = [&](auto& fabric) {
    Dispatch<std::remove_reference_t<decltype(fabric)>> dispatch{*this, fabric};
    return total_order_ ? kernel_.run_in_order(limit, budget, dispatch) : kernel_.run(limit, budget, dispatch);
  };
  return stop_of(ethernet_ != nullptr ? run_with(*ethernet_) : run_with(*infiniband_));
}

void World::finish_window(Time limit) {
  if (const Time end = kernel_.stop_end(); end > now() && kernel_.is_divided()) {
    (void)run(earlier(limit, end), ~std::uint64_t{0});
  }
}

World::Stop World::run_observed(Time limit, std::uint64_t budget,
                                const std::function<void(sim::ActorId, Time)>& observe) {
  stopping_ = false;
  const auto run_with = [&](auto& fabric) {
    ObservedDispatch<std::remove_reference_t<decltype(fabric)>> dispatch{{*this, fabric}, observe};
    return kernel_.run_in_order(limit, budget, dispatch);
  };
  return stop_of(ethernet_ != nullptr ? run_with(*ethernet_) : run_with(*infiniband_));
}

std::uint64_t World::packet_hops() const {
  return (ethernet_ != nullptr ? ethernet_->packets_sent() : infiniband_->packets_sent()) +
         (scale_up_ != nullptr ? scale_up_->packets_sent() : 0);
}

std::size_t World::heap_bytes() const {
  std::size_t bytes = kernel_.heap_bytes() + packets_.heap_bytes() +
                      (ethernet_ != nullptr ? ethernet_->heap_bytes() : infiniband_->heap_bytes()) +
                      (scale_up_ != nullptr ? scale_up_->heap_bytes() : 0);
  for (const host::Nic& nic : nics_) {
    bytes += sizeof(nic) + nic.heap_bytes();
  }
  bytes += aggregation_ == nullptr ? 0 : aggregation_->heap_bytes();
  bytes += scale_up_aggregation_ == nullptr ? 0 : scale_up_aggregation_->heap_bytes();
  bytes += payloads_ == nullptr ? 0 : payloads_->heap_bytes();
  return bytes + machines_.size() * sizeof(host::SimMachine);
}

std::string World::check_invariants() const {
  std::string wrong = ethernet_ != nullptr ? ethernet_->check_invariants() : infiniband_->check_invariants();
  std::uint64_t inside = ethernet_ != nullptr ? ethernet_->packets_inside() : infiniband_->packets_inside();
  if (scale_up_ != nullptr) {
    inside += scale_up_->packets_inside();
    wrong = wrong.empty() ? scale_up_->check_invariants() : wrong;
  }
  std::uint64_t kept = 0;
  for (const host::Nic& nic : nics_) {
    kept += nic.packets_kept();
  }
  // Between two events a packet that lives is in the fabric, or in the receive ring of a host.
  if (wrong.empty() && packets_.live_count() != inside + kept) {
    wrong = fmt::format("{} packets live, {} are in the fabric and {} in hosts", packets_.live_count(), inside, kept);
  }
  return wrong;
}

fabric::FabricDrops World::drops() const { return ethernet_ != nullptr ? ethernet_->drops() : infiniband_->drops(); }

}  // namespace weft::study::world
