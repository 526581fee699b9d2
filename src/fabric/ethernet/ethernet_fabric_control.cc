// Distributed control in an Ethernet fabric: its frames are packets between neighbouring switches, and the next hops of
// each switch are the entries that its own control has written.
#include <algorithm>

#include "base/assert.h"
#include "fabric/ethernet/ethernet_control.h"
#include "fabric/ethernet/ethernet_fabric.h"

namespace weft::fabric {

EthernetFabric::~EthernetFabric() = default;

EthernetControl::EthernetControl(EthernetFabric& fabric, std::unique_ptr<ControlPlane> made)
    : plane(std::move(made)), fabric_(fabric) {
  wakes.resize(fabric.graph().switches());
  losses.leaves.resize(fabric.graph().switches());
  is_cable_down.assign(fabric.graph().links.size(), false);
}

// As a packet from a port of the switch itself: it goes through the egress queue of its class like any other.
void EthernetControl::send(SwitchPort from, ControlFrame&& frame, Time now) {
  EthernetSwitch& node = fabric_.switches_[from.switch_ordinal];
  const PortIndex index = node.first_port + from.port;
  EthernetPort& out = fabric_.ports_[index];
  if (out.has(kLinkDown)) {
    ++losses.control_frames;
    return;
  }
  const std::uint8_t priority = plane->options().priority;
  const PacketHandle handle = fabric_.packets_.allocate();
  wire::Packet& packet = fabric_.packets_[handle];
  packet.common.kind = wire::PacketKind::kManagement;
  packet.common.source = packet.common.destination = EndpointId(0);  // of no meaning: the next switch takes it
  packet.common.frame_bytes = static_cast<std::uint16_t>(control_frame_bytes(frame));
  packet.common.wire_bytes = static_cast<std::uint16_t>(packet.common.frame_bytes + fabric_.gap_bytes_);
  packet.common.priority = priority;
  packet.common.flags = wire::kControl;
  frames_[handle.value()] = std::move(frame);
  if (out.queued == 0 && out.free_at <= now && ((out.blocked >> priority) & 1U) == 0 && out.pending_pauses == 0) {
    fabric_.start_packet(out, fabric_.queue_of(index, priority), handle, packet.common.frame_bytes, now);
  } else {
    fabric_.enqueue(out, index, handle, packet, now);
  }
}

void EthernetControl::write_entry(std::uint32_t switch_ordinal, std::uint32_t leaf,
                                  std::span<const std::uint16_t> ports) {
  fabric_.routes_.install({.switch_ordinal = switch_ordinal, .leaf = leaf}, ports);
  const EthernetSwitch& node = fabric_.switches_[switch_ordinal];
  for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
    fabric_.ports_[index].egress = kNoEgress;
  }
}

void EthernetControl::wake(std::uint32_t switch_ordinal, Time at) {
  fabric_.kernel_.wake(wakes[switch_ordinal], sim::ActorId(kControlPlane, switch_ordinal), at);
}

bool EthernetControl::comes_again(PacketHandle handle, std::uint32_t switch_ordinal) {
  Visits& visits = visits_[handle];
  const auto name = static_cast<std::uint16_t>(switch_ordinal + 1);
  const bool again = visits.looped == 0 && std::ranges::find(visits.last, name) != visits.last.end();
  visits.looped = static_cast<std::uint8_t>(visits.looped | (again ? 1 : 0));
  visits.last[visits.next] = name;
  visits.next = static_cast<std::uint8_t>((visits.next + 1U) % visits.last.size());
  return again;
}

// Every switch is a router: each takes a hop from a packet, so that one in a loop comes to an end.
Result<void> EthernetFabric::set_up_control() {
  if (!options_.control) {
    return {};
  }
  WEFT_ASSERT(options_.route_updates == LinkSchedule::RouteUpdates::kNone && order_ == nullptr && pinned_ == nullptr &&
              conga_ == nullptr && hash_groups().empty() && !options_.ports_stand_in);
  const std::uint8_t priority = options_.control->priority;
  for (const EthernetPortOptions& profile : options_.ports) {
    if (profile.priorities[priority].lossless || profile.priorities[priority].credits) {
      return fail("priority {} of the control plane's frames is lossless; give it a lossy one", priority);
    }
  }
  ControlPlane::Context context{.seed = seed(), .name_hash = {}, .events = options_.events};
  for (std::uint32_t ordinal = 0; ordinal < graph_.switches(); ++ordinal) {
    context.name_hash.push_back(map_.node_hash(NodeIndex(graph_.endpoints + ordinal)));
  }
  Result<std::unique_ptr<ControlPlane>> plane = ControlPlane::create(graph_, *options_.control, std::move(context));
  if (!plane) {
    return pass_on(plane);
  }
  control_ = std::make_unique<EthernetControl>(*this, std::move(*plane));
  for (PortIndex index = graph_.endpoints; index < ports_.size(); ++index) {
    ports_[index].flags = static_cast<PortFlags>(ports_[index].flags | kExtended | kRoutedHop);
  }
  return {};
}

