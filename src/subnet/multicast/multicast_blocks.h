// Multicast forwarding tables as MADs carry them: blocks of 32 LIDs by 16 ports.
#pragma once

#include <cstdint>
#include <vector>

#include "subnet/agent/served_node.h"
#include "subnet/multicast/multicast_tables.h"

namespace weft::subnet {

/// AttributeModifier of MulticastForwardingTable: the block in the lower nine bits, the position in the upper four.
//= ibta-1.7 14.2.5.12
[[nodiscard]] constexpr std::uint32_t multicast_modifier(std::uint32_t block, std::uint32_t position) {
  return position << 28U | block;
}

struct MulticastBlock {
  std::uint32_t modifier = 0;
  SmpData data{};
};

/// What OpenSM 3.3.23 writes into a switch: each block up to the last one with an entry, at all positions of its ports,
/// block by block. Nothing for a switch without entries. `least`: so many at least, which it has had before.
[[nodiscard]] std::vector<MulticastBlock> multicast_blocks(const RoutedSwitch& at, const MulticastTable& table,
                                                           std::size_t least = 0);

/// The ports of a LID in a switch, as blocks have been set.
[[nodiscard]] PortMask multicast_ports(const ServedNode& node, Lid lid);

/// All of its entries that have ports.
[[nodiscard]] MulticastTable multicast_table(const ServedNode& node);

}  // namespace weft::subnet
