#include "study/run/capture_tap.h"

#include <algorithm>
#include <array>

#include "base/nearest_word.h"
#include "base/stable_hash.h"
#include "fabric/ethernet/pause_content.h"
#include "fabric/routing/notification_content.h"
#include "study/run/collector_ports.h"
#include "study/world/end_addresses.h"
#include "wire/byte_order.h"
#include "wire/ethernet.h"
#include "wire/multicast.h"
#include "wire/tcp_codec.h"
#include "wire/uet_packet_codec.h"

namespace weft::study::run {
namespace {

using fabric::PortIndex;

std::vector<std::string> labels(const world::World& world) {
  std::vector<std::string> names(port_count(world));
  for (PortIndex port = 0; port < names.size(); ++port) {
    names[port] = port_label(world, port);
  }
  return names;
}

/// Between switches of a scheduled fabric.
bool carries_cells(const world::World& world, PortIndex port) {
  const auto is_of_switch = [&world](PortIndex index) {
    return world.fabric().end_of(index).node.value() >= world.graph().endpoints;
  };
  return world.fabric().get_if<fabric::ScheduledFabric>() != nullptr && is_of_switch(port) &&
         is_of_switch(world.fabric().peer_of(port));
}

/// What packets to a group have as their destination.
wire::EndAddresses group_addresses(EndpointId destination) {
  const std::uint16_t lid = wire::multicast_lid(destination);
  return {.ipv6 = wire::multicast_gid(lid), .lid = lid};
}

}  // namespace

Result<PortIndex> find_port(const world::World& world, std::string_view name) {
  const std::vector<std::string> names = labels(world);
  // "leaf1/3" is short for "leaf1/port3", and "host3/nic0/port0" for what has only one.
  std::string whole(name);
  if (const std::size_t slash = whole.rfind('/'); slash != std::string::npos) {
    const std::string last = whole.substr(slash + 1);
    if (!last.empty() && std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; })) {
      whole.insert(slash + 1, "port");
    }
  }
  for (const std::string& wanted : {std::string(name), whole}) {
    for (PortIndex port = 0; port < names.size(); ++port) {
      if (names[port] == wanted || names[port] + "/port0" == wanted) {
        return port;
      }
    }
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::optional<std::string_view> nearest = nearest_word(whole, views);
  return fail("no port is named '{}'{}; ports are named like '{}' and '{}'", name,
              nearest ? fmt::format("; did you mean '{}'?", *nearest) : "", names.front(), names.back());
}

Result<std::unique_ptr<CaptureTap>> CaptureTap::open(world::World& world, std::uint64_t seed,
                                                     const std::vector<CaptureRequest>& requests) {
  if (world.attacks() != nullptr) {
    return fail(
        "{}: no captures beside attacks, whose switches look at packets in their place; set keys.attacks = false",
        requests.empty() ? std::string("capture") : requests.front().port);
  }
  std::unique_ptr<CaptureTap> tap(new CaptureTap(world));
  const auto* const infiniband = world.fabric().get_if<fabric::InfiniBandFabric>();
  tap->addresses_ = world::end_addresses(world.graph(), seed,
                                         infiniband == nullptr ? std::uint8_t{0} : infiniband->lid_mask_control());
  std::vector<PortIndex> ports;
  for (const CaptureRequest& request : requests) {
    Result<PortIndex> port = find_port(world, request.port);
    if (!port) {
      return pass_on(port);
    }
    if (carries_cells(world, *port)) {
      return fail(
          "{}: links between switches of a scheduled fabric carry cells, which cannot be captured; name a port "
          "of a host, or a leaf's port to one",
          request.port);
    }
    ports.push_back(*port);
  }
  const wire::LinkType link_type = world.fabric().link_type();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Result<wire::PcapngWriter> writer = wire::PcapngWriter::create(requests[i].file);
    if (!writer) {
      return pass_on(writer);
    }
    Result<wire::CaptureInterface> where = writer->add_interface(port_label(world, ports[i]), link_type);
    if (!where) {
      return pass_on(where);
    }
    Capture capture{.port = ports[i], .mac = {}, .peer_mac = {}, .writer = std::move(*writer), .where = *where};
    if (link_type == wire::LinkType::kEthernet) {
      capture.mac = world::mac_of(stable_hash(seed, port_label(world, ports[i])));
      capture.peer_mac = world::mac_of(stable_hash(seed, port_label(world, world.fabric().peer_of(ports[i]))));
    }
    tap->captures_.push_back(std::move(capture));
  }
  for (std::uint32_t i = 0; i < world.graph().endpoints; ++i) {
    world.nic(EndpointId(i)).device().set_uet_full_headers();
  }
  if (ports.size() > 1) {
    world.force_total_order();
  }
  world.fabric().set_tap(tap.get(), ports);
  return tap;
}

