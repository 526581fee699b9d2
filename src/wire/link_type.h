// Where a packet's bytes come from.
#pragma once

#include <cstdint>

namespace weft::wire {

/// Ethernet bytes start with the destination address, InfiniBand bytes with the LRH.
enum class LinkType : std::uint8_t { kEthernet, kInfiniBand };

}  // namespace weft::wire
