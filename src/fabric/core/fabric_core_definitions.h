// The rest of FabricCore, for the one .cc of each discipline that instantiates it: lay-out, link events, paths, counts.
#pragma once

#include <algorithm>

#include "base/assert.h"
#include "base/parallel.h"
#include "base/stable_hash.h"
#include "fabric/core/fabric_core.h"
#include "fabric/routing/path_choice.h"

namespace weft::fabric {

/// Fewer are laid out sooner than another thread begins.
inline constexpr std::size_t kPortsOfThread = 1'024;

template <class Fabric, class Parts>
FabricCore<Fabric, Parts>::FabricCore(Graph graph, Options options, FabricContext context)
    : graph_(std::move(graph)),
      options_(std::move(options)),
      kernel_(context.kernel),
      packets_(context.packets),
      routes_(graph_, {.rule = options_.route_rule, .ports_stand_in = options_.ports_stand_in}),
      map_(graph_, context.seed),
      seed_(context.seed) {}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::lay_out(std::uint32_t threads) {
  WEFT_ASSERT(options_.switch_profile.empty() || options_.switch_profile.size() == graph_.switches());
  WEFT_ASSERT(options_.port_profile.empty() || options_.port_profile.size() == 2 * graph_.links.size());
  WEFT_ASSERT(options_.endpoint_pipeline.empty() || options_.endpoint_pipeline.size() == graph_.endpoints);
  resize_populated(ports_, map_.size(), threads);
  peers_.resize(map_.size());
  errors_.resize(map_.size());
  endpoints_.resize(graph_.endpoints);
  lay_out_switches();
  in_parts(graph_.links.size(), {.threads = threads, .least = kPortsOfThread},
           [this](std::size_t first, std::size_t last) {
             for (std::size_t link = first; link < last; ++link) {
               connect_link(static_cast<std::uint32_t>(link));
             }
           });
  expect_errors();
  for (const Switch& node : switches_) {
    allow_cut_through(node);
  }
  set_up_errors();
  set_up_balancers();
}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::lay_out_switches() {
  switches_.resize(graph_.switches());
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    const NodeIndex node(graph_.endpoints + ordinal);
    Switch& made = switches_[ordinal];
    made.first_port = map_.first_of(node);
    made.ports = graph_[node].ports;
    made.profile = options_.switch_profile.empty() ? std::uint16_t{0} : options_.switch_profile[ordinal];
    WEFT_ASSERT(made.profile < options_.switches.size());
    const auto& profile = options_.switches[made.profile];
    made.path = profile.path;
    made.balances = PathBalancer::is_needed(profile.path, profile.balancing);
    made.detours = made.balances && profile.balancing.detours.has_value();
    made.forwarding = profile.forwarding;
    made.hash_seed = profile.hash_seed.value_or(map_.node_hash(node));
  }
}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::connect_link(std::uint32_t link_index) {
  const Link& link = graph_.links[link_index];
  const CableEnds ends{port_index(link.a), port_index(link.b)};
  WEFT_ASSERT(ends[0] != ends[1] && link.rate > Rate::zero() && link.propagation > Duration::zero());
  const bool is_routed = graph_[link.a.node].domain != graph_[link.b.node].domain;
  const bool has_errors = rate_of_link(options_.bit_error_rate, link_index) > Probability::zero() ||
                          rate_of_link(options_.packet_error_rate, link_index) > Probability::zero();
  for (std::uint32_t end = 0; end < ends.size(); ++end) {
    const LinkEnd own = end == 0 ? link.a : link.b;
    Port& port = ports_[ends[end]];
    const bool at_endpoint = is_endpoint(ends[end]);
    port.owner = at_endpoint ? own.node.value() : own.node.value() - graph_.endpoints;
    port.peer = peers_[ends[end]] = ends[1 - end];
    port.number = own.port;
    port.flags = static_cast<PortFlags>((at_endpoint ? kIsEndpoint : 0) | (has_errors ? kHasErrors : 0) |
                                        (is_routed ? kRoutedHop : 0));
    port.profile = options_.port_profile.empty() ? std::uint16_t{0} : options_.port_profile[2 * link_index + end];
    WEFT_ASSERT(port.profile < options_.ports.size());
    port.set_rate(link.rate);
  }
  for (const PortIndex index : ends) {
    Port& from = ports_[index];
    const Port& to = ports_[from.peer];
    from.control_delay = link.propagation;
    from.delay = link.propagation;
    if (!to.has(kIsEndpoint)) {
      from.delay += options_.switches[switches_[to.owner].profile].latency;
    } else if (!options_.endpoint_pipeline.empty()) {
      from.delay += options_.endpoint_pipeline[to.owner];
    }
  }
}

