// How a scheduled fabric is laid out from its graph and options.
#include <algorithm>

#include "base/format_quantity.h"
#include "base/stable_hash.h"
#include "fabric/core/fabric_core_definitions.h"
#include "fabric/ethernet/ingress_group.h"
#include "fabric/routing/conga.h"
#include "fabric/scheduled/scheduled_fabric.h"

namespace weft::fabric {

template class FabricCore<ScheduledFabric, ScheduledParts>;

namespace {

/// What the counters of a queue hold.
constexpr std::int64_t kLargestLeafBuffer = 4'000'000'000;
/// Uplinks take the next packet while they have so many cells to send yet, which evens out whose turn it is.
constexpr std::int64_t kCellsAhead = 8;

std::uint32_t in_32_bits(Bytes bytes) { return static_cast<std::uint32_t>(bytes.count()); }

}  // namespace

Result<std::unique_ptr<ScheduledFabric>> ScheduledFabric::create(Graph graph, ScheduledOptions options,
                                                                 FabricContext context) {
  WEFT_ASSERT(!options.switches.empty() && !options.ports.empty());
  if (Result<void> able = check_two_tiers(graph); !able) {
    return fail("a scheduled fabric: {}", able.error().message);
  }
  std::unique_ptr<ScheduledFabric> fabric(new ScheduledFabric(std::move(graph), std::move(options), context));
  if (Result<void> able = fabric->check_options(); !able) {
    return pass_on(able);
  }
  fabric->lay_out(context.threads);
  fabric->lay_out_leaves();
  if (Result<void> sized = fabric->size_buffers(); !sized) {
    return pass_on(sized);
  }
  fabric->set_up_schedulers();
  return fabric;
}

Result<void> ScheduledFabric::check_options() const {
  const CellOptions& cell = options_.cell;
  if (cell.header.count() < 0 || cell.header >= cell.size || cell.size.count() > 0xFFFF) {
    return fail("cells of {} with a header of {}: the header must be less, and a cell at most 65535 B",
                to_string(cell.size), to_string(cell.header));
  }
  if (options_.credit.egress_buffer < options_.credit.size) {
    return fail("an egress buffer of {} is less than a credit, {}", to_string(options_.credit.egress_buffer),
                to_string(options_.credit.size));
  }
  for (std::size_t link = 0; link < graph_.links.size(); ++link) {
    const Link& cable = graph_.links[link];
    const bool is_inner = cable.a.node.value() >= graph_.endpoints && cable.b.node.value() >= graph_.endpoints;
    const bool degrades = std::ranges::any_of(options_.events, [link](const LinkEvent& event) {
      return event.link.value() == link &&
             (event.bit_error_rate > Probability::zero() || event.added_latency > Duration::zero());
    });
    if (is_inner && (degrades || rate_of_link(options_.bit_error_rate, link) > Probability::zero() ||
                     rate_of_link(options_.packet_error_rate, link) > Probability::zero())) {
      return fail(
          "{} - {}: errors, and latency of error correction, on links between switches are not modelled for "
          "cells; let them be on host links",
          graph_[cable.a.node].name, graph_[cable.b.node].name);
    }
  }
  return {};
}

void ScheduledFabric::lay_out_leaves() {
  const std::size_t queues = ports_.size() * kPriorities;
  queues_.resize(queues);
  groups_.resize(queues);
  pauses_.resize(ports_.size());
  drops_at_.resize(ports_.size());
  egress_.resize(graph_.endpoints);
  gap_bytes_ = in_32_bits(options_.frame_gap);
  cells_ = {.size = in_32_bits(options_.cell.size), .header = in_32_bits(options_.cell.header)};
  excess_ = static_cast<std::int64_t>(options_.credit.excess.raw() / (Probability::kOne / 1'000));
  for (ScheduledPort& port : ports_) {
    port.control_delay += options_.ports[ports_[port.peer].profile].pause_response;
  }
  for (const EthernetPortOptions& profile : options_.ports) {
    std::uint32_t strict = 0;
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      strict |= profile.priorities[p].dwrr_weight == 0 ? 1U << p : 0U;
    }
    strict_.push_back(strict);
  }
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    lay_out_leaf(ordinal);
  }
  for (Leaf& leaf : leaves_) {
    for (std::uint32_t to = 0; to < leaves_.size(); ++to) {
      const std::uint64_t name = map_.node_hash(NodeIndex(graph_.endpoints + leaf.ordinal));
      const std::uint64_t other = map_.node_hash(NodeIndex(graph_.endpoints + leaves_[to].ordinal));
      leaf.pairs.push_back({.sprayer = CellSprayer(name ^ (other << 1U)), .crossed = {}});
    }
    measure_links(leaf);
  }
}

void ScheduledFabric::lay_out_leaf(std::uint32_t ordinal) {
  Switch& node = switches_[ordinal];
  std::vector<PortIndex> uplinks;
  for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
    if (is_fabric_port(index)) {
      uplinks.push_back(index);
    }
  }
  if (uplinks.size() == node.ports) {
    return;  // a spine
  }
  node.leaf = static_cast<std::uint32_t>(leaves_.size());
  Leaf& leaf = leaves_.emplace_back();
  leaf.ordinal = ordinal;
  leaf.rows.assign(graph_.endpoints, Leaf::kNoRow);
  leaf.uplinks = std::move(uplinks);
  const std::uint64_t name = map_.node_hash(NodeIndex(graph_.endpoints + ordinal));
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    const std::optional<RedOptions>& ecn = options_.ports[ports_[node.first_port].profile].priorities[p].ecn;
    leaf.markers.push_back(ecn ? Red(*ecn, name + p) : Red());
  }
}

