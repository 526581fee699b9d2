// The headers of a NIC's packets as the switches on their way parse them.
#pragma once

#include <span>

#include "fabric/hash/header_hash.h"
#include "fabric/routing/ecmp_hash.h"
#include "wire/packet.h"
#include "wire/packet_codec.h"

namespace weft::host {

/// `addresses` are those of all endpoints, by EndpointId. Not of InfiniBand's own links.
[[nodiscard]] fabric::HeaderFields header_fields(const wire::Packet& packet,
                                                 std::span<const wire::EndAddresses> addresses);
/// What switches choose its path by without header_hash: its 5-tuple, with NicOptions::address of both ends.
[[nodiscard]] std::uint32_t tuple_hash(const wire::Packet& packet, const fabric::AddressPair& addresses);

}  // namespace weft::host