// A packet may be passed on before its end has come only if no egress port is faster than the ingress port: so it is
// for a wire into a switch none of whose ports has a higher rate (docs/decisions/0012 and 0013).
template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::allow_cut_through(const Switch& node) {
  if (node.forwarding != Forwarding::kCutThrough) {
    return;
  }
  Rate fastest = Rate::zero();
  for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
    fastest = std::max(fastest, ports_[index].rate);
  }
  for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
    Port& port = ports_[index];
    Port& feeding = ports_[port.peer];
    const bool early = feeding.rate >= fastest;
    feeding.set_cut_through_bytes(early ? Parts::kCutThroughBytes : std::uint16_t{0});
    port.flags = static_cast<PortFlags>(early ? port.flags | kCutThrough : port.flags & ~kCutThrough);
  }
}

// Cables that will have errors are such from the start, since credits and pauses are taken otherwise there.
template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::expect_errors() {
  for (const LinkEvent& event : options_.events) {
    if (event.bit_error_rate > Probability::zero()) {
      const Link& link = graph_.links[event.link.value()];
      ports_[port_index(link.a)].flags |= kHasErrors;
      ports_[port_index(link.b)].flags |= kHasErrors;
    }
  }
}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::set_up_errors() {
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    if (ports_[index].has(kHasErrors)) {
      const std::size_t link = map_.link_of(index).value();
      errors_[index] = std::make_unique<BitErrors>(rate_of_link(options_.bit_error_rate, link), map_.port_hash(index),
                                                   rate_of_link(options_.packet_error_rate, link));
    }
  }
}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::register_actors(sim::ActorOrder& ranks,
                                                std::span<const sim::PartitionIndex> partitions) {
  ranks.reserve(kActorsOfPort * ports_.size() + switches_.size() + 1);
  const auto node_of = [this](const Port& port) {
    return NodeIndex(port.has(kIsEndpoint) ? port.owner : graph_.endpoints + port.owner);
  };
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    Port& port = ports_[index];
    const sim::PartitionIndex own = partition_of(partitions, node_of(port));
    port.peer_partition = partition_of(partitions, node_of(ports_[port.peer]));
    if (port.peer_partition != own) {
      port.set_crosses();
    }
    register_port_actors(ranks, map_.port_hash(index), port, own);
  }
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    const NodeIndex node(graph_.endpoints + ordinal);
    ranks.add({map_.node_hash(node), kSwitchTimer}, switches_[ordinal].timer, partition_of(partitions, node));
  }
  ranks.add({stable_hash(seed_, "fabric"), kFabricTimer}, fabric_timer_);
}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::start() {
  links_ = LinkSchedule(options_.events, options_.route_updates);
  plan_fabric_timer();
  self().start_timers();
}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::set_tap(Tap* tap, std::span<const PortIndex> ports) {
  tap_ = tap;
  for (const PortIndex port : ports) {
    ports_[port].flags |= kTapped;
  }
}

