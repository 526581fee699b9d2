#include "wire/packet_codec.h"

#include <array>

#include "base/assert.h"
#include "wire/encapsulation.h"

namespace weft::wire {

namespace {

constexpr std::array<std::byte, RdmaFrame::kMaxSealedPayload> kZeroPayload{};
constexpr std::uint32_t kAtomicBytes = 8;

bool is_infiniband(Encapsulation encapsulation) {
  return encapsulation == Encapsulation::kIbLocal || encapsulation == Encapsulation::kIbGlobal;
}

EthernetHeader make_ethernet(const Addresses& addresses, std::uint16_t ether_type) {
  return {.destination = addresses.destination.mac, .source = addresses.source.mac, .ether_type = ether_type};
}

std::uint16_t lid_of(const EndAddresses& end, std::uint16_t entropy) {
  return static_cast<std::uint16_t>(end.lid + (entropy & ((1U << end.lid_mask_control) - 1)));
}

LrhHeader make_lrh(const PacketCommon& common, const Addresses& addresses) {
  return {.virtual_lane = common.priority,
          .service_level = common.traffic_class,
          .destination_lid = lid_of(addresses.destination, common.entropy),
          .source_lid = lid_of(addresses.source, common.entropy)};
}

GrhHeader make_grh(const PacketCommon& common, const Addresses& addresses) {
  return {.flow_label = common.entropy,
          .hop_limit = common.hop_limit,
          .source = addresses.source.ipv6,
          .destination = addresses.destination.ipv6};
}

Ipv4Header make_ipv4(const PacketCommon& common, const Addresses& addresses) {
  return {.dscp = common.traffic_class,
          .ecn = common.ecn,
          .dont_fragment = true,
          .time_to_live = common.hop_limit,
          .source = addresses.source.ipv4,
          .destination = addresses.destination.ipv4};
}

Ipv6Header make_ipv6(const PacketCommon& common, const Addresses& addresses) {
  return {.dscp = common.traffic_class,
          .ecn = common.ecn,
          .flow_label = common.entropy,
          .hop_limit = common.hop_limit,
          .source = addresses.source.ipv6,
          .destination = addresses.destination.ipv6};
}

std::uint8_t traffic_class_byte(const PacketCommon& common) {
  return static_cast<std::uint8_t>((common.traffic_class << 2) | static_cast<std::uint8_t>(common.ecn));
}

void write_network(RdmaFrame& frame, const PacketCommon& common, const Addresses& addresses) {
  switch (common.encapsulation) {
    case Encapsulation::kIbLocal:
      frame.lrh = make_lrh(common, addresses);
      return;
    case Encapsulation::kIbGlobal:
      frame.lrh = make_lrh(common, addresses);
      frame.grh = make_grh(common, addresses);
      return;
    case Encapsulation::kRoceV1:
      frame.ethernet = make_ethernet(addresses, kEtherTypeRoceV1);
      frame.grh = make_grh(common, addresses);
      frame.grh->traffic_class = traffic_class_byte(common);
      return;
    case Encapsulation::kRoceV2Ipv4:
      frame.ethernet = make_ethernet(addresses, kEtherTypeIpv4);
      frame.ipv4 = make_ipv4(common, addresses);
      frame.udp = UdpHeader{.source_port = common.entropy};
      return;
    case Encapsulation::kRoceV2Ipv6:
      frame.ethernet = make_ethernet(addresses, kEtherTypeIpv6);
      frame.ipv6 = make_ipv6(common, addresses);
      frame.udp = UdpHeader{.source_port = common.entropy};
      return;
    case Encapsulation::kTcpIpv4:
    case Encapsulation::kTcpIpv6:
      WEFT_ASSERT(false && "a TCP segment is not an RDMA frame: see wire/tcp_codec.h");
      return;
    case Encapsulation::kUetUdpIpv4:
    case Encapsulation::kUetUdpIpv6:
    case Encapsulation::kUetIpv4:
    case Encapsulation::kUetIpv6:
      WEFT_ASSERT(false && "a UET packet is not an RDMA frame: see wire/uet/");
      return;
  }
}

BthHeader make_bth(const IbTransportHeader& ib) {
  return {.opcode = ib.opcode,
          .solicited = ib.has(kBthSolicited),
          .migrated = ib.has(kBthMigrated),
          .partition_key = ib.partition_key,
          .fecn = ib.has(kBthFecn),
          .becn = ib.has(kBthBecn),
          .destination_qp = ib.destination_qp,
          .ack_request = ib.has(kBthAckRequest),
          .psn = ib.psn};
}

ExtensionHeaders make_extensions(const IbTransportHeader& ib, const ColdPacket& cold) {
  auto headers = ExtensionHeaders::for_opcode(describe(ib.opcode));
  if (headers.deth) {
    headers.deth = DethHeader{.queue_key = ib.deth.queue_key, .source_qp = ib.deth.source_qp};
  }
  if (headers.feth) {
    headers.feth = FethHeader::of(ib.immediate);
  }
  if (headers.reth) {
    headers.reth = RethHeader{
        .virtual_address = ib.reth.virtual_address, .remote_key = ib.reth.remote_key, .dma_length = ib.reth.dma_length};
  }
  if (headers.atomic) {
    headers.atomic = AtomicEthHeader{.virtual_address = ib.reth.virtual_address,
                                     .remote_key = ib.reth.remote_key,
                                     .swap_or_add = cold.atomic.swap_or_add,
                                     .compare = cold.atomic.compare};
  }
  if (headers.aeth) {
    headers.aeth = AethHeader{.syndrome = ib.aeth.syndrome, .msn = ib.aeth.msn};
  }
  if (headers.atomic_ack) {
    headers.atomic_ack = AtomicAckEthHeader{.original_data = ib.aeth.original_data};
  }
  if (headers.immediate) {
    headers.immediate = ImmDtHeader{.data = ib.immediate};
  }
  if (headers.invalidate) {
    headers.invalidate = IethHeader{.remote_key = ib.immediate};
  }
  if (headers.sack) {
    headers.sack = SackEthHeader{.bitmap = cold.sack};
  }
  return headers;
}

/// InfiniBand's switches mark FECN where IP's mark CE; the record has one field for both.
void read_ecn_from_fecn(PacketCommon& common, const BthHeader& bth) {
  if (bth.fecn) {
    common.ecn = Ecn::kCe;
  } else if (common.ecn == Ecn::kCe) {
    common.ecn = Ecn::kNotEct;
  }
}

void read_network(const RdmaFrame& frame, PacketCommon& common) {
  if (frame.lrh) {
    common.priority = frame.lrh->virtual_lane;
    common.traffic_class = frame.lrh->service_level;
    read_ecn_from_fecn(common, frame.bth);
  }
  if (frame.grh) {
    common.entropy = static_cast<std::uint16_t>(frame.grh->flow_label);
    common.hop_limit = frame.grh->hop_limit;
  }
  if (frame.grh && !frame.lrh) {
    common.traffic_class = static_cast<std::uint8_t>(frame.grh->traffic_class >> 2);
    common.ecn = static_cast<Ecn>(frame.grh->traffic_class & 3U);
  }
  if (frame.ipv4) {
    common.traffic_class = frame.ipv4->dscp;
    common.ecn = frame.ipv4->ecn;
    common.hop_limit = frame.ipv4->time_to_live;
  }
  if (frame.ipv6) {
    common.traffic_class = frame.ipv6->dscp;
    common.ecn = frame.ipv6->ecn;
    common.hop_limit = frame.ipv6->hop_limit;
  }
  if (frame.udp) {
    common.entropy = frame.udp->source_port;
  }
}

std::uint8_t flags_of(const BthHeader& bth, Encapsulation encapsulation) {
  const bool fecn_is_ecn = is_infiniband(encapsulation);
  return static_cast<std::uint8_t>((bth.solicited ? kBthSolicited : 0) | (bth.migrated ? kBthMigrated : 0) |
                                   (bth.ack_request ? kBthAckRequest : 0) | (bth.fecn && !fecn_is_ecn ? kBthFecn : 0) |
                                   (bth.becn ? kBthBecn : 0));
}

void read_bth(const BthHeader& bth, Encapsulation encapsulation, IbTransportHeader& ib) {
  ib.opcode = bth.opcode;
  ib.flags = flags_of(bth, encapsulation);
  ib.partition_key = bth.partition_key;
  ib.destination_qp = bth.destination_qp;
  ib.psn = bth.psn;
}

void read_extensions(const ExtensionHeaders& headers, IbTransportHeader& ib, ColdPacket& cold) {
  if (headers.deth) {
    ib.deth = DethFields{.queue_key = headers.deth->queue_key, .source_qp = headers.deth->source_qp};
  }
  if (headers.reth) {
    ib.reth = RethFields{.virtual_address = headers.reth->virtual_address,
                         .remote_key = headers.reth->remote_key,
                         .dma_length = headers.reth->dma_length};
  }
  if (headers.atomic) {
    ib.reth = RethFields{.virtual_address = headers.atomic->virtual_address,
                         .remote_key = headers.atomic->remote_key,
                         .dma_length = kAtomicBytes};
    cold.atomic = {.swap_or_add = headers.atomic->swap_or_add, .compare = headers.atomic->compare};
  }
  if (headers.aeth) {
    ib.aeth = AethFields{.original_data = headers.atomic_ack ? headers.atomic_ack->original_data : 0,
                         .msn = headers.aeth->msn,
                         .syndrome = headers.aeth->syndrome};
  }
  if (headers.feth) {
    ib.immediate = headers.feth->word();
  }
  if (headers.immediate) {
    ib.immediate = headers.immediate->data;
  }
  if (headers.invalidate) {
    ib.immediate = headers.invalidate->remote_key;
  }
  if (headers.sack) {
    cold.sack = headers.sack->bitmap;
  }
}

}  // namespace

bool has_record_form(std::uint8_t opcode) {
  const auto& info = describe(opcode);
  return info.valid && !info.rdeth && !info.xrceth;
}

RdmaFrame transport_frame(const Packet& packet, const ColdPacket& cold, std::span<const std::byte> payload) {
  const std::size_t length = packet.common.payload_bytes;
  WEFT_ASSERT(has_record_form(packet.ib.opcode));
  WEFT_ASSERT(payload.empty() ? length <= kZeroPayload.size() : payload.size() == length);
  RdmaFrame frame;
  frame.bth = make_bth(packet.ib);
  frame.extensions = make_extensions(packet.ib, cold);
  frame.payload = payload.empty() ? std::span(kZeroPayload).first(length) : payload;
  return frame;
}

RdmaFrame to_frame(const Packet& packet, const ColdPacket& cold, std::span<const std::byte> payload,
                   const Addresses& addresses) {
  RdmaFrame frame = transport_frame(packet, cold, payload);
  write_network(frame, packet.common, addresses);
  if (is_infiniband(packet.common.encapsulation)) {
    frame.bth.fecn = packet.common.ecn == Ecn::kCe;
  }
  seal_frame(frame);
  return frame;
}

Result<void> from_frame(const RdmaFrame& frame, Packet& packet, ColdPacket& cold) {
  const auto encapsulation = encapsulation_of(frame);
  if (!encapsulation) {
    return fail("frame has no link or network header: its encapsulation is unknown");
  }
  if (!has_record_form(frame.bth.opcode)) {
    return fail("{} is not one of the services RC, UC, UD", opcode_name(frame.bth.opcode));
  }
  auto& common = packet.common;
  common.kind = PacketKind::kInfiniBandTransport;
  common.encapsulation = *encapsulation;
  common.payload_bytes = static_cast<std::uint16_t>(frame.payload.size());
  read_network(frame, common);
  read_bth(frame.bth, *encapsulation, packet.ib);
  read_extensions(frame.extensions, packet.ib, cold);
  const bool has_cold = frame.extensions.atomic || frame.extensions.sack;
  common.flags = static_cast<std::uint8_t>((common.flags & ~kHasCold) | (has_cold ? kHasCold : 0));
  set_sizes(common, frame.bth.opcode);
  return {};
}

}  // namespace weft::wire
