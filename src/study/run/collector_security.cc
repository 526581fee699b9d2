#include "study/run/collector_security.h"

#include <algorithm>

namespace weft::study::run {

std::optional<results::SecurityRow> security_row(const Simulation& simulation) {
  const scenario::SecuritySettings& own = simulation.scenario().security;
  const world::World& world = simulation.world();
  if (!own.encrypts() && !own.filters()) {
    return std::nullopt;
  }
  results::SecurityRow row;
  row.encryption = own.encryption;
  row.firewall = own.firewall;
  for (std::uint32_t i = 0; i < world.graph().endpoints; ++i) {
    const host::BumpInTheWire* const bump = world.bump(EndpointId(i));
    if (bump == nullptr) {
      continue;
    }
    const host::BumpInTheWire::Counters& counters = bump->counters();
    row.packets += counters.sent;
    row.added += Bytes(static_cast<std::int64_t>(counters.added));
    row.encryption_busy += counters.cipher_busy;
    row.firewall_busy += counters.firewall_busy;
    row.dropped += counters.dropped;
    row.pauses += counters.pauses;
    row.peak = std::max(row.peak, Bytes(static_cast<std::int64_t>(counters.peak)));
    if (const Duration busy = std::max(counters.cipher_busy, counters.firewall_busy); busy > row.busiest_time) {
      row.busiest = world.endpoint_name(EndpointId(i));
      row.busiest_time = busy;
    }
  }
  return row;
}

}  // namespace weft::study::run
