// How the wires of a scale-up fabric are laid out, and what their counters add up to.
#include <algorithm>

#include "base/stable_hash.h"
#include "fabric/scale_up/scale_up_fabric.h"

namespace weft::fabric {

ScaleUpFabric::ScaleUpFabric(ScaleUpOptions options, const FabricContext& context)
    : options_(std::move(options)), kernel_(context.kernel), packets_(context.packets), seed_(context.seed) {}

Result<std::unique_ptr<ScaleUpFabric>> ScaleUpFabric::create(ScaleUpOptions options, FabricContext context) {
  std::unique_ptr<ScaleUpFabric> made(new ScaleUpFabric(std::move(options), context));
  if (Result<void> right = made->check_options(); !right) {
    return pass_on(right);
  }
  made->lay_out();
  return made;
}

Result<void> ScaleUpFabric::check_options() const {
  const Bytes largest(options_.largest_packet);
  for (const ScaleUpDomain& domain : options_.domains) {
    if (domain.ports.size() < 2) {
      return fail("{}: a scale-up domain needs at least two ports; it has {}", domain.name, domain.ports.size());
    }
    if (domain.shape == ScaleUpShape::kMesh && domain.ports.size() > kMeshPorts) {
      return fail("{}: a mesh without a switch has at most {} ports; this has {}", domain.name, kMeshPorts,
                  domain.ports.size());
    }
    if (domain.shape == ScaleUpShape::kSwitch && domain.switch_buffer < largest) {
      return fail("{}: the switch buffer of {} bytes per port is smaller than a packet of {} bytes", domain.name,
                  domain.switch_buffer.count(), largest.count());
    }
    for (const ScaleUpPort& port : domain.ports) {
      if (port.rate <= Rate::zero() || port.propagation <= Duration::zero()) {
        return fail("{}: a scale-up port needs a rate and a propagation delay above zero", port.name);
      }
      if (port.buffer < largest) {
        return fail("{}: a buffer of {} bytes is smaller than a packet of {} bytes", port.name, port.buffer.count(),
                    largest.count());
      }
    }
  }
  return {};
}

void ScaleUpFabric::lay_out() {
  for (std::uint32_t d = 0; d < options_.domains.size(); ++d) {
    const ScaleUpDomain& domain = options_.domains[d];
    const auto first_port = static_cast<std::uint32_t>(endpoints_.size());
    for (std::uint32_t i = 0; i < domain.ports.size(); ++i) {
      Port& port = endpoints_.emplace_back();
      port.domain = d;
      port.number = i;
    }
    if (domain.shape == ScaleUpShape::kSwitch) {
      add_star(domain, first_port);
    } else {
      add_mesh(domain, first_port);
    }
  }
  for (WireIndex i = 0; i < wires_.size(); ++i) {
    if (wires_[i].from_switch) {
      wires_[i].sender = static_cast<std::uint32_t>(endpoints_.size()) + i;
    }
  }
  queues_.resize(
      {.ports = static_cast<std::uint32_t>(wires_.size()), .output_lanes = static_cast<std::uint32_t>(wires_.size())});
}

WireIndex ScaleUpFabric::add_wire(ScaleUpWire wire, std::string name) {
  wires_.push_back(std::move(wire));
  names_.push_back(std::move(name));
  return static_cast<WireIndex>(wires_.size() - 1);
}

void ScaleUpFabric::add_star(const ScaleUpDomain& domain, std::uint32_t first_port) {
  for (std::uint32_t i = 0; i < domain.ports.size(); ++i) {
    const ScaleUpPort& port = domain.ports[i];
    Port& own = endpoints_[first_port + i];
    ScaleUpWire up;
    up.ends_at_switch = true;
    up.sender = first_port + i;
    up.rate = port.rate;
    up.delay = port.propagation + domain.switch_latency;
    up.back = port.propagation;
    up.buffer = static_cast<std::uint64_t>(domain.switch_buffer.count());
    up.cut_through_bytes = domain.first_bytes;
    own.first_out = add_wire(std::move(up), port.name + " > " + domain.name);
    own.out_wires = 1;
    ScaleUpWire down;
    down.from_switch = true;
    down.to = first_port + i;
    down.rate = port.rate;
    down.delay = down.back = port.propagation;
    down.buffer = static_cast<std::uint64_t>(port.buffer.count());
    own.from_switch = add_wire(std::move(down), domain.name + " > " + port.name);
  }
}

void ScaleUpFabric::add_mesh(const ScaleUpDomain& domain, std::uint32_t first_port) {
  const auto peers = static_cast<std::int64_t>(domain.ports.size()) - 1;
  for (std::uint32_t i = 0; i < domain.ports.size(); ++i) {
    const ScaleUpPort& port = domain.ports[i];
    Port& own = endpoints_[first_port + i];
    own.first_out = static_cast<WireIndex>(wires_.size());
    own.out_wires = static_cast<std::uint32_t>(peers);
    for (std::uint32_t j = 0; j < domain.ports.size(); ++j) {
      if (i == j) {
        continue;
      }
      ScaleUpWire wire;
      wire.sender = first_port + i;
      wire.to = first_port + j;
      wire.rate = std::min(port.rate, domain.ports[j].rate) / peers;
      wire.delay = wire.back = port.propagation;
      wire.buffer = static_cast<std::uint64_t>(domain.ports[j].buffer.count());
      (void)add_wire(std::move(wire), port.name + " > " + domain.ports[j].name);
    }
  }
}

void ScaleUpFabric::attach(EndpointId endpoint, Endpoint& nic, ReceiveMemory* memory) {
  endpoints_[local(endpoint)].nic = &nic;
  endpoints_[local(endpoint)].memory = memory;
}

void ScaleUpFabric::register_actors(sim::ActorOrder& ranks, std::span<const sim::PartitionIndex> partitions) {
  const auto partition_of = [&](std::uint32_t domain) {
    return partitions.empty() ? sim::PartitionIndex{0} : partitions[domain];
  };
  std::vector<sim::PartitionIndex> of_wire(wires_.size());
  for (const Port& port : endpoints_) {
    std::fill_n(of_wire.begin() + port.first_out, port.out_wires, partition_of(port.domain));
    if (port.out_wires == 1) {
      of_wire[port.from_switch] = partition_of(port.domain);
    }
  }
  for (std::uint32_t i = 0; i < endpoints_.size(); ++i) {
    const std::string& name = port(EndpointId(options_.first.value() + i)).name;
    const std::uint64_t owner = stable_hash(seed_, "scale-up " + name);
    ranks.add({owner, kScaleUpTransmit}, endpoints_[i].transmit, partition_of(endpoints_[i].domain));
    ranks.add({owner, kScaleUpArrival}, endpoints_[i].written, partition_of(endpoints_[i].domain));
  }
  for (WireIndex i = 0; i < wires_.size(); ++i) {
    const std::uint64_t owner = stable_hash(seed_, "scale-up " + names_[i]);
    ranks.add({owner, kScaleUpArrival}, wires_[i].arrival, of_wire[i]);
    ranks.add({owner, kScaleUpTransmit}, wires_[i].transmit, of_wire[i]);
  }
}

const ScaleUpPort& ScaleUpFabric::port(EndpointId endpoint) const {
  const Port& own = endpoints_[local(endpoint)];
  return options_.domains[own.domain].ports[own.number];
}

std::uint8_t ScaleUpFabric::lane_to(EndpointId from, EndpointId to) const {
  const Port& own = endpoints_[local(from)];
  return static_cast<std::uint8_t>(out_wire(own, endpoints_[local(to)]) - own.first_out);
}

ScaleUpCounters ScaleUpFabric::counters(WireIndex index, Time now) const {
  ScaleUpCounters result = wires_[index].counters;
  if (wires_[index].stalls) {
    result.stalled += now - wires_[index].stalled_since;
  }
  return result;
}

ScaleUpCounters ScaleUpFabric::sent_by(EndpointId endpoint, Time now) const {
  ScaleUpCounters sum;
  const Port& own = endpoints_[local(endpoint)];
  for (WireIndex i = own.first_out; i < own.first_out + own.out_wires; ++i) {
    const ScaleUpCounters one = counters(i, now);
    sum.packets += one.packets;
    sum.payload_bytes += one.payload_bytes;
    sum.wire_bytes += one.wire_bytes;
    sum.busy += one.busy;
    sum.stalled += one.stalled;
  }
  return sum;
}

std::vector<WireIndex> ScaleUpFabric::path(EndpointId from, EndpointId to) const {
  const Port& sink = endpoints_[local(to)];
  const WireIndex out = out_wire(endpoints_[local(from)], sink);
  return wires_[out].ends_at_switch ? std::vector<WireIndex>{out, sink.from_switch} : std::vector<WireIndex>{out};
}

Duration ScaleUpFabric::unloaded_time(EndpointId from, EndpointId to, const Train& train) const {
  const Port& source = endpoints_[local(from)];
  const Port& sink = endpoints_[local(to)];
  const ScaleUpWire& out = wires_[out_wire(source, sink)];
  const Duration last_out = out.rate.transmit_time(train.last);
  if (!out.ends_at_switch) {
    return out.delay + out.rate.transmit_time(train.total);
  }
  const ScaleUpWire& down = wires_[sink.from_switch];
  const bool early = cuts_through(out, to, static_cast<std::uint32_t>(train.last.count()));
  const Duration first_hop = out.delay + (early ? out.rate.transmit_time(Bytes(out.cut_through_bytes)) : last_out);
  const Duration before = std::max(out.rate.transmit_time(train.total) - last_out,
                                   down.rate.transmit_time(train.total) - down.rate.transmit_time(train.last));
  return first_hop + before + down.delay + down.rate.transmit_time(train.last);
}

std::uint64_t ScaleUpFabric::packets_sent() const {
  std::uint64_t sum = 0;
  for (const ScaleUpWire& wire : wires_) {
    sum += wire.counters.packets;
  }
  return sum;
}

std::uint64_t ScaleUpFabric::packets_inside() const {
  std::uint64_t sum = queues_.size();
  for (const ScaleUpWire& wire : wires_) {
    sum += (wire.arrival.pending().is_never() ? 0 : 1) + wire.in_flight.size();
  }
  for (const Port& port : endpoints_) {
    sum += port.pending_writes.size();
  }
  return sum;
}

std::size_t ScaleUpFabric::heap_bytes() const {
  std::size_t bytes =
      wires_.capacity() * sizeof(ScaleUpWire) + endpoints_.capacity() * sizeof(Port) + queues_.heap_bytes();
  for (const ScaleUpWire& wire : wires_) {
    bytes += wire.in_flight.heap_bytes() + wire.returns.heap_bytes();
  }
  for (const Port& port : endpoints_) {
    bytes += port.pending_writes.heap_bytes();
  }
  return bytes;
}

std::string ScaleUpFabric::check_invariants() const {
  std::vector<std::uint64_t> stored(wires_.size());
  for (WireIndex output = 0; output < wires_.size(); ++output) {
    std::uint64_t queued = 0;
    queues_.for_each(output, [&](const WaitingPacket& packet) {
      stored[packet.input] += packet.wire_bytes;
      queued += packet.wire_bytes;
    });
    if (queued != wires_[output].queued) {
      return fmt::format("{}: {} bytes wait, {} are counted", names_[output], queued, wires_[output].queued);
    }
  }
  for (const Port& port : endpoints_) {
    for (std::uint32_t i = 0; i < port.pending_writes.size(); ++i) {
      stored[port.pending_writes[i].wire] += packets_[port.pending_writes[i].packet].common.wire_bytes;
    }
  }
  for (WireIndex index = 0; index < wires_.size(); ++index) {
    const ScaleUpWire& wire = wires_[index];
    std::uint64_t sum = stored[index];
    if (!wire.arrival.pending().is_never()) {
      sum += packets_[wire.first].common.wire_bytes;
    }
    for (std::uint32_t i = 0; i < wire.in_flight.size(); ++i) {
      sum += packets_[wire.in_flight[i].packet].common.wire_bytes;
    }
    for (std::uint32_t i = 0; i < wire.returns.size(); ++i) {
      sum += wire.returns[i].bytes;
    }
    if (sum != wire.used || wire.used > wire.buffer) {
      return fmt::format("{}: credits of {} bytes are out, {} are accounted for; the buffer has {}", names_[index],
                         wire.used, sum, wire.buffer);
    }
  }
  return {};
}

}  // namespace weft::fabric
