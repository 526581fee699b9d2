#include "subnet/multicast/multicast_blocks.h"

#include "wire/byte_order.h"

namespace weft::subnet {
namespace {

constexpr std::size_t kPortsPerPosition = 16;
constexpr std::size_t kEntrySize = 2;  // bytes

}  // namespace

std::vector<MulticastBlock> multicast_blocks(const RoutedSwitch& at, const MulticastTable& table, std::size_t least) {
  std::vector<MulticastBlock> blocks;
  const std::size_t positions = (at.ports.size() + kPortsPerPosition - 1) / kPortsPerPosition;
  const auto extend = [&](std::size_t count) {
    while (blocks.size() < count) {
      blocks.push_back({.modifier = multicast_modifier(static_cast<std::uint32_t>(blocks.size() / positions),
                                                       static_cast<std::uint32_t>(blocks.size() % positions))});
    }
  };
  extend(least);
  for (const auto& [lid, mask] : table) {
    const std::size_t offset = lid - std::size_t{kFirstMulticastLid};
    extend(mask.any() ? (offset / wire::kMulticastLidsPerBlock + 1) * positions : 0);
    for (std::size_t port = 0; port < at.ports.size(); ++port) {
      if (!mask[port]) {
        continue;
      }
      MulticastBlock& block = blocks[offset / wire::kMulticastLidsPerBlock * positions + port / kPortsPerPosition];
      const std::size_t entry = offset % wire::kMulticastLidsPerBlock * kEntrySize;
      const unsigned ports = wire::load_be16(block.data, entry) | 1U << port % kPortsPerPosition;
      wire::store_be16(block.data, entry, static_cast<std::uint16_t>(ports));
    }
  }
  return blocks;
}

PortMask multicast_ports(const ServedNode& node, Lid lid) {
  PortMask mask;
  if (!is_multicast(lid)) {
    return mask;
  }
  const std::size_t offset = lid - std::size_t{kFirstMulticastLid};
  const auto block = static_cast<std::uint32_t>(offset / wire::kMulticastLidsPerBlock);
  for (std::size_t first = 0; first < node.ports.size(); first += kPortsPerPosition) {
    const auto position = static_cast<std::uint32_t>(first / kPortsPerPosition);
    const auto held =
        node.blocks.find(block_key(wire::kAttributeMulticastForwarding, multicast_modifier(block, position)));
    if (held == node.blocks.end()) {
      continue;
    }
    const unsigned ports = wire::load_be16(held->second, offset % wire::kMulticastLidsPerBlock * kEntrySize);
    for (std::size_t bit = 0; bit < kPortsPerPosition && first + bit < node.ports.size(); ++bit) {
      mask.set(first + bit, (ports >> bit & 1U) != 0);
    }
  }
  return mask;
}

MulticastTable multicast_table(const ServedNode& node) {
  MulticastTable table;
  constexpr std::uint64_t kBlockBits = 0x1FF;
  for (auto block = node.blocks.lower_bound(block_key(wire::kAttributeMulticastForwarding, 0));
       block != node.blocks.end() && block->first < block_key(wire::kAttributeMulticastForwarding + 1, 0); ++block) {
    const std::size_t first = kFirstMulticastLid + (block->first & kBlockBits) * wire::kMulticastLidsPerBlock;
    for (std::size_t lid = first; lid < first + wire::kMulticastLidsPerBlock && lid <= kLastMulticastLid; ++lid) {
      const PortMask ports = multicast_ports(node, static_cast<Lid>(lid));
      if (ports.any()) {
        table[static_cast<Lid>(lid)] = ports;
      }
    }
  }
  return table;
}

}  // namespace weft::subnet
