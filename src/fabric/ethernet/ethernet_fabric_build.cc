// How an Ethernet fabric is laid out from its graph and options.
#include <algorithm>

#include "base/assert.h"
#include "base/format_quantity.h"
#include "base/random.h"
#include "base/stable_hash.h"
#include "fabric/ethernet/ethernet_fabric.h"

namespace weft::fabric {
namespace {

/// A switch that cuts through has enough of a packet to forward it after so many bytes on the wire: preamble, and the
/// headers up to the UDP ports or the end of the GRH.
constexpr std::uint32_t kCutThroughBytes = 80;

std::uint32_t narrow(Bytes bytes) { return static_cast<std::uint32_t>(bytes.count()); }

}  // namespace

Result<std::unique_ptr<EthernetFabric>> EthernetFabric::create(Graph graph, EthernetOptions options,
                                                               FabricContext context) {
  WEFT_ASSERT(!options.switches.empty() && !options.ports.empty());
  std::unique_ptr<EthernetFabric> fabric(new EthernetFabric(std::move(graph), std::move(options), context));
  fabric->lay_out_ports();
  for (std::uint32_t link = 0; link < fabric->graph_.links.size(); ++link) {
    fabric->connect_link(link);
  }
  if (Result<void> sized = fabric->size_buffers(); !sized) {
    return pass_on(sized);
  }
  for (const Switch& node : fabric->switches_) {
    fabric->allow_cut_through(node);
  }
  fabric->set_up_balancers();
  fabric->set_up_errors();
  if (Result<void> able = fabric->set_up_telemetry(); !able) {
    return pass_on(able);
  }
  return fabric;
}

EthernetFabric::EthernetFabric(Graph graph, EthernetOptions options, FabricContext context)
    : graph_(std::move(graph)),
      options_(std::move(options)),
      kernel_(context.kernel),
      packets_(context.packets),
      seed_(context.seed),
      routes_(graph_),
      map_(graph_, context.seed) {}

void EthernetFabric::lay_out_ports() {
  const std::uint32_t ports = map_.size();
  ports_.resize(ports);
  peers_.resize(ports);
  queues_.resize(std::size_t{ports} * kPriorities);
  groups_.resize(std::size_t{ports} * kPriorities);
  markers_.resize(std::size_t{ports} * kPriorities);
  pauses_.resize(ports);
  port_drops_.resize(ports);
  endpoints_.resize(graph_.endpoints);
  switches_.resize(graph_.switches());
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    const NodeIndex node(graph_.endpoints + ordinal);
    Switch& made = switches_[ordinal];
    made.first_port = map_.first_of(node);
    made.ports = graph_[node].ports;
    made.profile = options_.switch_profile.empty() ? std::uint16_t{0} : options_.switch_profile[ordinal];
    const EthernetSwitchOptions& profile = options_.switches[made.profile];
    made.balances = PathBalancer::is_needed(profile.path, profile.balancing);
    made.hashes = !made.balances && profile.path != PathPolicy::kSpray;
    made.forwarding = profile.forwarding;
    made.hash_seed = profile.hash_seed.value_or(map_.node_hash(node));
  }
  for (const EthernetPortOptions& profile : options_.ports) {
    std::uint8_t strict = 0;
    std::array<std::int8_t, kPriorities> alpha{};
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      strict = static_cast<std::uint8_t>(strict | (profile.priorities[p].dwrr_weight == 0 ? 1U << p : 0U));
      alpha[p] = profile.priorities[p].egress_alpha_shift;
    }
    strict_.push_back(strict);
    egress_alpha_.push_back(alpha);
  }
}

