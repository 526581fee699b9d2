// How the RDMA packets of a scenario's family are wrapped.
#pragma once

#include "study/scenario/scenario.h"
#include "wire/packet.h"

namespace weft::study::scenario {

/// Of the family's RDMA packets; of iWARP and TCP, that of RDMA beside them: RoCEv2.
[[nodiscard]] inline wire::Encapsulation encapsulation_of(const Scenario& scenario) {
  const FamilyTraits& traits = traits_of(scenario.fabric.family);
  const bool over_ipv6 = scenario.fabric.ip_version == IpVersion::kV6;
  if (traits.engine == FamilyEngine::kUet && scenario.uet.encapsulation == UetWrapping::kNative) {
    return over_ipv6 ? wire::Encapsulation::kUetIpv6 : wire::Encapsulation::kUetIpv4;
  }
  return over_ipv6 ? traits.over_ipv6 : traits.over_ipv4;
}

}  // namespace weft::study::scenario
