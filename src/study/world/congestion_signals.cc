#include "study/world/congestion_signals.h"

namespace weft::study::world {

std::uint64_t congestion_signals(const World& world) {
  std::uint64_t signals = world.fabric().drops().total();
  for (std::uint32_t i = 0; i < world.graph().host_endpoints(); ++i) {
    const host::Nic& nic = world.nic(EndpointId(i));
    if (nic.path() != nullptr) {
      const host::HostPath::Counters counters = nic.path()->counters();
      signals += counters.dropped + counters.held_back;
    }
    signals += nic.rate_cuts();
  }
  return signals + world.fabric().congestion_signals(world.now());
}

}  // namespace weft::study::world
