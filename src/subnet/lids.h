// LIDs as OpenSM assigns them: the manager's port first, then all end ports in the order of their GUIDs (`sweep_key`).
//
// An end port is a port of an adapter or port 0 of a switch. Adapters get 2^LMC LIDs, aligned to that number; switches
// one, unless their port 0 is enhanced and `lmc_of_enhanced_port0` says so. A port that already has LIDs keeps them if
// they are aligned and free; others get the first range that fits. What alignment leaves out is not used later.
#pragma once

#include <vector>

#include "subnet/subnet.h"

namespace weft::subnet {

struct LidOptions {
  std::uint8_t lmc = 0;  // 0 to 7
  bool lmc_of_enhanced_port0 = false;
};

/// Assigns LIDs in a discovered subnet with a manager. Errors: more LIDs than there are; an LMC above 7.
[[nodiscard]] Result<void> assign_lids(Subnet& subnet, const LidOptions& options = {});

/// The end ports that have a cable or are port 0 of a switch, in the order of their port GUIDs.
[[nodiscard]] std::vector<PortPlace> end_ports(const Subnet& subnet);

}  // namespace weft::subnet