// Tapped ports leave the fast path; who looks at them need not be a capture.
template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::set_filter(PacketFilter& filter, std::span<const PortIndex> ports) {
  struct Blind final : Tap {
    void on_frame(PortIndex, Direction, const wire::Packet&, Time) override {}
  };
  static Blind blind;
  WEFT_ASSERT(tap_ == nullptr);
  set_tap(&blind, ports);
  filter_ = &filter;
}

template <class Fabric, class Parts>
bool FabricCore<Fabric, Parts>::receive_slow(Port& port, PortIndex index, PacketHandle handle, Time now) {
  wire::Packet& packet = packets_[handle];
  const bool damaged = damage(port, index, packet);
  if (port.has(kTapped)) {
    tap_->on_frame(index, Tap::Direction::kReceived, packet, now);
    if (filter_ != nullptr && filter_->takes(index, handle, packet, now)) {
      self().discard_taken(index, handle, now);
      return true;
    }
  }
  if (damaged && self().on_damaged(port, index, handle, now)) {
    return true;
  }
  if ((port.flags & Parts::kSlowArrival) != 0 && self().on_slow_arrival(port, index, handle, now)) {
    return true;
  }
  return port.has(kMayBackUp) && self().hold_back_peer(port, index, handle, now);
}

// Link events, and what is done for the whole fabric.

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::plan_fabric_timer() {
  if (const Time next = earlier(links_.next(), self().next_check()); !next.is_never()) {
    kernel_.wake(fabric_timer_, sim::ActorId(kFabricTimer, 0), next);
  }
}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::on_fabric_timer(Time now) {
  if (!fabric_timer_.fires(now)) {
    return;
  }
  if (links_.next() <= now) {
    links_.run_due(
        now, routes_, [&](const LinkEvent& event) { apply_link_event(event, now); },
        [&](LinkIndex link) { return ports_[port_index(graph_.links[link.value()].a)].has(kLinkDown); });
    invalidate_egress();
    compute_port_weights();
    if (!non_minimal_.empty()) {
      non_minimal_ = NonMinimal(graph_, routes_);
    }
    self().on_links_changed(now);
  }
  if (self().next_check() <= now) {
    self().check_fabric(now);
  }
  plan_fabric_timer();
}

// Routes may have changed.
template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::invalidate_egress() {
  for (Port& port : ports_) {
    port.egress = kNoEgress;
  }
}

// What is sent later would overtake what is on the wire.
template <class Fabric, class Parts>
bool FabricCore<Fabric, Parts>::shortens(const CableEnds& ends, const LinkEvent& event) const {
  return std::ranges::any_of(ends, [&](PortIndex index) {
    const auto added = added_latency_.find(index);
    return added != added_latency_.end() && event.added_latency < added->second;
  });
}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::set_direction(PortIndex sender, const LinkEvent& event) {
  Port& port = ports_[sender];
  port.set_rate(event.rate);
  const PortIndex receiver = port.peer;
  if (errors_[receiver] != nullptr || port.has(kHasErrors)) {
    self().set_bit_error_rate(
        receiver, std::max(event.bit_error_rate, rate_of_link(options_.bit_error_rate, map_.link_of(sender).value())));
  }
  const auto added = added_latency_.find(sender);
  const Duration before = added == added_latency_.end() ? Duration::zero() : added->second;
  if (event.added_latency != before) {
    port.delay += event.added_latency - before;
    port.control_delay += event.added_latency - before;
    added_latency_[sender] = event.added_latency;
  }
}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::apply_link_event(const LinkEvent& event, Time now) {
  const Link& link = graph_.links[event.link.value()];
  const CableEnds ends{port_index(link.a), port_index(link.b)};
  switch (event.kind) {
    case LinkEvent::Kind::kFail:
      self().take_link_down(ends[0], now);
      self().take_link_down(ends[1], now);
      break;
    case LinkEvent::Kind::kDegrade: {
      const bool trains = shortens(ends, event) && !ports_[ends[0]].has(kLinkDown);
      if (trains) {
        self().take_link_down(ends[0], now);
        self().take_link_down(ends[1], now);
      }
      if (event.sender != LinkEvent::Sender::kB) {
        set_direction(ends[0], event);
      }
      if (event.sender != LinkEvent::Sender::kA) {
        set_direction(ends[1], event);
      }
      if (trains) {
        self().bring_link_up(ends, now);
      }
      break;
    }
    case LinkEvent::Kind::kRestore:
      if (shortens(ends, {}) && !ports_[ends[0]].has(kLinkDown)) {
        self().take_link_down(ends[0], now);
        self().take_link_down(ends[1], now);
      }
      set_direction(ends[0], {.rate = link.rate});
      set_direction(ends[1], {.rate = link.rate});
      self().bring_link_up(ends, now);
      break;
  }
  // What cuts through would run dry if the egress port were now the faster one.
  for (const PortIndex index : ends) {
    if (!ports_[index].has(kIsEndpoint)) {
      allow_cut_through(switches_[ports_[index].owner]);
    }
  }
}

