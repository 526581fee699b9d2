#include "tests/tshark/sample_frames.h"

#include <utility>

#include "wire/encapsulation.h"
#include "wire/opcode.h"

namespace weft::test {
namespace {

using wire::Encapsulation;

std::uint8_t random_bits_8(RandomStream& random, unsigned bits) {
  return static_cast<std::uint8_t>(random.uniform(std::uint64_t{1} << bits));
}
std::uint16_t random_16(RandomStream& random) { return static_cast<std::uint16_t>(random.next()); }
std::uint32_t random_24(RandomStream& random) { return static_cast<std::uint32_t>(random.uniform(1U << 24)); }
std::uint32_t random_32(RandomStream& random) { return static_cast<std::uint32_t>(random.next()); }
bool random_bit(RandomStream& random) { return random.uniform(2) == 1; }

template <std::size_t kSize>
void randomize(std::array<std::uint8_t, kSize>& octets, RandomStream& random) {
  for (std::uint8_t& octet : octets) {
    octet = static_cast<std::uint8_t>(random.next());
  }
}

/// Unicast and globally scoped: a reader may find fault with a multicast source.
wire::Ipv6Address random_ipv6(RandomStream& random) {
  wire::Ipv6Address address;
  randomize(address.octets, random);
  address.octets[0] = 0x20;
  address.octets[1] = 0x01;
  address.octets[2] = 0x0D;
  address.octets[3] = 0xB8;
  return address;
}

wire::Ipv4Address random_ipv4(RandomStream& random) {
  return {0x0A000000U + static_cast<std::uint32_t>(random.uniform(1U << 24))};
}

wire::EthernetHeader random_ethernet(std::uint16_t ether_type, Tagging tagging, RandomStream& random) {
  wire::EthernetHeader ethernet;
  randomize(ethernet.destination.octets, random);
  randomize(ethernet.source.octets, random);
  ethernet.destination.octets[0] = ethernet.source.octets[0] = 0x02;  // unicast, locally administered
  ethernet.ether_type = ether_type;
  if (tagging == Tagging::kTagged) {
    ethernet.tag_count = 1;
    ethernet.tags[0].priority = random_bits_8(random, 3);
    ethernet.tags[0].vlan = static_cast<std::uint16_t>(1 + random.uniform(4094));
  }
  return ethernet;
}

wire::GrhHeader random_grh(RandomStream& random) {
  return {.traffic_class = random_bits_8(random, 8),
          .flow_label = static_cast<std::uint32_t>(random.uniform(1U << 20)),
          .hop_limit = random_bits_8(random, 8),
          .source = random_ipv6(random),
          .destination = random_ipv6(random)};
}

wire::LrhHeader random_lrh(RandomStream& random) {
  return {.virtual_lane = static_cast<std::uint8_t>(random.uniform(wire::LrhHeader::kManagementLane)),
          .service_level = random_bits_8(random, 4),
          .destination_lid = static_cast<std::uint16_t>(1 + random.uniform(0xBFFF)),
          .source_lid = static_cast<std::uint16_t>(1 + random.uniform(0xBFFF))};
}

wire::Ecn random_ecn(RandomStream& random) { return static_cast<wire::Ecn>(random.uniform(4)); }

wire::UdpHeader random_udp(RandomStream& random) {
  return {.source_port = static_cast<std::uint16_t>(0xC000 + random.uniform(0x4000))};
}

wire::Ipv4Header random_ipv4_header(RandomStream& random) {
  wire::Ipv4Header ip;
  ip.dscp = random_bits_8(random, 6);
  ip.ecn = random_ecn(random);
  ip.identification = random_16(random);
  ip.dont_fragment = true;
  ip.time_to_live = static_cast<std::uint8_t>(16 + random.uniform(240));
  ip.source = random_ipv4(random);
  ip.destination = random_ipv4(random);
  return ip;
}

wire::Ipv6Header random_ipv6_header(RandomStream& random) {
  wire::Ipv6Header ip;
  ip.dscp = random_bits_8(random, 6);
  ip.ecn = random_ecn(random);
  ip.flow_label = static_cast<std::uint32_t>(random.uniform(1U << 20));
  ip.hop_limit = static_cast<std::uint8_t>(16 + random.uniform(240));
  ip.source = random_ipv6(random);
  ip.destination = random_ipv6(random);
  return ip;
}

wire::BthHeader random_bth(std::uint8_t opcode, RandomStream& random) {
  wire::BthHeader bth;
  bth.opcode = opcode;
  bth.solicited = random_bit(random);
  bth.migrated = random_bit(random);
  bth.partition_key = random_16(random);
  bth.fecn = random_bit(random);
  bth.becn = random_bit(random);
  // QP 0 and 1 would make the payload a management datagram.
  bth.destination_qp = 2 + static_cast<std::uint32_t>(random.uniform((1U << 24) - 2));
  bth.ack_request = random_bit(random);
  bth.psn = Psn(random_24(random));
  return bth;
}

void randomize(wire::ExtensionHeaders& extensions, RandomStream& random) {
  if (extensions.deth) {
    *extensions.deth = {.queue_key = random_32(random), .source_qp = random_24(random)};
  }
  if (extensions.reth) {
    *extensions.reth = {.virtual_address = random.next(),
                        .remote_key = random_32(random),
                        .dma_length = static_cast<std::uint32_t>(random.uniform(1U << 31))};
  }
  if (extensions.atomic) {
    *extensions.atomic = {.virtual_address = random.next(),
                          .remote_key = random_32(random),
                          .swap_or_add = random.next(),
                          .compare = random.next()};
  }
  if (extensions.aeth) {
    *extensions.aeth = {.syndrome = random_bits_8(random, 7), .msn = Psn(random_24(random))};
  }
  if (extensions.atomic_ack) {
    extensions.atomic_ack->original_data = random.next();
  }
  if (extensions.immediate) {
    extensions.immediate->data = random_32(random);
  }
  if (extensions.invalidate) {
    extensions.invalidate->remote_key = random_32(random);
  }
}

}  // namespace

wire::RdmaFrame random_headers(Encapsulation encapsulation, Tagging tagging, RandomStream& random) {
  wire::RdmaFrame frame;
  switch (encapsulation) {
    case Encapsulation::kIbGlobal:
      frame.grh = random_grh(random);
      [[fallthrough]];
    case Encapsulation::kIbLocal:
      frame.lrh = random_lrh(random);
      break;
    case Encapsulation::kRoceV1:
      frame.ethernet = random_ethernet(wire::kEtherTypeRoceV1, tagging, random);
      frame.grh = random_grh(random);
      break;
    case Encapsulation::kRoceV2Ipv4:
      frame.ethernet = random_ethernet(wire::kEtherTypeIpv4, tagging, random);
      frame.ipv4 = random_ipv4_header(random);
      frame.udp = random_udp(random);
      break;
    case Encapsulation::kRoceV2Ipv6:
      frame.ethernet = random_ethernet(wire::kEtherTypeIpv6, tagging, random);
      frame.ipv6 = random_ipv6_header(random);
      frame.udp = random_udp(random);
      break;
    case Encapsulation::kTcpIpv4:
    case Encapsulation::kTcpIpv6:
    case Encapsulation::kUetUdpIpv4:
    case Encapsulation::kUetUdpIpv6:
    case Encapsulation::kUetIpv4:
    case Encapsulation::kUetIpv6:
      break;
  }
  return frame;
}

SampleFrame random_frame(wire::RdmaFrame headers, std::uint8_t opcode, std::size_t payload_bytes,
                         RandomStream& random) {
  SampleFrame sample;
  sample.frame = std::move(headers);
  const wire::OpcodeInfo& info = wire::describe(opcode);
  sample.frame.bth = random_bth(opcode, random);
  sample.frame.extensions = wire::ExtensionHeaders::for_opcode(info);
  randomize(sample.frame.extensions, random);
  for (std::size_t i = 0; info.payload && i < payload_bytes; ++i) {
    sample.payload.push_back(static_cast<std::byte>(random.next()));
  }
  // A vector keeps its memory when it is moved.
  sample.frame.payload = sample.payload;
  const auto encapsulation = wire::encapsulation_of(sample.frame);
  sample.name = fmt::format("{} {}, payload {}", encapsulation ? wire::to_string(*encapsulation) : "bare",
                            wire::opcode_name(opcode), sample.payload.size());
  wire::seal_frame(sample.frame);
  return sample;
}

std::vector<std::uint8_t> assigned_opcodes() {
  std::vector<std::uint8_t> opcodes;
  for (const wire::Service service : {wire::Service::kRc, wire::Service::kUc, wire::Service::kUd}) {
    for (unsigned operation = 0; operation < 32; ++operation) {
      const std::uint8_t opcode = wire::make_opcode(service, static_cast<wire::Operation>(operation));
      if (wire::describe(opcode).valid) {
        opcodes.push_back(opcode);
      }
    }
  }
  return opcodes;
}

std::vector<std::byte> emitted(const wire::RdmaFrame& frame) {
  std::vector<std::byte> bytes(wire::emitted_size(frame));
  wire::emit_frame(frame, bytes);
  return bytes;
}

}  // namespace weft::test
