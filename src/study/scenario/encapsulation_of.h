// How the packets of a scenario's family are wrapped, and the TCP segments beside them.
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

/// Of its TCP segments, those of iWARP among them.
[[nodiscard]] inline wire::Encapsulation tcp_encapsulation_of(const Scenario& scenario) {
  return scenario.fabric.ip_version == IpVersion::kV6 ? wire::Encapsulation::kTcpIpv6 : wire::Encapsulation::kTcpIpv4;
}

}  // namespace weft::study::scenario
