// Where the ports of a NIC go: to leaves of one fabric, or each into a fabric of its own.
#pragma once

#include <cstdint>

namespace weft::fabric {

enum class PortSpread : std::uint8_t {
  kLeaves,  // to leaves of the same fabric: dual-ToR
  kPlanes,  // port p into plane p, which is a fabric of its own
};

/// What the ports of a NIC make of a topology: so many planes, and so many leaves of each plane behind each host.
struct PortPlaces {
  std::uint32_t planes = 1;
  std::uint32_t leaves = 1;

  /// `ports` at least 1.
  [[nodiscard]] static constexpr PortPlaces of(std::uint32_t ports, PortSpread spread) {
    return spread == PortSpread::kPlanes ? PortPlaces{.planes = ports, .leaves = 1}
                                         : PortPlaces{.planes = 1, .leaves = ports};
  }
  /// The plane of a NIC's port.
  [[nodiscard]] constexpr std::uint32_t plane_of(std::uint32_t port) const { return planes > 1 ? port : 0; }
};

}  // namespace weft::fabric
