// What stands at the ends of a world's fabrics: NICs, machines, and the reducers' groups.
#include <fmt/core.h>

#include "base/stable_hash.h"
#include "fabric/topology/graph_query.h"
#include "study/world/end_addresses.h"
#include "study/world/world.h"

namespace weft::study::world {
namespace {

/// The port of a reducer: nothing lies between its device and the wire.
void make_plain(host::NicOptions& nic) {
  nic.pipeline = {};
  nic.path = nullptr;
  nic.congestion_control = nullptr;
  nic.congestion_receiver = nullptr;
  nic.bump.reset();
}

}  // namespace

void World::make_port_groups(const std::vector<fabric::LinkEvent>& events, Duration failover_delay) {
  std::vector<host::PortStates::Change> own;
  for (const fabric::LinkEvent& event : events) {
    const fabric::Link& link = graph().links[event.link.value()];
    for (const fabric::LinkEnd& end : {link.a, link.b}) {
      if (end.node.value() < graph().host_endpoints() && event.kind != fabric::LinkEvent::Kind::kDegrade) {
        own.push_back({.port = EndpointId(end.node.value()),
                       .at = event.at,
                       .up = event.kind == fabric::LinkEvent::Kind::kRestore,
                       .known_after = event.reroute_delay});
      }
    }
  }
  host::PortStates others(own);
  for (host::PortStates::Change& change : own) {
    change.known_after = failover_delay;
  }
  port_groups_ = std::make_unique<host::PortGroups>(
      host::PortGroups::Environment{
          .kernel = kernel_, .wires = fabric_.endpoint_port(), .packets = packets_, .graph = graph(), .seed = seed_},
      host::PortStates(own), std::move(others));
}

void World::make_attacks(const WorldOptions& options) {
  if (options.attacks.empty() && options.defences.cnp_interval == Duration::zero()) {
    return;
  }
  WEFT_ASSERT(port_groups_ == nullptr && !kernel_.is_divided());
  attacks_ = std::make_unique<host::Attacks>(
      options.attacks, options.defences,
      host::Attacks::Environment{.kernel = kernel_,
                                 .packets = packets_,
                                 .fabric = fabric_,
                                 .find_nic = [this](EndpointId endpoint) -> host::Nic& { return nic(endpoint); }});
}

// At most one of them stands at a port of a NIC: a group of ports, a bump in the wire, an attacker or victim.
void World::make_nic(EndpointId endpoint, const host::NicOptions& nic) {
  const bool has_bump = nic.bump.has_value();
  WEFT_ASSERT((port_groups_ != nullptr) + has_bump + (attacks_ != nullptr) <= 1);
  if (has_bump) {
    bumps_.resize(graph().endpoints);
    bumps_[endpoint.value()] = std::make_unique<host::BumpInTheWire>(
        *nic.bump, host::BumpInTheWire::Environment{.kernel = kernel_,
                                                    .packets = packets_,
                                                    .wire = fabric_.endpoint_port(),
                                                    .pauses = fabric_.get_if<fabric::EthernetFabric>(),
                                                    .endpoint = endpoint});
  }
  fabric::EndpointPort& port = port_groups_ != nullptr ? port_groups_->port_of(endpoint)
                               : has_bump              ? *bumps_[endpoint.value()]
                               : attacks_ != nullptr   ? attacks_->port_of(endpoint)
                                                       : fabric_.endpoint_port();
  host::Nic& made = nics_.emplace_back(nic, host::Nic::Environment{.kernel = kernel_,
                                                                   .packets = packets_,
                                                                   .port = port,
                                                                   .index = endpoint.value(),
                                                                   .addresses = addresses_,
                                                                   .payloads = payloads_.get(),
                                                                   .header_addresses = header_addresses_});
  nic_hints_.push_back({.nic = &made});
  fabric::Endpoint* attached = &made;
  if (port_groups_ != nullptr) {
    attached = &port_groups_->attach(endpoint, made);
  } else if (has_bump) {
    bumps_[endpoint.value()]->attach(made);
    attached = bumps_[endpoint.value()].get();
  } else if (attacks_ != nullptr) {
    attached = &attacks_->attach(endpoint, made);
  }
  fabric_.attach(endpoint, *attached);
}

// Next hops that prefetching has looked up are not those of packets that a switch sends elsewhere.
void World::make_nics(const WorldOptions& options) {
  const fabric::Graph& graph = this->graph();
  make_attacks(options);
  prefetches_ = graph.endpoints >= options.prefetch_from && attacks_ == nullptr;
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    addresses_.push_back(stable_hash(seed_, graph.nodes[i].name));
  }
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    host::NicOptions nic = options.nic(EndpointId(i));
    if (i >= graph.host_endpoints()) {
      make_plain(nic);
    }
    if (nic.header_hash && header_addresses_.empty()) {
      header_addresses_ = end_addresses(graph, seed_);
    }
    nic.device.endpoint = EndpointId(i);
    nic.device.seed = nic.seed = nic.address = addresses_[i];
    make_nic(EndpointId(i), nic);
  }
  rates_ = fabric::endpoint_rates(graph);
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
                                                                     .payloads = payloads_.get(),
                                                                     .header_addresses = header_addresses_});
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

}  // namespace weft::study::world
