// Between leaves: requests, grants, cells over all links, reassembly.
#include <algorithm>

#include "fabric/scheduled/scheduled_fabric.h"

namespace weft::fabric {

void ScheduledFabric::plan(Leaf& leaf, LeafEvent event) {
  event.number = ++leaf.events;
  leaf.agenda.push(event);
  kernel_.wake(switches_[leaf.ordinal].timer, sim::ActorId(kSwitchTimer, leaf.ordinal), event.at);
}

void ScheduledFabric::on_switch_timer(std::uint32_t ordinal, Time now) {
  if (!switches_[ordinal].timer.fires(now)) {
    return;
  }
  Leaf& leaf = leaf_at(ordinal);
  while (!leaf.agenda.empty() && leaf.agenda.top().at <= now) {
    const LeafEvent event = leaf.agenda.top();
    leaf.agenda.pop();
    take_event(leaf, event, now);
  }
  if (!leaf.agenda.empty()) {
    kernel_.wake(switches_[ordinal].timer, sim::ActorId(kSwitchTimer, ordinal), leaf.agenda.top().at);
  }
}

void ScheduledFabric::take_event(Leaf& leaf, const LeafEvent& event, Time now) {
  switch (event.kind) {
    case LeafEvent::Kind::kRequest:
      return on_request(event.destination, event.subject, event.bytes, now);
    case LeafEvent::Kind::kGrant:
      return on_grant(leaf, event.subject, event.bytes, now);
    case LeafEvent::Kind::kUplinks:
      leaf.next_feed = Time::never();
      return feed_uplinks(leaf, now);
    case LeafEvent::Kind::kSpines:
      return cross_spines(leaf, event.subject, now);
    case LeafEvent::Kind::kReassembled:
      return finish_transit(leaf, event.subject, now);
    case LeafEvent::Kind::kExpired:
      return expire_transit(event.subject, now);
  }
}

// By the first uplinks of both: requests and grants are small, and do not wait.
Duration ScheduledFabric::transit_time(const Leaf& from, const Leaf& to) const {
  if (&from == &to) {
    return Duration::zero();
  }
  return ports_[from.uplinks.front()].delay + ports_[ports_[to.uplinks.front()].peer].delay;
}

std::uint32_t ScheduledFabric::new_transit() {
  if (free_transits_.empty()) {
    transits_.emplace_back();
    return static_cast<std::uint32_t>(transits_.size()) - 1;
  }
  const std::uint32_t index = free_transits_.back();
  free_transits_.pop_back();
  return index;
}

void ScheduledFabric::send_cells(Leaf& leaf, PacketHandle handle, Time now) {
  const wire::PacketCommon& common = packets_[handle].common;
  const std::uint32_t index = new_transit();
  CellTransit& transit = transits_[index];
  transit.packet = handle;
  transit.frame_bytes = common.frame_bytes;
  transit.source = switches_[leaf.ordinal].leaf * kPriorities + common.priority;
  transit.destination = common.destination;
  transit.lost = false;
  transit.bundles.clear();
  Leaf& to = leaf_of(common.destination);
  const NextHops hops = routes_.next_hops(leaf.ordinal, common.destination);
  if (hops.empty()) {
    transit.lost = true;
    return plan(to, {.at = now + options_.reassembly_timeout,
                     .kind = LeafEvent::Kind::kExpired,
                     .destination = common.destination,
                     .subject = index,
                     .bytes = 0});
  }
  const std::uint32_t cells = cells_.cells_of(common.frame_bytes);
  const std::uint64_t bytes = cells_.wire_bytes_of(common.frame_bytes);
  std::uint64_t before = 0;  // cells
  Time first = Time::never();
  LeafPair& pair = leaf.pairs[switches_[to.ordinal].leaf];
  pair.sprayer.spray(cells, hops.size(), counts_, [&](std::uint32_t link, std::uint32_t count) {
    const PortIndex up = switches_[leaf.ordinal].first_port + hops[link];
    const auto own = static_cast<std::uint32_t>(bytes * (before + count) / cells - bytes * before / cells);
    before += count;
    transit.bundles.push_back(
        {.up = up, .down = 0, .cells = count, .bytes = own, .first_at = {}, .crossed_at = {}, .last_at = {}});
    put_on_uplink(transit, up, common.priority, now);
    first = earlier(first, transit.bundles.back().first_at);
  });
  ++ports_[transit.bundles.front().up].packets_sent;
  // In the order of sending, also where a later packet has found an idle uplink.
  pair.crossed = later(pair.crossed, first);
  plan(to, {.at = pair.crossed,
            .kind = LeafEvent::Kind::kSpines,
            .destination = common.destination,
            .subject = index,
            .bytes = 0});
}

void ScheduledFabric::put_on_uplink(CellTransit& transit, PortIndex up, std::uint32_t priority, Time now) {
  CellBundle& bundle = transit.bundles.back();
  ScheduledPort& port = ports_[up];
  const Time begin = port.transmission_start(now);
  port.free_at = begin + port.wire_time(bundle.bytes);
  bundle.first_at = begin + port.wire_time(bundle.bytes / bundle.cells) + port.delay;
  bundle.crossed_at = port.free_at + port.delay;
  transit.lost = transit.lost || port.has(kLinkDown);
  EgressQueue& queue = queue_of(up, priority);
  queue.peak_bytes = std::max(queue.peak_bytes, queued_bytes(up, now));
  count_cells(up, priority, bundle);
}

void ScheduledFabric::count_cells(PortIndex port, std::uint32_t priority, const CellBundle& bundle) {
  EgressQueue& queue = queue_of(port, priority);
  queue.tx_packets += bundle.cells;
  queue.tx_bytes += bundle.bytes;
}

// The first cell is in a spine: from here on, packets for this leaf come in the order in which they take its links.
void ScheduledFabric::cross_spines(Leaf& leaf, std::uint32_t index, Time now) {
  CellTransit& transit = transits_[index];
  const std::uint32_t priority = packets_[transit.packet].common.priority;
  Time complete = now;
  for (CellBundle& bundle : transit.bundles) {
    const std::uint32_t spine = ports_[ports_[bundle.up].peer].owner;
    const NextHops hops = routes_.next_hops(spine, transit.destination);
    if (hops.empty()) {
      transit.lost = true;
      continue;
    }
    // Of parallel cables, bundles take turns.
    bundle.down = switches_[spine].first_port + hops[hops.size() == 1 ? 0 : switches_[spine].sprayed++ % hops.size()];
    put_on_downlink(transit, bundle, priority);
    complete = later(complete, bundle.last_at);
  }
  if (!transit.bundles.empty() && transit.bundles.front().down != 0) {
    ++ports_[transit.bundles.front().down].packets_sent;
  }
  // Packets of one queue come out in the order in which they went in.
  std::vector<Time>& in_order = egress_[transit.destination.value()].in_order;
  if (transit.source >= in_order.size()) {
    in_order.resize(transit.source + 1);
  }
  complete = later(complete, in_order[transit.source]);
  in_order[transit.source] = complete;
  plan(leaf, {.at = complete,
              .kind = LeafEvent::Kind::kReassembled,
              .destination = transit.destination,
              .subject = index,
              .bytes = 0});
}

// A spine passes on cells that are whole; one after the other.
void ScheduledFabric::put_on_downlink(CellTransit& transit, CellBundle& bundle, std::uint32_t priority) {
  ScheduledPort& port = ports_[bundle.down];
  const Time begin = port.transmission_start(bundle.first_at);
  EgressQueue& queue = queue_of(bundle.down, priority);
  queue.peak_bytes =
      std::max(queue.peak_bytes, static_cast<std::uint32_t>(port.rate.bytes_in(begin - bundle.first_at).count()));
  const Duration last_cell = port.wire_time(bundle.bytes / bundle.cells);
  port.free_at = later(begin + port.wire_time(bundle.bytes), bundle.crossed_at + last_cell);
  bundle.last_at = port.free_at + port.delay;
  transit.lost = transit.lost || port.has(kLinkDown);
  count_cells(bundle.down, priority, bundle);
}

void ScheduledFabric::finish_transit(Leaf& leaf, std::uint32_t index, Time now) {
  CellTransit& transit = transits_[index];
  if (transit.lost) {
    return plan(leaf, {.at = now + options_.reassembly_timeout,
                       .kind = LeafEvent::Kind::kExpired,
                       .destination = transit.destination,
                       .subject = index,
                       .bytes = 0});
  }
  const PacketHandle handle = transit.packet;
  transit.packet = PacketHandle::invalid();
  free_transits_.push_back(index);
  leave(transit.source, handle, now);
}

void ScheduledFabric::expire_transit(std::uint32_t index, Time now) {
  CellTransit& transit = transits_[index];
  const EndpointId destination = transit.destination;
  EgressRecord& egress = egress_[destination.value()];
  ++egress.incomplete;
  egress.scheduler.arrive(transit.source, transit.frame_bytes);
  drop(transit.packet, drops_here().link_down, port_of(destination));
  transit.packet = PacketHandle::invalid();
  free_transits_.push_back(index);
  release_credit(destination, transit.frame_bytes, now);
}

// Of a cable that fails, this end of it: cells that are to leave by it, or are on it, are lost.
void ScheduledFabric::lose_cells(PortIndex index, Time now) {
  for (CellTransit& transit : transits_) {
    if (!transit.packet.is_valid()) {
      continue;
    }
    for (const CellBundle& bundle : transit.bundles) {
      transit.lost = transit.lost || (bundle.up == index && bundle.crossed_at > now) ||
                     (bundle.down == index && bundle.last_at > now);
    }
  }
}

}  // namespace weft::fabric
