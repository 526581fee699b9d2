// How an Ethernet fabric is laid out from its graph and options.
#include <algorithm>

#include "base/assert.h"
#include "base/format_quantity.h"
#include "fabric/core/fabric_core_definitions.h"
#include "fabric/ethernet/ethernet_control.h"
#include "fabric/ethernet/ethernet_fabric.h"
#include "fabric/ethernet/ingress_group.h"

namespace weft::fabric {

template class FabricCore<EthernetFabric, EthernetParts>;

namespace {

std::uint32_t narrow(Bytes bytes) { return static_cast<std::uint32_t>(bytes.count()); }

/// As a threshold of the shared buffer: none, so that every packet asks for the queue's own limit.
constexpr std::int8_t kNoShare = -63;

}  // namespace

Result<std::unique_ptr<EthernetFabric>> EthernetFabric::create(Graph graph, EthernetOptions options,
                                                               FabricContext context) {
  WEFT_ASSERT(!options.switches.empty() && !options.ports.empty());
  std::unique_ptr<EthernetFabric> fabric(new EthernetFabric(std::move(graph), std::move(options), context));
  fabric->lay_out(context.threads);
  fabric->lay_out_queues(context);
  fabric->set_up_departures();
  if (Result<void> able = fabric->set_up_link_control(); !able) {
    return pass_on(able);
  }
  if (!context.paths_alone) {
    fabric->set_up_queues(context.threads);
  }
  if (Result<void> sized = fabric->size_buffers(); !sized) {
    return pass_on(sized);
  }
  if (Result<void> able = fabric->set_up_telemetry(); !able) {
    return pass_on(able);
  }
  if (Result<void> able = fabric->set_up_conga(); !able) {
    return pass_on(able);
  }
  fabric->set_up_order();
  fabric->set_up_pinned();
  if (Result<void> able = fabric->set_up_control(); !able) {
    return pass_on(able);
  }
  return fabric;
}

void EthernetFabric::lay_out_queues(const FabricContext& context) {
  if (!context.paths_alone) {
    const std::size_t queues = ports_.size() * kPriorities;
    resize_populated(queues_, queues, context.threads);
    resize_populated(groups_, queues, context.threads);
    resize_populated(markers_, queues, context.threads);
    resize_populated(pauses_, ports_.size(), context.threads);
    port_drops_.resize(ports_.size());
  }
  gap_bytes_ = narrow(options_.frame_gap);
  for (EthernetPort& port : ports_) {
    port.control_delay += options_.ports[ports_[port.peer].profile].pause_response;
  }
  for (Switch& node : switches_) {
    node.hashes = !node.balances && node.path != PathPolicy::kSpray;
  }
  for (const EthernetPortOptions& profile : options_.ports) {
    std::uint8_t strict = 0;
    std::uint8_t lossless = 0;
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      strict = static_cast<std::uint8_t>(strict | (profile.priorities[p].dwrr_weight == 0 ? 1U << p : 0U));
      lossless = static_cast<std::uint8_t>(lossless | (profile.priorities[p].lossless ? 1U << p : 0U));
    }
    strict_.push_back(strict);
    lossless_.push_back(lossless);
  }
}

void EthernetFabric::set_up_queues(std::uint32_t threads) {
  in_parts(ports_.size(), {.threads = threads, .least = kPortsOfThread}, [this](std::size_t first, std::size_t last) {
    for (std::size_t index = first; index < last; ++index) {
      set_up_queues_of(static_cast<PortIndex>(index));
    }
  });
}

Result<void> EthernetFabric::size_buffers() {
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    Switch& node = switches_[ordinal];
    const Bytes buffer = options_.switches[node.profile].buffer;
    std::int64_t headroom = 0;
    std::int64_t reserve = 0;
    for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
      for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
        const IngressGroup& group = groups_.empty() ? empty_group(index, priority) : group_of(index, priority);
        headroom += group.headroom_limit;
        reserve += group.reserve;
      }
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

IngressGroup EthernetFabric::empty_group(PortIndex index, std::uint32_t p) const {
  const EthernetPort& port = ports_[index];
  const EthernetPortOptions& profile = options_.ports[port.profile];
  const bool has_retry = !controls_.empty() && controls_[port.peer].retry.is_on();
  // What LLR may bring after a pause: all that the peer's replay buffer holds, and what its latency has under way.
  const Bytes replay = has_retry ? Bytes(static_cast<std::int64_t>(controls_[port.peer].retry.buffer)) +
                                       port.rate.bytes_in(loop_of(port.peer).one_way * 2)
                                 : Bytes::zero();
  IngressGroup group =
      ingress_group(profile.priorities[p], {.rate = port.rate,
                                            .propagation = graph_.links[map_.link_of(index).value()].propagation,
                                            .pipeline = options_.switches[switches_[port.owner].profile].latency,
                                            .response = options_.ports[ports_[port.peer].profile].pause_response,
                                            .peer_frame = profile.mtu_frame,
                                            .local_frame = profile.mtu_frame,
                                            .replay = replay});
  if (receives_credits(index, p)) {
    group.lossless = true;  // by credits: nothing comes for which there is no room
    group.reserve = controls_[index].receives[p].buffer() * credit_unit(index);
    group.has_fixed_limit = true;
    group.fixed_limit = 0xFFFFFFFF;
  }
  return group;
}

void EthernetFabric::set_up_queues_of(PortIndex index) {
  const EthernetPort& port = ports_[index];
  const EthernetPortOptions& profile = options_.ports[port.profile];
  if (port.has(kIsEndpoint)) {
    return;
  }
  const std::uint64_t name = map_.port_hash(index);
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    const PriorityOptions& priority = profile.priorities[p];
    queue_of(index, p).alpha_shift = priority.egress_limit ? kNoShare : priority.egress_alpha_shift;
    group_of(index, p) = empty_group(index, p);
    if (priority.ecn) {
      markers_[index * kPriorities + p] = Red(*priority.ecn, name + p);
      if (profile.ecn_decision == EcnDecision::kStart) {
        queue_of(index, p).mark_above = narrow(std::min(priority.ecn->kmin, Bytes(0xFFFFFFFF)));
      }
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
  for (const EthernetPortOptions& profile : options_.ports) {
    if (profile.ecn_decision == EcnDecision::kEnd) {
      return fail("telemetry is written as a packet begins to leave, and marks are set at the end; only one will do");
    }
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

std::size_t EthernetFabric::heap_bytes() const {
  std::size_t bytes = core_heap_bytes() + queues_.capacity() * sizeof(EgressQueue) +
                      groups_.capacity() * sizeof(IngressGroup) + markers_.capacity() * sizeof(Red) +
                      pauses_.capacity() * sizeof(PauseRecord) + departures_.capacity() * sizeof(DepartureRecord);
  for (const EgressQueue& queue : queues_) {
    bytes += queue.packets.heap_bytes();
  }
  return bytes + (conga_ == nullptr ? 0 : conga_->heap_bytes()) + (order_ == nullptr ? 0 : order_->heap_bytes()) +
         (pinned_ == nullptr ? 0 : pinned_->heap_bytes());
}

}  // namespace weft::fabric
