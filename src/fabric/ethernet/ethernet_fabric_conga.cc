// CONGA in an Ethernet fabric: what leaves and spines do with the packets between two leaves.
#include <algorithm>

#include "base/assert.h"
#include "fabric/ethernet/ethernet_fabric.h"

namespace weft::fabric {

// Cables between switches alone: those of endpoints are on every path of their endpoint.
Result<void> EthernetFabric::set_up_conga() {
  const auto has_it = [](const Switch& node) { return node.path == PathPolicy::kConga; };
  if (std::ranges::none_of(switches_, has_it)) {
    return {};
  }
  if (Result<void> able = check_two_tiers(graph_); !able) {
    return able;
  }
  WEFT_ASSERT(std::ranges::all_of(switches_, has_it));  // they speak to each other
  conga_ = std::make_unique<CongaState>();
  conga_->options = options_.switches[switches_[0].profile].balancing.conga;
  conga_->leaf_number.assign(switches_.size(), CongaState::kSpine);
  conga_->tag.assign(ports_.size(), CongaHeader::kNone);
  conga_->links.resize(ports_.size());
  CongestionTables::Size size;
  for (PortIndex index = 0; index < graph_.endpoints; ++index) {
    std::uint32_t& leaf = conga_->leaf_number[ports_[ports_[index].peer].owner];
    leaf = leaf == CongaState::kSpine ? size.leaves++ : leaf;
  }
  std::vector<std::uint8_t> uplinks(switches_.size());
  for (PortIndex index = graph_.endpoints; index < ports_.size(); ++index) {
    EthernetPort& port = ports_[index];
    if (is_endpoint(port.peer)) {
      continue;
    }
    port.flags = static_cast<PortFlags>(port.flags | kExtended);
    if (conga_->leaf_number[port.owner] != CongaState::kSpine) {
      conga_->tag[index] = uplinks[port.owner]++;
      size.tags = std::max<std::uint32_t>(size.tags, uplinks[port.owner]);
    }
  }
  conga_->tables.assign(size.leaves, CongestionTables(size, conga_->options.age));
  return {};
}

std::uint32_t EthernetFabric::choose_conga(const EthernetPort& in, const Switch& node, const NextHops& hops,
                                           const wire::PacketCommon& common, Time now) {
  // Of parallel cables, a spine takes the one that the hash names.
  if (conga_->leaf_number[in.owner] == CongaState::kSpine) {
    return in_order_hop(in, node, hops, common, nullptr);
  }
  const std::uint32_t to_leaf = conga_->leaf_number[routes_.leaf_of(common.destination)];
  return balancer_of(in.owner)
      .choose(hops, {.flow_hash = common.flow_hash, .now = now},
              [&](std::uint32_t number) { return conga_metric(node.first_port + number, to_leaf, now); })
      .port;
}

// Of the path by an uplink: of the cable itself, or of what is behind it.
std::uint8_t EthernetFabric::conga_metric(PortIndex out, std::uint32_t to_leaf, Time now) {
  const std::uint8_t own = conga_->links[out].metric(ports_[out].rate, conga_->options.dre, now);
  const CongestionTables& tables = conga_->tables[conga_->leaf_number[ports_[out].owner]];
  return std::max(own, tables.metric(to_leaf, conga_->tag[out], now));
}

void EthernetFabric::note_conga_departure(PortIndex out, PacketHandle handle, std::uint32_t wire_bytes, Time now) {
  const EthernetPort& port = ports_[out];
  if (port.has(kIsEndpoint) || is_endpoint(port.peer)) {
    return;
  }
  const wire::PacketCommon& common = packets_[handle].common;
  Dre& link = conga_->links[out];
  link.add(wire_bytes, conga_->options.dre, now);
  if (common.kind == wire::PacketKind::kFlowControl) {
    return;
  }
  const std::uint8_t own = link.metric(port.rate, conga_->options.dre, now);
  if (conga_->tag[out] == CongaHeader::kNone) {  // of a spine
    CongaHeader& header = conga_->headers[handle];
    header.congestion = std::max(header.congestion, own);
    return;
  }
  CongaHeader header{.tag = conga_->tag[out], .congestion = own};
  const std::uint32_t leaf = routes_.leaf_of(common.destination);
  if (leaf < conga_->leaf_number.size()) {  // otherwise its destination has just lost its link
    conga_->tables[conga_->leaf_number[port.owner]].give(conga_->leaf_number[leaf], header, now);
  }
  conga_->headers[handle] = header;
}

void EthernetFabric::note_conga_arrival(PortIndex in, PacketHandle handle, Time now) {
  const EthernetPort& port = ports_[in];
  if (conga_->tag[in] == CongaHeader::kNone) {
    return;
  }
  const wire::Packet& packet = packets_[handle];
  if (packet.has(wire::kCorrupted) || packet.common.kind == wire::PacketKind::kFlowControl) {
    return;
  }
  const std::uint32_t leaf = routes_.leaf_of(packet.common.source);
  if (leaf >= conga_->leaf_number.size()) {
    return;
  }
  conga_->tables[conga_->leaf_number[port.owner]].take(conga_->leaf_number[leaf], conga_->headers[handle], now);
}

}  // namespace weft::fabric
