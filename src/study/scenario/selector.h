// Selectors: which devices and ports an [[override]], an [[event]] or traffic means.
//
// A selector is a name in which `*` stands for any characters but '/', and `?` for one. It selects what it matches and
// everything below: "pod1" or "pod1/*" selects "pod1/leaf0" and "pod1/leaf0/port3".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "study/scenario/scenario.h"

namespace weft::study::scenario {

[[nodiscard]] bool selects(std::string_view selector, std::string_view name);
/// As above; "leaf1/*", all ports of a device, selects the device as a whole too.
[[nodiscard]] bool selects_device(std::string_view selector, std::string_view device);

/// The names that a topology has. A port is its device's name and "/portN"; a NIC is a device, "host3/nic0".
struct TopologyNames {
  std::span<const std::string> hosts;
  std::span<const std::string> devices;
  std::span<const std::string> ports;
};

/// Refuses selectors that match nothing, overrides of whole devices that select single ports alone, and hosts that
/// traffic names but the topology does not have. Errors have their place and the nearest name.
[[nodiscard]] Result<void> check_selectors(const Scenario& scenario, const TopologyNames& names);

}  // namespace weft::study::scenario