// Choice among equal paths beyond a table or a hash per flow, and the notifications by which switches tell each other
// of congestion.

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::set_up_balancers() {
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    Switch& node = switches_[ordinal];
    if (!node.balances) {
      continue;
    }
    balancers_.resize(switches_.size());
    balancers_[ordinal] = PathBalancer({.policy = node.path, .ports = node.ports, .seed = node.hash_seed},
                                       options_.switches[node.profile].balancing);
    node.notify_from = balancers_[ordinal].notify_from();
    if (balancers_[ordinal].notifies() && leaf_ids_.empty()) {
      for (std::uint32_t leaf = 0; leaf < switches_.size(); ++leaf) {
        leaf_ids_.push_back(NotificationContent::name_of(map_.node_hash(NodeIndex(graph_.endpoints + leaf))));
      }
    }
  }
  set_up_hash_groups();
  compute_port_weights();
  if (std::ranges::any_of(switches_, &Switch::detours)) {
    non_minimal_ = NonMinimal(graph_, routes_);
  }
}

// Where flows, or those of packets that must stay in order, are hashed as hardware does it.
template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::set_up_hash_groups() {
  std::vector<HashGroups::Switch> wanted;
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    const Switch& node = switches_[ordinal];
    const BalancingOptions& balancing = options_.switches[node.profile].balancing;
    const bool hashes = node.path == PathPolicy::kEcmp || (node.balances && balancers_[ordinal].keeps_in_order(0));
    wanted.push_back({.options = balancing.hash,
                      .seed = node.hash_seed,
                      .uses_groups = hashes && !balancing.hash.is_plain(),
                      .weighs = balancing.weighting != Weighting::kEqual});
  }
  if (std::ranges::any_of(wanted, &HashGroups::Switch::uses_groups)) {
    groups_ = HashGroups(graph_, std::move(wanted));
  }
}

// Rates and routes may have changed.
template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::compute_port_weights() {
  Weighting wanted = Weighting::kEqual;
  for (const Switch& node : switches_) {
    if (const Weighting own = options_.switches[node.profile].balancing.weighting;
        node.balances && own != Weighting::kEqual) {
      WEFT_ASSERT(wanted == Weighting::kEqual || wanted == own);
      wanted = own;
    }
  }
  if (wanted != Weighting::kEqual) {
    const auto index_of = [this](const PortWeights::PortOf& port) {
      return switches_[port.switch_ordinal].first_port + port.port;
    };
    weights_ = weigh_ports(wanted, graph_, routes_,
                           {.rate_of = [&](const PortWeights::PortOf& port) { return ports_[index_of(port)].rate; },
                            .link_of = [&](const PortWeights::PortOf& port) { return map_.link_of(index_of(port)); },
                            .given = options_.link_weight});
  }
  if (!groups_.empty()) {
    groups_.update(routes_, weights_);
  }
}

