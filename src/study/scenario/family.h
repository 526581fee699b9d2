// The families of protocols that a scenario may name.
#pragma once

#include <cstdint>

namespace weft::study::scenario {

enum class Family : std::uint8_t { kRoceV2, kInfiniband, kRoceV1, kIwarp, kTcp };
/// Its ports speak InfiniBand, not Ethernet.
[[nodiscard]] constexpr bool is_infiniband(Family family) { return family == Family::kInfiniband; }
/// Its engines are those of the InfiniBand transport (RC, UC, UD), not streams over TCP.
[[nodiscard]] constexpr bool has_ib_transport(Family family) {
  return family != Family::kIwarp && family != Family::kTcp;
}

}  // namespace weft::study::scenario
