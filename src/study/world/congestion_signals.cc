#include "study/world/congestion_signals.h"

namespace weft::study::world {
namespace {

std::uint64_t marks_and_pauses(const fabric::EthernetFabric& network) {
  std::uint64_t signals = 0;
  for (fabric::PortIndex port = 0; port < network.port_count(); ++port) {
    for (std::uint32_t priority = 0; priority < fabric::kPriorities; ++priority) {
      signals += network.queue(port, priority).marked + network.pauses(port).pauses_sent[priority];
    }
  }
  return signals;
}

std::uint64_t marks(const fabric::InfiniBandFabric& network) {
  std::uint64_t signals = 0;
  for (fabric::PortIndex port = 0; port < network.port_count(); ++port) {
    for (std::uint32_t lane = 0; lane < network.lanes(); ++lane) {
      signals += network.output(port, lane).marked;
    }
  }
  return signals;
}

}  // namespace

std::uint64_t congestion_signals(const World& world) {
  std::uint64_t lost = world.drops().total();
  for (std::uint32_t i = 0; i < world.graph().host_endpoints(); ++i) {
    const host::HostPath* const path = world.nic(EndpointId(i)).path();
    lost += path != nullptr ? path->counters().dropped : 0;
  }
  return lost + (world.ethernet() != nullptr ? marks_and_pauses(*world.ethernet()) : marks(*world.infiniband()));
}

}  // namespace weft::study::world