template <class Fabric, class Parts>
std::uint32_t FabricCore<Fabric, Parts>::balance(Port& in, Switch& node, const NextHops& hops,
                                                 const wire::PacketCommon& common, Time now) {
  WEFT_DCHECK(node.balances && hops.size() > 1);
  PathBalancer& balancer = balancers_[in.owner];
  if (!groups_.empty() && groups_.covers(in.owner) &&
      (node.path == PathPolicy::kEcmp || balancer.keeps_in_order(common.flags, common.traffic_class))) {
    return groups_.choose(
        {.switch_ordinal = in.owner, .leaf = leaf_seen(in.owner, common.destination), .hash = common.flow_hash});
  }
  const bool weighs = options_.switches[node.profile].balancing.weighting != Weighting::kEqual;
  const std::uint32_t* weights = weighs ? weights_.of(in.owner, leaf_seen(in.owner, common.destination)) : nullptr;
  if (balancer.keeps_in_order(common.flags, common.traffic_class)) {
    return self().in_order_hop(in, node, hops, common, weights);
  }
  if (balancer.notifies()) {
    self().receive_notifications(node, hops, now);
  }
  const PathBalancer::Choice made = balancer.choose(hops,
                                                    {.flow_hash = common.flow_hash,
                                                     .leaf = leaf_id(common.destination),
                                                     .input = in.number,
                                                     .weights = weights,
                                                     .now = now},
                                                    [&](std::uint32_t number) {
                                                      const Port& port = ports_[node.first_port + number];
                                                      return depth_of(port.queued_bytes, port.free_at > now);
                                                    });
  WEFT_DCHECK(made.port < node.ports);
  if (made.all_congested) [[unlikely]] {
    notify(node.first_port + in.number, common.destination, now);
  }
  return made.port;
}

template <class Fabric, class Parts>
std::uint64_t FabricCore<Fabric, Parts>::detours() const {
  std::uint64_t sum = 0;
  for (const PathBalancer& balancer : balancers_) {
    sum += balancer.detours();
  }
  return sum;
}

template <class Fabric, class Parts>
std::uint64_t FabricCore<Fabric, Parts>::least_queued(const Switch& node, const NextHops& hops) const {
  std::uint64_t least = ~std::uint64_t{0};
  for (const std::uint16_t port : hops) {
    least = std::min<std::uint64_t>(least, ports_[node.first_port + port].queued_bytes);
  }
  return least;
}

template <class Fabric, class Parts>
NonMinimal::State FabricCore<Fabric, Parts>::decide_detour(const Port& in, Switch& node, const NextHops& hops,
                                                           const wire::PacketCommon& common) {
  const NonMinimal::Place place{.switch_ordinal = in.owner, .leaf = routes_.leaf_of(common.destination)};
  if (!non_minimal_.leaves_group(place)) {
    return NonMinimal::kDirect;
  }
  const DetourOptions& options = *options_.switches[node.profile].balancing.detours;
  const bool is_first = is_endpoint(in.peer);
  const bool in_order = balancers_[in.owner].keeps_in_order(common.flags, common.traffic_class);
  const bool valiant = options.rule == DetourRule::kValiant;
  if (in_order ? !valiant : valiant && !is_first) {
    return NonMinimal::kDirect;
  }
  const std::uint32_t hash =
      in_order ? switch_hash(common.flow_hash, seed_) : switch_hash(++node.sprayed, node.hash_seed);
  const std::optional<NonMinimal::State> group = non_minimal_.intermediate(place, hash);
  if (group &&
      (valiant || non_minimal_.prefers_detour(in.owner,
                                              {.direct = least_queued(node, hops),
                                               .detour = least_queued(node, non_minimal_.towards(in.owner, *group))},
                                              options.threshold))) {
    return *group;
  }
  return is_first ? NonMinimal::kUndecided : NonMinimal::kDirect;
}