void EthernetFabric::connect_link(std::uint32_t link_index) {
  const Link& link = graph_.links[link_index];
  const PortIndex a = port_index(link.a);
  const PortIndex b = port_index(link.b);
  const auto connect = [&](LinkEnd own, PortIndex index, PortIndex peer, std::uint32_t end) {
    EthernetPort& port = ports_[index];
    const Node& node = graph_[own.node];
    const bool is_endpoint = node.kind == NodeKind::kEndpoint;
    port.owner = is_endpoint ? own.node.value() : own.node.value() - graph_.endpoints;
    port.peer = peers_[index] = peer;
    port.number = own.port;
    port.flags = is_endpoint ? kIsEndpoint : 0;
    port.profile = options_.port_profile.empty() ? std::uint16_t{0} : options_.port_profile[2 * link_index + end];
    port.set_rate(link.rate);
  };
  connect(link.a, a, b, 0);
  connect(link.b, b, a, 1);
  const auto direct = [&](PortIndex from_index, PortIndex to_index) {
    EthernetPort& from = ports_[from_index];
    EthernetPort& to = ports_[to_index];
    from.control_delay = link.propagation + options_.ports[to.profile].pause_response;
    from.delay = link.propagation;
    if (!to.has(kIsEndpoint)) {
      const Switch& node = switches_[to.owner];
      from.delay += options_.switches[node.profile].latency;
    } else if (!options_.endpoint_pipeline.empty()) {
      from.delay += options_.endpoint_pipeline[to.owner];
    }
    if (graph_[link.a.node].domain != graph_[link.b.node].domain) {
      to.flags |= kRoutedHop;
    }
    if (rate_of_link(options_.bit_error_rate, link_index) > Probability::zero() ||
        rate_of_link(options_.packet_error_rate, link_index) > Probability::zero()) {
      to.flags |= kHasErrors;
    }
  };
  direct(a, b);
  direct(b, a);
}

// A packet may be passed on before its end has come only if no way out is faster than the way in: so it is for a wire
// into a switch none of whose ports has a higher rate (docs/decisions/0013).
void EthernetFabric::allow_cut_through(const Switch& node) {
  if (node.forwarding != Forwarding::kCutThrough) {
    return;
  }
  Rate fastest = Rate::zero();
  for (PortIndex port = node.first_port; port < node.first_port + node.ports; ++port) {
    fastest = std::max(fastest, ports_[port].rate);
  }
  for (PortIndex port = node.first_port; port < node.first_port + node.ports; ++port) {
    EthernetPort& feeding = ports_[ports_[port].peer];
    feeding.cut_through_bytes = feeding.rate >= fastest ? kCutThroughBytes : 0;
  }
}

Result<void> EthernetFabric::size_buffers() {
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    set_up_queues(index);
  }
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    Switch& node = switches_[ordinal];
    const Bytes buffer = options_.switches[node.profile].buffer;
    std::int64_t headroom = 0;
    std::int64_t reserve = 0;
    const std::size_t first = std::size_t{node.first_port} * kPriorities;
    for (std::size_t i = first; i < first + std::size_t{node.ports} * kPriorities; ++i) {
      headroom += groups_[i].headroom_limit;
      reserve += groups_[i].reserve;
    }
    if (headroom + reserve > buffer.count()) {
      return fail(
          "{}: a buffer of {} cannot hold {} of headroom and {} of reserves for its {} ports; a larger buffer, shorter "
          "cables, fewer lossless priorities or smaller reserves would do",
          graph_.nodes[graph_.endpoints + ordinal].name, to_string(buffer), to_string(Bytes(headroom)),
          to_string(Bytes(reserve)), node.ports);
    }
    node.buffer = SharedBuffer(buffer.count() - headroom - reserve);
  }
  return {};
}

void EthernetFabric::set_up_queues(PortIndex index) {
  const EthernetPort& port = ports_[index];
  const EthernetPortOptions& profile = options_.ports[port.profile];
  if (port.has(kIsEndpoint)) {
    return;
  }
  const Duration pipeline = options_.switches[switches_[port.owner].profile].latency;
  const std::uint64_t name = map_.port_hash(index);
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    const PriorityOptions& priority = profile.priorities[p];
    IngressGroup& group = group_of(index, p);
    group.lossless = priority.lossless;
    group.alpha_shift = priority.ingress_alpha_shift;
    group.reserve = narrow(priority.reserve);
    group.xon_offset = narrow(priority.xon_offset);
    group.has_fixed_limit = priority.ingress_limit.has_value();
    group.fixed_limit = narrow(priority.ingress_limit.value_or(Bytes::zero()));
    if (priority.lossless) {
      group.headroom_limit = narrow(priority.headroom.value_or(
          headroom_bytes({.rate = port.rate,
                          .propagation = graph_.links[map_.link_of(index).value()].propagation,
                          .pipeline = pipeline,
                          .response = options_.ports[ports_[port.peer].profile].pause_response,
                          .peer_frame = profile.mtu_frame,
                          .local_frame = profile.mtu_frame})));
    }
    if (priority.ecn) {
      markers_[index * kPriorities + p] = Red(*priority.ecn, name + p);
      queue_of(index, p).mark_above = narrow(std::min(priority.ecn->kmin, Bytes(0xFFFFFFFF)));
    }
    if (options_.telemetry) {
      queue_of(index, p).mark_above = 0;  // every packet that leaves is looked at
    }
  }
}

