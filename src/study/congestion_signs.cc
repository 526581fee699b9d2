#include "study/congestion_signs.h"

namespace weft::study {
namespace {

void add_ports(const fabric::EthernetFabric& network, CongestionSigns& signs) {
  for (fabric::PortIndex port = 0; port < network.port_count(); ++port) {
    for (std::uint32_t priority = 0; priority < fabric::kPriorities; ++priority) {
      signs.marked += network.queue(port, priority).marked;
      signs.pauses += network.pauses(port).pauses_sent[priority];
    }
  }
}

void add_ports(const fabric::InfiniBandFabric& network, CongestionSigns& signs) {
  for (fabric::PortIndex port = 0; port < network.port_count(); ++port) {
    for (std::uint32_t lane = 0; lane < network.lanes(); ++lane) {
      signs.marked += network.output(port, lane).marked;
    }
  }
}

}  // namespace

CongestionSigns congestion_signs(const World& world) {
  CongestionSigns signs{.lost = world.drops().total()};
  for (std::uint32_t i = 0; i < world.graph().host_endpoints(); ++i) {
    const host::NicPath* const path = world.nic(EndpointId(i)).path();
    signs.lost += path != nullptr ? path->counters().dropped : 0;
  }
  if (world.ethernet() != nullptr) {
    add_ports(*world.ethernet(), signs);
  } else {
    add_ports(*world.infiniband(), signs);
  }
  return signs;
}

}  // namespace weft::study
