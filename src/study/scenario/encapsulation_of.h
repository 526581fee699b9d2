// How the RDMA packets of a scenario's family are wrapped.
#pragma once

#include "study/scenario/scenario.h"
#include "wire/packet.h"

namespace weft::study::scenario {

/// Of the family's packets with an InfiniBand transport header; of iWARP and TCP, that of RDMA beside them: RoCEv2.
[[nodiscard]] constexpr wire::Encapsulation encapsulation_of(const FabricSettings& fabric) {
  switch (fabric.family) {
    case Family::kInfiniband:
      return wire::Encapsulation::kIbLocal;
    case Family::kRoceV1:
      return wire::Encapsulation::kRoceV1;
    case Family::kRoceV2:
    case Family::kIwarp:
    case Family::kTcp:
      break;
  }
  return fabric.ip_version == IpVersion::kV6 ? wire::Encapsulation::kRoceV2Ipv6 : wire::Encapsulation::kRoceV2Ipv4;
}

}  // namespace weft::study::scenario
