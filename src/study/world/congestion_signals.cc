#include "study/world/congestion_signals.h"

namespace weft::study::world {

std::uint64_t congestion_signals(const World& world) {
  std::uint64_t lost = world.fabric().drops().total();
  for (std::uint32_t i = 0; i < world.graph().host_endpoints(); ++i) {
    const host::HostPath* const path = world.nic(EndpointId(i)).path();
    lost += path != nullptr ? path->counters().dropped : 0;
  }
  return lost + world.fabric().congestion_signals(world.now());
}

}  // namespace weft::study::world
