// The debug mode of a simulated NIC: every packet that leaves is written as headers, read again, and compared.
#pragma once

#include <cstdint>

#include "wire/packet.h"

namespace weft::host {

/// What a packet's sizes are, beside what its headers and payload have.
struct HeaderSizes {
  bool real = true;            // false: sizes are those of another simulator, and not compared
  std::uint16_t security = 0;  // bytes that TSS adds
};

/// A difference is a programmer's error and says which field. Fields of Ultra Ethernet's cold half are compared where
/// the packet has one.
void check_headers(const wire::Packet& packet, const wire::ColdPacket& cold, const HeaderSizes& sizes = {});

}  // namespace weft::host
