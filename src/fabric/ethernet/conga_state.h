// What an Ethernet fabric has whose leaves balance by CONGA (routing/conga.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/packet_notes.h"
#include "fabric/routing/conga.h"

namespace weft::fabric {

struct CongaState {
  static constexpr std::uint32_t kSpine = 0xFFFFFFFF;

  CongaOptions options;
  std::vector<std::uint32_t> leaf_number;  // per switch; kSpine: none
  std::vector<std::uint8_t> tag;           // per port: of a leaf's uplink; CongaHeader::kNone: another port
  std::vector<Dre> links;                  // per port
  std::vector<CongestionTables> tables;    // per leaf number
  PacketNotes<CongaHeader> headers;        // of packets between leaves; written where they leave their first leaf

  [[nodiscard]] std::size_t heap_bytes() const {
    std::size_t bytes =
        leaf_number.capacity() * sizeof(leaf_number[0]) + tag.capacity() + links.capacity() * sizeof(links[0]);
    for (const CongestionTables& leaf : tables) {
      bytes += sizeof(leaf) + leaf.heap_bytes();
    }
    return bytes;
  }
};

}  // namespace weft::fabric
