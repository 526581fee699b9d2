// The MTU of an Ethernet interface that a path MTU of RDMA needs.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "study/scenario/scenario.h"

namespace weft::study::devices {

/// In bytes of IP packets. Of RoCE the path MTU and 96 bytes: an interface has the largest path MTU that leaves room
/// for GRH or IPv6 (40), UDP (8), BTH (12), XRC's header (4), AtomicETH (28) and ICRC (4), whatever a packet has of
/// them (Linux, iboe_get_mtu). With 4160, which holds every packet of 4096, it has 2048. Of others the largest packet.
[[nodiscard]] std::uint64_t interface_mtu(const scenario::Scenario& scenario, Bytes path_mtu);

}  // namespace weft::study::devices
