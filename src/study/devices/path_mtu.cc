#include "study/devices/path_mtu.h"

#include <algorithm>

#include "study/scenario/packet_sizes.h"

namespace weft::study::devices {

std::uint64_t interface_mtu(const scenario::Scenario& scenario, Bytes path_mtu) {
  constexpr std::int64_t kFrameBeyondIp = 18;  // Ethernet header and FCS
  constexpr std::int64_t kRoceHeaders = 96;
  const std::int64_t packet = scenario::largest_packet(scenario, path_mtu).frame.count() - kFrameBeyondIp;
  const bool is_roce =
      scenario.fabric.family == scenario::Family::kRoceV2 || scenario.fabric.family == scenario::Family::kRoceV1;
  return static_cast<std::uint64_t>(is_roce ? std::max(packet, path_mtu.count() + kRoceHeaders) : packet);
}

}  // namespace weft::study::devices
