// Leaves that restore the order of packets before hosts, and ConWeave's choice of paths, which needs them.
#include <algorithm>

#include "base/assert.h"
#include "fabric/ethernet/ethernet_fabric.h"
#include "fabric/ethernet/ethernet_fabric_admission.h"

namespace weft::fabric {
namespace {

/// A path that has more switches is none.
constexpr int kMostSwitches = 64;
constexpr std::uint32_t kMostPaths = 0xFFFF;
/// Waits of a flow that ended with packets missing, of which it is remembered which these are.
constexpr std::size_t kMostGivenUp = 256;

bool is_answer(ConWeaveKind kind) {
  return kind == ConWeaveKind::kReply || kind == ConWeaveKind::kClear || kind == ConWeaveKind::kNotify;
}

/// As start_transmission() counts it, of a port without traffic.
Duration idle_hop(const EthernetPort& port, std::uint32_t wire_bytes) {
  const std::uint32_t first_part =
      port.cut_through_bytes() != 0 ? std::min<std::uint32_t>(port.cut_through_bytes(), wire_bytes) : wire_bytes;
  return port.delay + port.wire_time(first_part);
}

}  // namespace

std::size_t OrderState::heap_bytes() const {
  std::size_t bytes = ports.capacity() * sizeof(OrderPort);
  for (const std::unique_ptr<LeafOrder>& leaf : leaves) {
    if (leaf != nullptr) {
      bytes += sizeof(LeafOrder) + leaf->source.heap_bytes() + leaf->destination.heap_bytes() +
               leaf->numbers.heap_bytes() + leaf->order.heap_bytes();
    }
  }
  return bytes;
}

void EthernetFabric::set_up_order() {
  const BalancingOptions& balancing = options_.switches[switches_.empty() ? 0 : switches_[0].profile].balancing;
  const auto is_conweave = [](const Switch& node) { return node.path == PathPolicy::kConWeave; };
  const bool conweave = std::ranges::any_of(switches_, is_conweave);
  WEFT_ASSERT(!conweave || (std::ranges::all_of(switches_, is_conweave) && balancing.reorder));  // they speak together
  if (!balancing.reorder) {
    return;
  }
  WEFT_ASSERT(balancing.reorder->queues > 0);
  order_ = std::make_unique<OrderState>();
  order_->options = *balancing.reorder;
  order_->is_conweave = conweave;
  order_->leaves.resize(switches_.size());
  order_->ports.resize(ports_.size());
  for (PortIndex index = 0; index < graph_.endpoints; ++index) {
    const std::uint32_t owner = ports_[ports_[index].peer].owner;
    std::unique_ptr<LeafOrder>& leaf = order_->leaves[owner];
    if (leaf == nullptr) {
      leaf = std::make_unique<LeafOrder>(balancing.conweave, switches_[owner].hash_seed);
      leaf->paths.resize(switches_.size());
    }
  }
  for (PortIndex index = graph_.endpoints; index < ports_.size(); ++index) {
    EthernetPort& port = ports_[index];
    if (order_->leaves[port.owner] != nullptr) {
      port.flags = static_cast<PortFlags>(port.flags | kExtended);
    }
  }
}

// Lengths and members of paths may be others.
void EthernetFabric::on_links_changed(Time) {
  if (order_ == nullptr) {
    return;
  }
  for (const std::unique_ptr<LeafOrder>& leaf : order_->leaves) {
    if (leaf != nullptr) {
      std::ranges::fill(leaf->paths, ConWeaveSource::Paths{});
    }
  }
}

// Paths of unequal lengths or numbers of hops behind the first one are taken for alike.
const ConWeaveSource::Paths& EthernetFabric::paths_to(std::uint32_t leaf, const wire::PacketCommon& common) {
  const std::uint32_t to = routes_.leaf_of(common.destination);
  ConWeaveSource::Paths& paths = order_->leaves[leaf]->paths[to];
  if (paths.round_trip != Duration::zero()) {
    return paths;
  }
  paths = {.leaf = to, .count = 1};
  constexpr std::uint32_t kAnswerBytes = wire::kEthernetMinFrame;
  std::uint32_t at = leaf;
  for (int i = 0; i < kMostSwitches && at != to; ++i) {
    const NextHops hops = routes_.next_hops(at, common.destination);
    if (hops.empty()) {
      break;
    }
    paths.count = std::min(paths.count * hops.size(), kMostPaths);
    const EthernetPort& out = ports_[switches_[at].first_port + hops[0]];
    const std::uint32_t largest = static_cast<std::uint32_t>(options_.ports[out.profile].mtu_frame.count());
    paths.round_trip += idle_hop(out, largest + gap_bytes_) + idle_hop(ports_[out.peer], kAnswerBytes + gap_bytes_);
    at = ports_[out.peer].owner;
  }
  return paths;
}

std::uint32_t EthernetFabric::choose_conweave(const EthernetPort& in, const Switch& node, const NextHops& hops,
                                              PacketHandle handle, Time now) {
  const wire::PacketCommon& common = packets_[handle].common;
  LeafHeader& header = order_->headers[handle];
  if (is_endpoint(in.peer) && (common.flags & wire::kControl) == 0) {
    const ConWeaveSource::Paths& paths = paths_to(in.owner, common);
    const ConWeaveSource::Sent sent = order_->leaves[in.owner]->source.send(LeafFlow::of(common), paths, now);
    header.conweave = sent.header;
    if (sent.begins) {
      balancer_of(in.owner).count_path(hops[sent.header.path % hops.size()],
                                       sent.moved ? PathBalancer::Began::kMoved : PathBalancer::Began::kNew);
    }
  }
  if (header.conweave.kind == ConWeaveKind::kNone || is_answer(header.conweave.kind)) {
    return in_order_hop(in, node, hops, common, nullptr);
  }
  const std::uint32_t egress = hops[header.conweave.rest % hops.size()];
  header.conweave.rest = static_cast<std::uint16_t>(header.conweave.rest / hops.size());
  return egress;
}

// What arrives at a leaf, from a host or from another switch. True: nothing more is to be done with it.
bool EthernetFabric::take_for_order(EthernetPort& port, PortIndex index, PacketHandle handle, Time now) {
  if (port.has(kIsEndpoint) || order_->leaves[port.owner] == nullptr) {
    return false;
  }
  const wire::Packet& packet = packets_[handle];
  LeafHeader& header = order_->headers[handle];
  LeafOrder& leaf = *order_->leaves[port.owner];
  if (is_endpoint(port.peer)) {
    header = {};
    if (!order_->is_conweave && !packet.has(wire::kCorrupted) &&
        routes_.leaf_of(packet.common.destination) != port.owner) {
      header.number = leaf.numbers.next(LeafFlow::of(packet.common));
      header.has_number = true;
    }
    return false;
  }
  if (routes_.leaf_of(packet.common.destination) != port.owner) {
    return false;
  }
  if (is_answer(header.conweave.kind)) {
    if (!packet.has(wire::kCorrupted)) {
      take_answer(leaf, packet.common, header, now);
    }
    packets_.release(handle);
    return true;
  }
  if (packet.has(wire::kCorrupted)) {
    return false;
  }
  if (order_->is_conweave) {
    return header.conweave.kind != ConWeaveKind::kNone && order_by_phase({port, index, leaf}, handle, now);
  }
  return header.has_number && order_by_number({port, index, leaf}, handle, now);
}

void EthernetFabric::take_answer(LeafOrder& leaf, const wire::PacketCommon& common, const LeafHeader& header,
                                 Time now) {
  if (header.conweave.kind == ConWeaveKind::kNotify) {
    const std::uint32_t other = routes_.leaf_of(common.source);
    return leaf.source.notify(other, header.conweave.path, now);
  }
  leaf.source.answer({.source = common.destination,
                      .destination = common.source,
                      .hash = common.flow_hash,
                      .priority = header.priority},
                     header.conweave, now);
}

// To the leaf of the flow's source, by the way that the hash of the flow names.
void EthernetFabric::send_answer(const Arrival& at, const LeafFlow& flow, const ConWeaveHeader& content, Time now) {
  const PacketHandle handle = packets_.allocate();
  wire::Packet& packet = packets_[handle];
  packet.common.kind = wire::PacketKind::kManagement;
  packet.common.source = flow.destination;
  packet.common.destination = flow.source;
  packet.common.frame_bytes = wire::kEthernetMinFrame;
  packet.common.wire_bytes = static_cast<std::uint16_t>(wire::kEthernetMinFrame + gap_bytes_);
  packet.common.priority = options_.control_priority;
  packet.common.flow_hash = flow.hash;
  packet.common.flags = wire::kControl;
  order_->headers[handle] = {.conweave = content, .priority = flow.priority};
  forward_later(at.port, handle, now);
}

bool EthernetFabric::order_by_phase(const Arrival& at, PacketHandle handle, Time now) {
  const wire::Packet& packet = packets_[handle];
  const LeafFlow flow = LeafFlow::of(packet.common);
  const ConWeaveHeader header = order_->headers[handle].conweave;
  if (packet.common.ecn == wire::Ecn::kCe) {
    send_answer(at, flow, {.path = header.path, .kind = ConWeaveKind::kNotify}, now);
  }
  const ConWeaveDestination::Verdict verdict = at.leaf.destination.on_packet(flow, header, now);
  if (verdict.answer != ConWeaveKind::kNone) {
    send_answer(at, flow, {.epoch = header.epoch, .kind = verdict.answer}, now);
  }
  if (verdict.release_before) {
    release_all(at.leaf, flow, now);
  }
  if (verdict.hold) {
    if (!hold(at, flow, handle, now)) {
      release_all(at.leaf, flow, now);
      clear(at, flow, now);
      return false;
    }
  } else if (verdict.release_after) {
    forward_later(at.port, handle, now);
    release_all(at.leaf, flow, now);
    return true;
  }
  if (const auto queue = at.leaf.queues.find(flow);
      queue != at.leaf.queues.end() && !verdict.until.is_never() && (!verdict.hold || queue->second.until.is_never())) {
    at.leaf.set_deadline(flow, queue->second, verdict.until);
    plan_order_timer(at.port.owner);
  }
  return verdict.hold;
}

// The order is what it is: the first leaf may begin a new epoch.
void EthernetFabric::clear(const Arrival& at, const LeafFlow& flow, Time now) {
  const std::uint32_t epoch = at.leaf.destination.give_up(flow);
  send_answer(at, flow, {.epoch = epoch, .kind = ConWeaveKind::kClear}, now);
}

bool EthernetFabric::order_by_number(const Arrival& at, PacketHandle handle, Time now) {
  const LeafFlow flow = LeafFlow::of(packets_[handle].common);
  const std::uint32_t number = order_->headers[handle].number;
  switch (at.leaf.order.take(flow, number)) {
    case SequenceOrder::Place::kLate:
      note_late(at, flow, number, now);
      return false;
    case SequenceOrder::Place::kEarly:
      if (hold(at, flow, handle, now)) {
        return true;
      }
      release_before(at.leaf, flow, number, now);
      at.leaf.order.skip_to(flow, number + 1);
      break;
    case SequenceOrder::Place::kDue:
      break;
  }
  if (!at.leaf.queues.contains(flow)) {
    return false;
  }
  forward_later(at.port, handle, now);
  release_due(at.leaf, flow, now);
  return true;
}

// It was not lost, so a longer wait would have kept the order. One that was given up for want of room had no wait.
void EthernetFabric::note_late(const Arrival& at, const LeafFlow& flow, std::uint32_t number, Time now) {
  const auto missing = at.leaf.given_up.find(flow);
  if (missing == at.leaf.given_up.end()) {
    return;
  }
  for (const GivenUpPackets& part : missing->second) {
    if (!SequenceOrder::is_before(number, part.from) && SequenceOrder::is_before(number, part.to)) {
      const PortIndex egress =
          switches_[at.port.owner].first_port + routes_.next_hops(at.port.owner, flow.destination)[0];
      OrderPort& counts = order_->ports[egress];
      ++counts.late;
      counts.latest = std::max(counts.latest, now - part.waited_since);
      return;
    }
  }
}

// False: no queue or no room is left, or the port leads nowhere, and the packet is as it was. Otherwise it waits, or
// the switch has dropped it as any other without room.
bool EthernetFabric::hold(const Arrival& at, const LeafFlow& flow, PacketHandle handle, Time now) {
  Switch& node = switches_[at.port.owner];
  wire::Packet& packet = packets_[handle];
  const PortIndex egress = node.first_port + routes_.next_hops(at.port.owner, flow.destination)[0];
  const EthernetPort& out = ports_[egress];
  OrderPort& counts = order_->ports[egress];
  const std::uint32_t size = packet.common.frame_bytes;
  const auto found = at.leaf.queues.find(flow);
  const bool is_first = found == at.leaf.queues.end();
  if (out.has(kLinkDown) || ((out.watchdog_tripped >> flow.priority) & 1U) != 0) {
    return false;
  }
  const std::optional<Bytes>& buffer = order_->options.buffer;
  if ((is_first && counts.queues == order_->options.queues) ||
      (buffer && counts.bytes + size > static_cast<std::uint64_t>(buffer->count()))) {
    ++counts.overflows;
    return false;
  }
  if (((at.port.flags | out.flags) & kRoutedHop) != 0 && --packet.common.hop_limit == 0) {
    drop(handle, drops_here().hop_limit, at.index);
    return true;
  }
  const Passage passage{.node = node, .ingress = at.index, .egress = egress, .priority = flow.priority};
  if (!admit(passage, size, now)) {
    refuse(passage, handle, packet, now);
    return true;
  }
  OrderQueue& queue = is_first ? at.leaf.queues[flow] : found->second;
  queue.egress = egress;
  const HeldPacket entry{.packet = handle,
                         .frame_bytes = static_cast<std::uint16_t>(size),
                         .ingress = at.port.number,
                         .number = order_->headers[handle].number,
                         .came = now};
  auto place = queue.packets.end();
  while (!order_->is_conweave && place != queue.packets.begin() &&
         SequenceOrder::is_before(entry.number, std::prev(place)->number)) {
    --place;
  }
  queue.packets.insert(place, entry);
  ++counts.held;
  counts.bytes += size;
  counts.bytes_peak = std::max(counts.bytes_peak, counts.bytes);
  counts.queues += is_first ? 1 : 0;
  counts.queues_peak = std::max(counts.queues_peak, counts.queues);
  if (is_first && !order_->is_conweave) {
    at.leaf.set_deadline(flow, queue, now + order_->options.wait);
    plan_order_timer(at.port.owner);
  }
  return true;
}

// The first of the queue goes to the egress queue; its room in the buffer goes with it.
void EthernetFabric::release_front(OrderQueue& queue, std::uint32_t priority, Time now) {
  const HeldPacket entry = queue.packets.front();
  queue.packets.pop_front();
  EthernetPort& out = ports_[queue.egress];
  Switch& node = switches_[out.owner];
  const PortIndex ingress = node.first_port + entry.ingress;
  order_->ports[queue.egress].bytes -= entry.frame_bytes;
  if (!out.has(kLinkDown)) {
    return append({.node = node, .ingress = ingress, .egress = queue.egress, .priority = priority}, entry.packet,
                  packets_[entry.packet], now);
  }
  drop(entry.packet, drops_here().link_down, ingress);
  if (node.buffer.release(group_of(ingress, priority), entry.frame_bytes)) {
    on_room(ingress, priority, entry.frame_bytes, now);
  }
}

void EthernetFabric::release_before(LeafOrder& leaf, const LeafFlow& flow, std::uint32_t number, Time now) {
  const auto found = leaf.queues.find(flow);
  if (found == leaf.queues.end()) {
    return;
  }
  while (!found->second.packets.empty() && SequenceOrder::is_before(found->second.packets.front().number, number)) {
    release_front(found->second, flow.priority, now);
  }
  close_if_empty(leaf, flow, now);
}

// Those that are expected now, one after the other.
void EthernetFabric::release_due(LeafOrder& leaf, const LeafFlow& flow, Time now) {
  const auto found = leaf.queues.find(flow);
  if (found == leaf.queues.end()) {
    return;
  }
  std::deque<HeldPacket>& packets = found->second.packets;
  while (!packets.empty() && leaf.order.take(flow, packets.front().number) != SequenceOrder::Place::kEarly) {
    release_front(found->second, flow.priority, now);
  }
  close_if_empty(leaf, flow, now);
}

void EthernetFabric::release_all(LeafOrder& leaf, const LeafFlow& flow, Time now) {
  const auto found = leaf.queues.find(flow);
  if (found == leaf.queues.end()) {
    return;
  }
  while (!found->second.packets.empty()) {
    release_front(found->second, flow.priority, now);
  }
  close_if_empty(leaf, flow, now);
}

// What still waits does so for packets before it, from when it came.
void EthernetFabric::close_if_empty(LeafOrder& leaf, const LeafFlow& flow, Time now) {
  OrderQueue& queue = leaf.queues.at(flow);
  if (queue.packets.empty()) {
    --order_->ports[queue.egress].queues;
    leaf.erase(flow);
    return;
  }
  const std::uint32_t owner = ports_[queue.egress].owner;
  leaf.set_deadline(flow, queue, later(now, queue.packets.front().came + order_->options.wait));
  plan_order_timer(owner);
}

void EthernetFabric::plan_order_timer(std::uint32_t ordinal) {
  const LeafOrder& leaf = *order_->leaves[ordinal];
  if (!leaf.queues.empty()) {
    kernel_.wake(switches_[ordinal].timer, sim::ActorId(kSwitchTimer, ordinal), leaf.first_deadline().first);
  }
}

// Waits that have lasted long enough. Gives when the next one has.
Time EthernetFabric::end_waits(std::uint32_t ordinal, Time now) {
  if (order_ == nullptr || order_->leaves[ordinal] == nullptr) {
    return Time::never();
  }
  LeafOrder& leaf = *order_->leaves[ordinal];
  while (!leaf.queues.empty() && leaf.first_deadline().first <= now) {
    const LeafFlow flow = leaf.first_deadline().second;
    OrderQueue& queue = leaf.queues.at(flow);
    ++order_->ports[queue.egress].timeouts;
    if (order_->is_conweave) {
      const PortIndex ingress = switches_[ordinal].first_port + queue.packets.front().ingress;
      release_all(leaf, flow, now);
      clear({ports_[ingress], ingress, leaf}, flow, now);
    } else {
      const HeldPacket& first = queue.packets.front();
      std::deque<GivenUpPackets>& missing = leaf.given_up[flow];
      const Time since = earlier(queue.until - order_->options.wait, first.came);
      missing.push_back({.from = leaf.order.expected(flow), .to = first.number, .waited_since = since});
      if (missing.size() > kMostGivenUp) {
        missing.pop_front();
      }
      leaf.order.skip_to(flow, first.number);
      release_due(leaf, flow, now);
    }
  }
  return leaf.queues.empty() ? Time::never() : leaf.first_deadline().first;
}

std::uint64_t EthernetFabric::packets_held() const {
  std::uint64_t held = 0;
  if (order_ != nullptr) {
    for (const std::unique_ptr<LeafOrder>& leaf : order_->leaves) {
      if (leaf != nullptr) {
        for (const auto& [flow, queue] : leaf->queues) {
          held += queue.packets.size();
        }
      }
    }
  }
  return held;
}

// Of each ingress group, the bytes that are in these queues.
void EthernetFabric::add_held(std::vector<std::uint64_t>& held) const {
  if (order_ == nullptr) {
    return;
  }
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    if (order_->leaves[ordinal] == nullptr) {
      continue;
    }
    for (const auto& [flow, queue] : order_->leaves[ordinal]->queues) {
      for (const HeldPacket& entry : queue.packets) {
        held[(switches_[ordinal].first_port + entry.ingress) * kPriorities + flow.priority] += entry.frame_bytes;
      }
    }
  }
}

}  // namespace weft::fabric
