// The two ends of each cable between switches, where no plan says what is right: they contradict each other.
#pragma once

#include <vector>

#include "study/devices/lint.h"

namespace weft::study::devices {

/// One finding for each cable and rule: where the ends say the cable leads, their speed, subnet and length, at the
/// device that comes first; an address, a length or headroom that one end has and the other lacks, at the latter. Also
/// neighbours outside the subnets of the ports that lead to them, and two routers with one identifier. Sessions that
/// one end alone has are lint_session_ends' (study/devices/lint_session_ends.h).
void lint_cables(const std::vector<DeviceConfig>& devices, std::vector<Finding>& findings);

}  // namespace weft::study::devices
