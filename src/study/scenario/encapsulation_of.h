// How the RDMA packets of a scenario's family are wrapped.
#pragma once

#include "study/scenario/scenario.h"
#include "wire/packet.h"

namespace weft::study::scenario {

/// Of the family's packets with an InfiniBand transport header; of iWARP and TCP, that of RDMA beside them: RoCEv2.
[[nodiscard]] constexpr wire::Encapsulation encapsulation_of(const FabricSettings& fabric) {
  const FamilyTraits& traits = traits_of(fabric.family);
  return fabric.ip_version == IpVersion::kV6 ? traits.over_ipv6 : traits.over_ipv4;
}

}  // namespace weft::study::scenario
