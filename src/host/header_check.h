// The debug mode of a simulated NIC: every packet that leaves is written as headers, read again, and compared.
#pragma once

#include "wire/packet.h"

namespace weft::host {

/// A difference is a programmer's error and says which field.
void check_headers(const wire::Packet& packet, const wire::ColdPacket& cold);

}  // namespace weft::host