void EthernetFabric::register_actors(sim::ActorOrder& ranks, std::span<const sim::PartitionIndex> partitions) {
  FabricCore::register_actors(ranks, partitions);
  if (control_ == nullptr) {
    return;
  }
  WEFT_ASSERT(partitions.empty());  // it reads and writes all switches
  for (std::uint32_t ordinal = 0; ordinal < switches_.size(); ++ordinal) {
    ranks.add({map_.node_hash(NodeIndex(graph_.endpoints + ordinal)), kControlPlane}, control_->wakes[ordinal]);
  }
}

void EthernetFabric::start_timers() {
  if (control_ != nullptr) {
    control_->plane->start(*control_);
  }
}

void EthernetFabric::on_control_plane(std::uint32_t switch_ordinal, Time now) {
  if (control_->wakes[switch_ordinal].fires(now)) {
    control_->plane->on_timer(switch_ordinal, now);
  }
}

// True: it was a frame of the control plane.
bool EthernetFabric::take_for_control(const EthernetPort& port, PortIndex index, PacketHandle handle, Time now) {
  if (port.has(kIsEndpoint)) {
    return false;
  }
  const wire::Packet& packet = packets_[handle];
  if (packet.common.kind != wire::PacketKind::kManagement) {
    control_->note_origin(handle,
                          is_endpoint(port.peer) ? EthernetControl::From::kHost : EthernetControl::From::kSwitch);
    if (control_->comes_again(handle, port.owner)) {
      if (const std::uint32_t leaf = routes_.leaf_of(packet.common.destination);
          leaf < control_->losses.leaves.size()) {
        ++control_->losses.leaves[leaf].looped;
      }
    }
    return false;
  }
  if (packet.has(wire::kCorrupted)) {
    drop(handle, drops_here().damaged, index);
    return true;
  }
  const ControlFrame frame = control_->take(handle);
  packets_.release(handle);
  control_->plane->on_frame({.switch_ordinal = port.owner, .port = port.number}, frame, now);
  return true;
}

// Of a cable that fails both ends are taken down, one after the other, and it is one event.
void EthernetFabric::note_cable(PortIndex end, Time now) {
  const LinkIndex link = map_.link_of(end);
  const bool is_down = ports_[end].has(kLinkDown);
  control_->is_failing = is_down;
  if (control_->is_cable_down[link.value()] == is_down) {
    return;
  }
  control_->is_cable_down[link.value()] = is_down;
  control_->plane->on_cable(link, is_down ? ReachMonitor::Cable::kDown : ReachMonitor::Cable::kUp, now);
}

void EthernetFabric::note_cable_done() { control_->is_failing = false; }

void EthernetFabric::count_control_loss(PacketHandle handle, const std::uint64_t& counter) {
  const wire::Packet& packet = packets_[handle];
  if (packet.common.kind == wire::PacketKind::kManagement) {
    ++control_->losses.control_frames;
    return;
  }
  const std::uint32_t leaf = routes_.leaf_of(packet.common.destination);
  if (leaf >= control_->losses.leaves.size()) {
    return;
  }
  const FabricDrops& drops = drops_here();
  LeafLosses& losses = control_->losses.leaves[leaf];
  if (&counter == &drops.hop_limit) {
    ++losses.hop_limit;
  } else if (&counter == &drops.unreachable || (&counter == &drops.link_down && !control_->is_failing)) {
    ++losses.black_hole;
  } else if (&counter == &drops.link_down) {
    ++losses.on_cable;
  }
}

ControlPlane* EthernetFabric::control_plane() const { return control_ == nullptr ? nullptr : control_->plane.get(); }

const ControlLosses* EthernetFabric::control_losses() const {
  return control_ == nullptr ? nullptr : &control_->losses;
}

}  // namespace weft::fabric