// Whether cables are known to be down is what routes of spines say: a leaf's own cable leads to its own endpoints.
void ScheduledFabric::measure_links(Leaf& leaf) {
  std::uint32_t usable = 0;
  Rate slowest = Rate::max();
  const Switch& node = switches_[leaf.ordinal];
  std::optional<EndpointId> own;
  for (PortIndex index = node.first_port; index < node.first_port + node.ports && !own; ++index) {
    const PortIndex peer = ports_[index].peer;
    if (is_endpoint(peer) && routes_.leaf_of(EndpointId(peer)) == leaf.ordinal) {
      own = EndpointId(peer);
    }
  }
  for (const PortIndex index : leaf.uplinks) {
    const ScheduledPort& far = ports_[ports_[index].peer];
    const NextHops back = own ? routes_.next_hops(far.owner, *own) : NextHops();
    if (std::ranges::find(back, far.number) != back.end()) {
      ++usable;
      slowest = std::min({slowest, far.rate, ports_[index].rate});
    }
  }
  if (usable == 0) {
    return;  // nothing comes or goes; the last figures do
  }
  // Every link gets as much as the slowest.
  leaf.fabric_rate = slowest * usable;
  leaf.lead =
      std::max(slowest.transmit_time(options_.cell.size) * kCellsAhead,
               leaf.fabric_rate.transmit_time(Bytes(cells_.wire_bytes_of(in_32_bits(options_.credit.size)))) * 2);
}

void ScheduledFabric::on_links_changed(Time) {
  for (Leaf& leaf : leaves_) {
    measure_links(leaf);
  }
}

Result<void> ScheduledFabric::size_buffers() {
  for (Leaf& leaf : leaves_) {
    const Switch& node = switches_[leaf.ordinal];
    const Bytes buffer = options_.switches[node.profile].buffer;
    if (buffer.count() > kLargestLeafBuffer) {
      return fail("{}: a buffer of {}; of a leaf of a scheduled fabric it is at most 4 GB",
                  graph_.nodes[graph_.endpoints + leaf.ordinal].name, to_string(buffer));
    }
    std::int64_t taken = 0;
    for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
      if (!is_fabric_port(index)) {
        set_up_group(index);
      }
      for (std::uint32_t p = 0; p < kPriorities; ++p) {
        taken += std::int64_t{group_of(index, p).headroom_limit} + group_of(index, p).reserve;
      }
    }
    if (taken > buffer.count()) {
      return fail("{}: a buffer of {} cannot hold {} of headroom and reserves for its {} host ports",
                  graph_.nodes[graph_.endpoints + leaf.ordinal].name, to_string(buffer), to_string(Bytes(taken)),
                  node.ports - leaf.uplinks.size());
    }
    leaf.buffer = SharedBuffer(buffer.count() - taken);
  }
  return {};
}

void ScheduledFabric::set_up_group(PortIndex index) {
  const ScheduledPort& port = ports_[index];
  const EthernetPortOptions& profile = options_.ports[port.profile];
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    group_of(index, p) =
        ingress_group(profile.priorities[p], {.rate = port.rate,
                                              .propagation = graph_.links[map_.link_of(index).value()].propagation,
                                              .pipeline = options_.switches[switches_[port.owner].profile].latency,
                                              .response = options_.ports[ports_[port.peer].profile].pause_response,
                                              .peer_frame = profile.mtu_frame,
                                              .local_frame = profile.mtu_frame});
  }
}

void ScheduledFabric::set_up_schedulers() {
  for (std::uint32_t i = 0; i < graph_.endpoints; ++i) {
    CreditScheduler::Options own{.credit = in_32_bits(options_.credit.size),
                                 .egress_buffer = in_32_bits(options_.credit.egress_buffer),
                                 .weights = {}};
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      own.weights[p] = options_.ports[ports_[port_of(EndpointId(i))].profile].priorities[p].dwrr_weight;
    }
    egress_[i].scheduler = CreditScheduler(own);
  }
}

std::size_t ScheduledFabric::heap_bytes() const {
  std::size_t bytes = core_heap_bytes() + queues_.capacity() * sizeof(EgressQueue) +
                      groups_.capacity() * sizeof(IngressGroup) + pauses_.capacity() * sizeof(PauseRecord) +
                      egress_.capacity() * sizeof(EgressRecord) + transits_.capacity() * sizeof(CellTransit);
  for (const Leaf& leaf : leaves_) {
    bytes += leaf.rows.capacity() * sizeof(leaf.rows[0]) + leaf.voqs.capacity() * sizeof(Voq) +
             leaf.pairs.capacity() * sizeof(LeafPair) + leaf.agenda.entries().capacity() * sizeof(LeafEvent);
    for (const Voq& voq : leaf.voqs) {
      bytes += voq.packets.heap_bytes();
    }
  }
  for (const EgressRecord& egress : egress_) {
    bytes += egress.scheduler.heap_bytes() + egress.in_order.capacity() * sizeof(Time);
  }
  for (const CellTransit& transit : transits_) {
    bytes += transit.bundles.capacity() * sizeof(CellBundle);
  }
  return bytes;
}

}  // namespace weft::fabric
