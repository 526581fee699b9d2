// Counters of a world's ports in the form of results files, for a fabric of any discipline.
#pragma once

#include <cstdint>
#include <vector>

#include "study/results/results.h"
#include "study/world/world.h"

namespace weft::study::run {

[[nodiscard]] std::uint32_t port_count(const world::World& world);
/// "leaf1/port3", or "host3/nic0" for the only port of an endpoint.
[[nodiscard]] std::string port_label(const world::World& world, fabric::PortIndex port);

/// What samples are made of.
struct PortGauge {
  std::uint64_t queue_bytes = 0;
  std::uint64_t tx_bytes = 0;    // frames begun so far
  std::uint64_t wire_bytes = 0;  // the same with preamble and gap
  Duration held;                 // lanes together, a current pause or stall included
  Rate rate;
};
[[nodiscard]] PortGauge gauge(const world::World& world, fabric::PortIndex port, Time now);

/// All ports in their order, with current pauses and stalls up to `now`.
[[nodiscard]] std::vector<results::PortRow> port_rows(const world::World& world, Time now);

}  // namespace weft::study::run
