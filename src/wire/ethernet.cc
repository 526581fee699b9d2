#include "wire/ethernet.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

namespace {

constexpr std::size_t kAddressSize = 6;

MacAddress load_mac(std::span<const std::byte> bytes, std::size_t offset) {
  MacAddress address;
  for (std::size_t i = 0; i < kAddressSize; ++i) {
    address.octets[i] = load_u8(bytes, offset + i);
  }
  return address;
}

void store_mac(std::span<std::byte> bytes, std::size_t offset, const MacAddress& address) {
  for (std::size_t i = 0; i < kAddressSize; ++i) {
    store_u8(bytes, offset + i, address.octets[i]);
  }
}

bool is_tag(std::uint16_t ether_type) { return ether_type == kEtherTypeVlan || ether_type == kEtherTypeServiceVlan; }

VlanTag parse_tag(std::uint16_t protocol, std::uint16_t control) {
  return {.protocol = protocol,
          .priority = static_cast<std::uint8_t>(control >> 13),
          .drop_eligible = (control & 0x1000U) != 0,
          .vlan = static_cast<std::uint16_t>(control & 0x0FFFU)};
}

std::uint16_t control_of(const VlanTag& tag) {
  return static_cast<std::uint16_t>(((tag.priority & 7U) << 13) | (tag.drop_eligible ? 0x1000U : 0U) |
                                    (tag.vlan & 0x0FFFU));
}

}  // namespace

Result<EthernetHeader> EthernetHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("Ethernet header", {.needed = kSize, .found = bytes.size()});
  }
  EthernetHeader header;
  header.destination = load_mac(bytes, 0);
  header.source = load_mac(bytes, kAddressSize);
  header.ether_type = load_be16(bytes, kSize - 2);
  while (is_tag(header.ether_type) && header.tag_count < kMaxTags) {
    const auto needed = header.size() + kTagSize;
    if (bytes.size() < needed) {
      return too_short("Ethernet header with VLAN tag", {.needed = needed, .found = bytes.size()});
    }
    header.tags[header.tag_count] = parse_tag(header.ether_type, load_be16(bytes, header.size()));
    header.ether_type = load_be16(bytes, header.size() + 2);
    ++header.tag_count;
  }
  return header;
}

void EthernetHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(tag_count <= kMaxTags && out.size() >= size());
  store_mac(out, 0, destination);
  store_mac(out, kAddressSize, source);
  std::size_t offset = 2 * kAddressSize;
  for (std::size_t i = 0; i < tag_count; ++i) {
    store_be16(out, offset, tags[i].protocol);
    store_be16(out, offset + 2, control_of(tags[i]));
    offset += kTagSize;
  }
  store_be16(out, offset, ether_type);
}

}  // namespace weft::wire