void CaptureTap::fill_pause(const Capture& capture, Direction direction, const wire::Packet& packet) {
  const auto content = fabric::PauseContent::load(packet);
  wire::PfcFrame frame;
  frame.source = direction == Direction::kSent ? capture.mac : capture.peer_mac;
  frame.enabled = content.enabled;
  frame.quanta = content.quanta;
  bytes_.resize(wire::PfcFrame::kSize);
  frame.emit(bytes_);
}

// A frame of the EtherType for local experiments, with the name of the leaf in front of the padding.
void CaptureTap::fill_notification(const Capture& capture, Direction direction, const wire::Packet& packet) {
  constexpr std::uint16_t kLocalExperimental = 0x88B5;
  bytes_.assign(wire::EthernetHeader::kMinFrameWithoutFcs, std::byte{0});
  wire::EthernetHeader header;
  header.source = direction == Direction::kSent ? capture.mac : capture.peer_mac;
  header.destination = direction == Direction::kSent ? capture.peer_mac : capture.mac;
  header.ether_type = kLocalExperimental;
  header.emit(bytes_);
  wire::store_be32(bytes_, wire::EthernetHeader::kSize, fabric::NotificationContent::load(packet).leaf);
}

void CaptureTap::fill_uet(const wire::Packet& packet, const wire::ColdPacket& cold, const wire::Addresses& ends) {
  static constexpr std::array<std::byte, wire::uet::UetFrame::kMaxPayload> kCiphertext{};
  wire::uet::UetFrame frame = wire::to_uet_frame(packet, cold, {}, ends);
  const std::uint16_t security = world_.nic(packet.common.source).options().device.uet.sizes.security;
  if (security != 0) {
    const std::size_t encrypted = size_of(*frame.pds) + frame.ses.size() + frame.payload.size();
    wire::uet::TssHeader header;
    header.has_source = security == wire::uet::tss_overhead({.has_source = true});
    frame.tss = header;
    frame.pds.reset();
    frame.ses = {};
    frame.payload = std::span(kCiphertext).first(encrypted);
    seal_frame(frame);
  }
  bytes_.resize(wire::uet::emitted_size(frame));
  wire::uet::emit_frame(frame, bytes_);
}

void CaptureTap::fill_packet(const wire::Packet& packet) {
  const wire::ColdPacket cold = packet.has(wire::kHasCold) ? world_.packets().cold_of(packet) : wire::ColdPacket{};
  const EndpointId destination = packet.common.destination;
  const wire::Addresses ends{
      .source = addresses_[packet.common.source.value()],
      .destination = wire::is_multicast(destination) ? group_addresses(destination) : addresses_[destination.value()]};
  if (packet.common.kind == wire::PacketKind::kTcp) {
    const wire::TcpFrame frame = wire::to_tcp_frame(packet, cold, {}, ends);
    bytes_.resize(wire::emitted_size(frame));
    wire::emit_tcp_frame(frame, bytes_);
    return;
  }
  if (packet.common.kind == wire::PacketKind::kUet) {
    fill_uet(packet, cold, ends);
    return;
  }
  const wire::RdmaFrame frame = wire::to_frame(packet, cold, {}, ends);
  bytes_.resize(wire::emitted_size(frame));
  wire::emit_frame(frame, bytes_);
}

void CaptureTap::on_frame(PortIndex port, Direction direction, const wire::Packet& packet, Time at) {
  const bool link_control = packet.common.kind == wire::PacketKind::kFlowControl;
  if (packet.has(wire::kCorrupted) || (link_control && world_.fabric().link_type() != wire::LinkType::kEthernet)) {
    return;
  }
  // What leaves tell each other in packets (ConWeave): its form is not published.
  if (packet.common.kind == wire::PacketKind::kManagement && packet.common.destination.is_valid()) {
    return;
  }
  for (Capture& capture : captures_) {
    if (capture.port != port) {
      continue;
    }
    if (packet.common.kind == wire::PacketKind::kManagement) {
      fill_notification(capture, direction, packet);
    } else if (link_control) {
      fill_pause(capture, direction, packet);
    } else {
      fill_packet(packet);
    }
    if (direction == Direction::kSent || capture.held_at <= at) {
      write_held(capture);
    }
    if (direction == Direction::kSent) {
      std::swap(capture.held, bytes_);
      capture.held_at = at;
    } else {
      (void)capture.writer.write(capture.where, at, bytes_);
    }
  }
}

// The writer keeps its first error for close().
void CaptureTap::write_held(Capture& capture) {
  if (!capture.held_at.is_never()) {
    (void)capture.writer.write(capture.where, capture.held_at, capture.held);
    capture.held_at = Time::never();
  }
}

Result<void> CaptureTap::close() {
  Result<void> result;
  for (Capture& capture : captures_) {
    write_held(capture);
    Result<void> closed = capture.writer.close();
    if (result && !closed) {
      result = std::move(closed);
    }
  }
  return result;
}

}  // namespace weft::study::run
