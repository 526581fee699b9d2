// Choice among equal paths beyond a table or a hash per flow, and the notifications by which switches tell each other
// of congestion.
#include "fabric/infiniband/infiniband_fabric.h"
#include "fabric/routing/notification_content.h"
#include "fabric/routing/path_choice.h"

namespace weft::fabric {

void InfiniBandFabric::set_up_balancers() {
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
  compute_port_weights();
}

// Rates and routes may have changed.
void InfiniBandFabric::compute_port_weights() {
  bool wanted = false;
  for (const Switch& node : switches_) {
    wanted = wanted || (node.balances && options_.switches[node.profile].balancing.weights_by_capacity);
  }
  if (wanted) {
    weights_ = PortWeights(graph_, routes_, [this](const PortWeights::PortOf& port) {
      return ports_[switches_[port.switch_ordinal].first_port + port.port].rate;
    });
  }
}

// The depth of a port is what waits for it in the buffers of all inputs.
[[gnu::noinline]] std::uint32_t InfiniBandFabric::balance(InfiniBandPort& in, Switch& node, const NextHops& hops,
                                                          const wire::PacketCommon& common, Time now) {
  PathBalancer& balancer = balancers_[in.owner];
  if (balancer.keeps_in_order(common.flags)) {
    return table_.choose(in.owner, common.destination, hops);
  }
  const bool weighs = options_.switches[node.profile].balancing.weights_by_capacity;
  const std::uint32_t* weights = weighs ? weights_.of(in.owner, routes_.leaf_of(common.destination)) : nullptr;
  if (balancer.notifies()) {
    // What has come is taken when it is needed.
    for (const std::uint16_t number : hops) {
      const PortIndex index = node.first_port + number;
      if (!ports_[index].waits_for_credits()) {
        (void)process_credit_updates(ports_[index], index, now);
      }
    }
  }
  const PathBalancer::Choice made = balancer.choose(
      hops, {.flow_hash = common.flow_hash, .leaf = leaf_id(common.destination), .weights = weights, .now = now},
      [&](std::uint32_t number) {
        const InfiniBandPort& port = ports_[node.first_port + number];
        return depth_of(port.queued_bytes, port.free_at > now);
      });
  if (made.all_congested) [[unlikely]] {
    notify(node.first_port + in.number, common.destination, now);
  }
  return made.port;
}

// As a credit limit: at once if the wire is idle, otherwise as soon as it is, in front of all that waits.
[[gnu::noinline]] void InfiniBandFabric::notify(PortIndex ingress, EndpointId destination, Time now) {
  InfiniBandPort& port = ports_[ingress];
  const std::uint32_t leaf = leaf_id(destination);
  PathBalancer& balancer = balancers_[port.owner];
  if (ports_[port.peer].has(kIsEndpoint) || port.has(kLinkDown) ||
      !balancer.claim_notification({.port = port.number, .leaf = leaf}, {port.wire_time(balancer.notify_from())},
                                   now)) {
    return;
  }
  const NotificationContent content{.leaf = leaf};
  const Time begin = port.transmission_start(now);
  if (port.has(kTapped)) [[unlikely]] {
    tap_->on_frame(ingress, Tap::Direction::kSent, CreditContent::record(), begin);
  }
  port.free_at = begin + port.wire_time(NotificationContent::kFrameBytes);
  InfiniBandPort& peer = ports_[port.peer];
  peer.control.push_back({port.free_at + port.control_delay, content.packed()});
  if (peer.needs_credit_events()) {
    schedule_credit_updates(peer, port.peer);
  }
}

void InfiniBandFabric::process_notification(InfiniBandPort& port, PortIndex index, std::uint32_t frame, Time at) {
  if (port.has(kHasErrors) && errors_[index]->damages(NotificationContent::kFrameBytes)) {
    ++port.symbol_errors;
    return;
  }
  if (!port.has(kIsEndpoint) && switches_[port.owner].balances) {
    PathBalancer& balancer = balancers_[port.owner];
    balancer.mark_congested({.port = port.number, .leaf = NotificationContent::unpacked(frame).leaf},
                            {port.wire_time(balancer.notify_from())}, at);
  }
}

PortChoices InfiniBandFabric::choices(PortIndex index, Time now) const {
  const InfiniBandPort& port = ports_[index];
  if (port.has(kIsEndpoint) || !switches_[port.owner].balances) {
    return {};
  }
  return balancers_[port.owner].choices(port.number, now);
}

}  // namespace weft::fabric
