// Choice among equal paths beyond a hash per flow, and the notifications by which switches tell each other of
// congestion.
#include "fabric/ethernet/ethernet_fabric.h"
#include "fabric/routing/notification_content.h"
#include "fabric/routing/path_choice.h"
#include "wire/encapsulation.h"

namespace weft::fabric {

void EthernetFabric::set_up_balancers() {
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    Switch& node = switches_[ordinal];
    if (!node.balances) {
      continue;
    }
    const EthernetSwitchOptions& profile = options_.switches[node.profile];
    balancers_.resize(switches_.size());
    balancers_[ordinal] =
        PathBalancer({.policy = profile.path, .ports = node.ports, .seed = node.hash_seed}, profile.balancing);
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
void EthernetFabric::compute_port_weights() {
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

[[gnu::noinline]] std::uint32_t EthernetFabric::balance(EthernetPort& in, Switch& node, const NextHops& hops,
                                                        const wire::PacketCommon& common, Time now) {
  PathBalancer& balancer = balancers_[in.owner];
  const bool weighs = options_.switches[node.profile].balancing.weights_by_capacity;
  const std::uint32_t* weights = weighs ? weights_.of(in.owner, routes_.leaf_of(common.destination)) : nullptr;
  if (balancer.keeps_in_order(common.flags)) {
    return hops[pick_weighted(weights, hops.size(), switch_hash(common.flow_hash, node.hash_seed))];
  }
  const PathBalancer::Choice made = balancer.choose(
      hops, {.flow_hash = common.flow_hash, .leaf = leaf_id(common.destination), .weights = weights, .now = now},
      [&](std::uint32_t number) {
        const EthernetPort& port = ports_[node.first_port + number];
        return depth_of(port.queued_bytes, port.free_at > now);
      });
  if (made.all_congested) [[unlikely]] {
    notify(node.first_port + in.number, common.destination, now);
  }
  return made.port;
}

// At once if the wire is idle, otherwise as soon as it is, in front of all that waits.
[[gnu::noinline]] void EthernetFabric::notify(PortIndex ingress, EndpointId destination, Time now) {
  EthernetPort& port = ports_[ingress];
  const std::uint32_t leaf = leaf_id(destination);
  PathBalancer& balancer = balancers_[port.owner];
  if (ports_[port.peer].has(kIsEndpoint) || port.has(kLinkDown) ||
      !balancer.claim_notification({.port = port.number, .leaf = leaf}, {port.wire_time(balancer.notify_from())},
                                   now)) {
    return;
  }
  constexpr std::uint32_t kWireBytes = NotificationContent::kFrameBytes + wire::kEthernetGapBytes;
  const PacketHandle handle = packets_.allocate();
  wire::Packet& frame = packets_[handle];
  frame.common.kind = wire::PacketKind::kManagement;
  frame.common.frame_bytes = NotificationContent::kFrameBytes;
  frame.common.wire_bytes = kWireBytes;
  NotificationContent{.leaf = leaf}.store(frame);
  const Time begin = port.transmission_start(now);
  if (port.has(kTapped)) [[unlikely]] {
    tap_->on_frame(ingress, Tap::Direction::kSent, frame, begin);
  }
  start_control_transmission(kernel_, port, ports_[port.peer], port.peer, handle, kWireBytes, begin);
}

void EthernetFabric::process_notification(EthernetPort& port, const wire::Packet& frame, Time now) {
  if (!frame.has(wire::kCorrupted) && !port.has(kIsEndpoint) && switches_[port.owner].balances) {
    PathBalancer& balancer = balancers_[port.owner];
    balancer.mark_congested({.port = port.number, .leaf = NotificationContent::load(frame).leaf},
                            {port.wire_time(balancer.notify_from())}, now);
  }
}

PortChoices EthernetFabric::choices(PortIndex index, Time now) const {
  const EthernetPort& port = ports_[index];
  if (port.has(kIsEndpoint) || !switches_[port.owner].balances) {
    return {};
  }
  return balancers_[port.owner].choices(port.number, now);
}

}  // namespace weft::fabric
