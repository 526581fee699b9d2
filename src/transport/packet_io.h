// How packets pass between an engine and whoever carries them (a NIC model, a socket driver, a test).
//
// The carrier owns all storage. Payload spans are empty where only lengths travel; where bytes travel, the carrier of
// an outgoing packet offers room for a path MTU and the engine fills the first `packet.common.payload_bytes` of it.
#pragma once

#include <cstddef>
#include <span>

#include "wire/packet.h"

namespace weft::transport {

/// Room for one packet that an engine may fill. `cold` is written only if the packet needs it (flag kHasCold).
struct TransmitSlot {
  wire::Packet& packet;
  wire::ColdPacket& cold;
  std::span<std::byte> payload;
};

/// One packet that has arrived, valid during the call. `cold` is meaningful with kHasCold only.
struct ReceivedPacket {
  const wire::Packet& packet;
  const wire::ColdPacket& cold;
  std::span<const std::byte> payload;
};

}  // namespace weft::transport
