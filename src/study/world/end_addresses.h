// The addresses that stand in the headers of a simulated network's packets: what captures show, and switches hash.
//
// Each is f(seed, name of the port), so that others change none; IPv4 of 10.0.0.0/8, MAC locally administered, IPv6
// link-local, unicast LIDs.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/topology/graph.h"
#include "wire/packet_codec.h"

namespace weft::study::world {

[[nodiscard]] wire::MacAddress mac_of(std::uint64_t hash);

/// By EndpointId; all are different. Each end has 2^`lid_mask_control` LIDs (0 to 7); all ends together no more than a
/// subnet has, 49,151.
[[nodiscard]] std::vector<wire::EndAddresses> end_addresses(const fabric::Graph& graph, std::uint64_t seed,
                                                            std::uint8_t lid_mask_control = 0);

}  // namespace weft::study::world