Result<void> EthernetFabric::set_up_telemetry() {
  if (!options_.telemetry) {
    return {};
  }
  speed_codes_.resize(ports_.size());
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    const std::optional<std::uint8_t> code = wire::telemetry_code(ports_[index].rate);
    if (!code) {
      const LinkEnd end = map_.end_of(index);
      return fail(
          "{}: telemetry has no code for {}; it has one for 1, 2.5, 5, 10, 20, 25, 40, 50, 100, 200, 400 and 800 "
          "Gb/s, 1.6, 3.2 and 6.4 Tb/s",
          port_name(graph_, end), to_string(ports_[index].rate));
    }
    speed_codes_[index] = *code;
  }
  for (const LinkEvent& event : options_.events) {
    if (event.kind == LinkEvent::Kind::kDegrade && !wire::telemetry_code(event.rate)) {
      return fail("telemetry has no code for the rate {} of an event; give one of Ethernet's", to_string(event.rate));
    }
  }
  return {};
}

void EthernetFabric::set_up_errors() {
  errors_.resize(ports_.size());
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    if (ports_[index].has(kHasErrors)) {
      const std::size_t link = map_.link_of(index).value();
      errors_[index] = std::make_unique<BitErrors>(rate_of_link(options_.bit_error_rate, link), map_.port_hash(index),
                                                   rate_of_link(options_.packet_error_rate, link));
    }
  }
}

void EthernetFabric::register_actors(sim::ActorOrder& ranks, std::span<const sim::PartitionIndex> partitions) {
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    register_port_actors(ranks, map_.port_hash(index), ports_[index],
                         partition_of(partitions, map_.end_of(index).node));
  }
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    const NodeIndex node(graph_.endpoints + ordinal);
    ranks.add({map_.node_hash(node), kSwitchTimer}, switches_[ordinal].timer, partition_of(partitions, node));
  }
  ranks.add({stable_hash(seed_, "fabric"), kFabricTimer}, fabric_timer_);
}

void EthernetFabric::start() {
  links_ = LinkSchedule(options_.events);
  plan_fabric_timer();
}

void EthernetFabric::set_tap(Tap* tap, std::span<const PortIndex> ports) {
  tap_ = tap;
  for (const PortIndex port : ports) {
    ports_[port].flags |= kTapped;
  }
}

std::uint64_t EthernetFabric::packets_sent() const {
  std::uint64_t sum = 0;
  for (const EthernetPort& port : ports_) {
    sum += port.packets_sent;
  }
  return sum;
}

std::size_t EthernetFabric::heap_bytes() const {
  std::size_t bytes = ports_.capacity() * sizeof(EthernetPort) + queues_.capacity() * sizeof(EgressQueue) +
                      groups_.capacity() * sizeof(IngressGroup) + markers_.capacity() * sizeof(Red) +
                      pauses_.capacity() * sizeof(PauseRecord) + switches_.capacity() * sizeof(Switch) +
                      routes_.heap_bytes() + weights_.heap_bytes();
  for (const PathBalancer& balancer : balancers_) {
    bytes += sizeof(balancer) + balancer.heap_bytes();
  }
  for (const EthernetPort& port : ports_) {
    bytes += port.in_flight.heap_bytes() + port.control.heap_bytes();
  }
  for (const EgressQueue& queue : queues_) {
    bytes += queue.packets.heap_bytes();
  }
  return bytes;
}

}  // namespace weft::fabric
