// What kernel sockets take of a host's cores for each byte of a long message.
#pragma once

#include "base/data_size.h"
#include "host/path/socket_path.h"

namespace weft::study::assembly {

/// Picoseconds of one core per byte of payload, on either side.
struct CoreCosts {
  double send = 0;
  double receive = 0;
};

/// By units of segmentation offload: a copy and a run of the stack in each direction; `packet` is the payload of one.
[[nodiscard]] CoreCosts core_costs(const host::SocketPathOptions& sockets, Bytes packet);

}  // namespace weft::study::assembly
