#include "wire/encapsulation.h"

namespace weft::wire {

const char* to_string(Encapsulation encapsulation) {
  switch (encapsulation) {
    case Encapsulation::kIbLocal:
      return "ib-local";
    case Encapsulation::kIbGlobal:
      return "ib-global";
    case Encapsulation::kRoceV1:
      return "rocev1";
    case Encapsulation::kRoceV2Ipv4:
      return "rocev2-ipv4";
    case Encapsulation::kRoceV2Ipv6:
      return "rocev2-ipv6";
    case Encapsulation::kTcpIpv4:
      return "tcp-ipv4";
    case Encapsulation::kTcpIpv6:
      return "tcp-ipv6";
    case Encapsulation::kUetUdpIpv4:
      return "uet-udp-ipv4";
    case Encapsulation::kUetUdpIpv6:
      return "uet-udp-ipv6";
    case Encapsulation::kUetIpv4:
      return "uet-ipv4";
    case Encapsulation::kUetIpv6:
      return "uet-ipv6";
  }
  return "unknown";
}

}  // namespace weft::wire
