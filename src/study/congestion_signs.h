// Whether senders of a simulated network had reason to slow down: what was marked, paused or lost so far.
#pragma once

#include <cstdint>

#include "study/world.h"

namespace weft::study {

struct CongestionSigns {
  std::uint64_t marked = 0;  // packets
  std::uint64_t pauses = 0;  // PFC frames
  std::uint64_t lost = 0;    // packets, for whatever reason, hosts' rings and buffers included

  [[nodiscard]] std::uint64_t total() const { return marked + pauses + lost; }
};

[[nodiscard]] CongestionSigns congestion_signs(const World& world);

}  // namespace weft::study