template <class Fabric, class Parts>
std::uint32_t FabricCore<Fabric, Parts>::choose_detour(Port& in, Switch& node, const NextHops& hops,
                                                       wire::PacketCommon& common, Time now) {
  const NextHops direct =
      non_minimal_.directly({.switch_ordinal = in.owner, .leaf = routes_.leaf_of(common.destination)});
  NextHops taken = direct.empty() ? hops : direct;
  const bool decides = common.hop_scratch == NonMinimal::kUndecided;
  if (decides) {
    common.hop_scratch = decide_detour(in, node, taken, common);
  } else if (non_minimal_.is_in_group(in.owner, common.hop_scratch)) {
    common.hop_scratch = NonMinimal::kDirect;
  }
  if (NonMinimal::is_group(common.hop_scratch)) {
    const NextHops detour = non_minimal_.towards(in.owner, common.hop_scratch);
    if (detour.empty()) {  // its cables have failed since
      common.hop_scratch = NonMinimal::kDirect;
    } else {
      taken = detour;
    }
  }
  const std::uint32_t egress = taken.size() == 1 ? taken[0] : balance(in, node, taken, common, now);
  if (decides && NonMinimal::is_group(common.hop_scratch)) {
    balancers_[in.owner].count_detour(static_cast<std::uint16_t>(egress));
  }
  return egress;
}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::notify(PortIndex ingress, EndpointId destination, Time now) {
  const Port& port = ports_[ingress];
  const NotificationContent content{.leaf = leaf_id(destination)};
  PathBalancer& balancer = balancers_[port.owner];
  if (!is_endpoint(port.peer) && !port.has(kLinkDown) &&
      balancer.claim_notification({.port = port.number, .leaf = content.leaf}, {port.wire_time(balancer.notify_from())},
                                  now)) {
    self().send_notification(ingress, content, now);
  }
}

template <class Fabric, class Parts>
void FabricCore<Fabric, Parts>::mark_congested(const Port& port, const NotificationContent& content, Time at) {
  if (!port.has(kIsEndpoint) && switches_[port.owner].balances) {
    PathBalancer& balancer = balancers_[port.owner];
    balancer.mark_congested({.port = port.number, .leaf = content.leaf}, {port.wire_time(balancer.notify_from())}, at);
  }
}

template <class Fabric, class Parts>
PortChoices FabricCore<Fabric, Parts>::choices(PortIndex index, Time now) const {
  const Port& port = ports_[index];
  if (port.has(kIsEndpoint) || !switches_[port.owner].balances) {
    return {};
  }
  return balancers_[port.owner].choices(port.number, now);
}

// Counts.

template <class Fabric, class Parts>
FabricDrops FabricCore<Fabric, Parts>::drops() const {
  FabricDrops sum;
  for (const WorkersOwn& own : own_) {
    sum += own.drops;
  }
  return sum;
}

template <class Fabric, class Parts>
std::uint64_t FabricCore<Fabric, Parts>::packets_sent() const {
  std::uint64_t sum = 0;
  for (const Port& port : ports_) {
    sum += port.packets_sent;
  }
  return sum;
}

template <class Fabric, class Parts>
std::uint64_t FabricCore<Fabric, Parts>::packets_on_wires() const {
  std::uint64_t count = 0;
  for (const Port& port : ports_) {
    count += port.in_flight.size() + (port.arrival.pending().is_never() ? 0U : 1U);
  }
  return count;
}

template <class Fabric, class Parts>
std::size_t FabricCore<Fabric, Parts>::core_heap_bytes() const {
  std::size_t bytes = ports_.capacity() * sizeof(Port) + switches_.capacity() * sizeof(Switch) + routes_.heap_bytes() +
                      weights_.heap_bytes() + groups_.heap_bytes();
  for (const PathBalancer& balancer : balancers_) {
    bytes += sizeof(balancer) + balancer.heap_bytes();
  }
  for (const Port& port : ports_) {
    bytes += port.in_flight.heap_bytes() + port.control.heap_bytes();
  }
  return bytes;
}

}  // namespace weft::fabric
