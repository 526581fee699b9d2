// Whether contexts of Ultra Ethernet spread their packets.
#pragma once

#include "host/nic_options.h"

namespace weft::host {

/// Packets of such a NIC take one path after the other by choice of their context; else all have one path.
[[nodiscard]] inline bool contexts_take_any_path(const NicOptions& nic) {
  return nic.uet.path_selector && nic.device.uet.mode == transport::UetMode::kRud;
}

}  // namespace weft::host
