// Paths that are pinned, by a rule or by a controller, in an Ethernet fabric; what has no pinned path, or one that
// leads nowhere since a link failed, goes by the hash of its flow.
#include <algorithm>

#include "base/assert.h"
#include "fabric/ethernet/ethernet_fabric.h"
#include "fabric/routing/path_choice.h"
#include "fabric/routing/path_pinning.h"

namespace weft::fabric {

void EthernetFabric::set_up_pinned() {
  const auto by_rule = [](const Switch& node) { return node.path == PathPolicy::kPinned; };
  const auto centrally = [](const Switch& node) { return node.path == PathPolicy::kCentral; };
  const bool has_rule = std::ranges::any_of(switches_, by_rule);
  const bool is_central = std::ranges::any_of(switches_, centrally);
  if (!has_rule && !is_central) {
    return;
  }
  WEFT_ASSERT(!has_rule || !is_central);
  pinned_ = std::make_unique<PinnedState>();
  pinned_->counters.resize(switches_.size());
  if (has_rule) {
    pinned_->wired.emplace(graph_, options_.route_rule);
    return;
  }
  for (const Switch& node : switches_) {
    pinned_->tables.emplace_back(options_.switches[node.profile].balancing.pinned_entries);
  }
  pinned_->meters.resize(switches_.size());
}

void EthernetFabric::set_controller(FlowController& controller) {
  WEFT_ASSERT(pinned_ != nullptr && !pinned_->tables.empty());
  pinned_->controller = &controller;
  plan_fabric_timer();
}

Time EthernetFabric::next_round() const {
  return pinned_ == nullptr || pinned_->controller == nullptr ? Time::never() : pinned_->controller->next();
}

EthernetFabric::PinnedPort EthernetFabric::pinned_port(std::uint32_t switch_ordinal, const NextHops& hops,
                                                       const LeafFlow& flow) const {
  const std::uint64_t seed = switches_[switch_ordinal].hash_seed;
  std::optional<std::uint16_t> named;
  if (pinned_->wired) {
    named = fabric::pinned_port(graph_, *pinned_->wired, switch_ordinal, flow.destination);
  } else {
    named = pinned_->tables[switch_ordinal].find(flow);
  }
  if (named && std::ranges::find(hops, *named) != hops.end()) {
    return {.port = *named, .by = PinnedPort::By::kRule};
  }
  return {.port = ecmp(hops, switch_hash(flow.hash, seed)),
          .by = named ? PinnedPort::By::kFallback : PinnedPort::By::kHash};
}

std::uint32_t EthernetFabric::choose_pinned(const EthernetPort& in, const NextHops& hops,
                                            const wire::PacketCommon& common) {
  const PinnedPort chosen = pinned_port(in.owner, hops, LeafFlow::of(common));
  PinnedCounters& counters = pinned_->counters[in.owner];
  ++(chosen.by == PinnedPort::By::kRule   ? counters.pinned
     : chosen.by == PinnedPort::By::kHash ? counters.hashed
                                          : counters.fallbacks);
  return chosen.port;
}

std::uint32_t EthernetFabric::choose_central(const EthernetPort& in, const NextHops& hops,
                                             const wire::PacketCommon& common, Time now) {
  if (is_endpoint(in.peer) && pinned_->meters[in.owner].add(LeafFlow::of(common), common.frame_bytes) &&
      pinned_->controller != nullptr) {
    pinned_->controller->on_traffic(now);
    plan_fabric_timer();
  }
  return choose_pinned(in, hops, common);
}

}  // namespace weft::fabric
