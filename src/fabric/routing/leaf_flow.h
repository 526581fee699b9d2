// What a leaf switch knows a flow by, where it keeps something of each: addresses, the hash of ports, the priority.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/ids.h"
#include "fabric/routing/ecmp_hash.h"
#include "wire/packet.h"

namespace weft::fabric {

struct LeafFlow {
  EndpointId source;
  EndpointId destination;
  std::uint32_t hash = 0;  // PacketCommon::flow_hash
  std::uint8_t priority = 0;

  [[nodiscard]] static LeafFlow of(const wire::PacketCommon& common) {
    return {.source = common.source,
            .destination = common.destination,
            .hash = common.flow_hash,
            .priority = common.priority};
  }

  friend auto operator<=>(const LeafFlow&, const LeafFlow&) = default;
};

struct LeafFlowHash {
  [[nodiscard]] std::size_t operator()(const LeafFlow& flow) const {
    const std::uint64_t addresses = std::uint64_t{flow.source.value()} << 32 | flow.destination.value();
    return folded_product(addresses ^ 0xa0761d6478bd642f,
                          (std::uint64_t{flow.hash} << 8 | flow.priority) ^ 0xe7037ed1a0b428db);
  }
};

template <class State>
using LeafFlowTable = std::unordered_map<LeafFlow, State, LeafFlowHash>;  // lookup only

template <class State>
[[nodiscard]] std::size_t heap_bytes_of(const LeafFlowTable<State>& table) {
  // A node has a link and a hash beside its value.
  using Value = typename LeafFlowTable<State>::value_type;
  return table.bucket_count() * sizeof(void*) + table.size() * (sizeof(Value) + 2 * sizeof(void*));
}

}  // namespace weft::fabric
