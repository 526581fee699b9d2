// Datagrams of UD queue pairs as UUD packets of Ultra Ethernet: unreliable, unordered, without a context.
//
// The engine of UD (transport/ud_queue_pair.h) is the same as elsewhere; its packets take this form where they leave
// and enter a device of Ultra Ethernet. Q_Key, source and immediate data travel in the match bits, the initiator and
// the header data of a datagram send. Partitions have no form here.
// Source: Ultra Ethernet Specification 1.0, PDS UUD and SES datagram send.
#pragma once

#include "transport/packet_io.h"
#include "transport/uet/uet_types.h"

namespace weft::transport {

/// The slot holds a packet that the UD engine has made.
void to_uud(const TransmitSlot& slot, const UetSizes& sizes);

/// The same packet as the UD engine takes it; false: it is not whole, or no datagram send. `partition_key` is the
/// receiver's.
[[nodiscard]] bool from_uud(const ReceivedPacket& received, std::uint16_t partition_key, wire::Packet& out);

}  // namespace weft::transport
