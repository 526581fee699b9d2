// The performance management agent of a node: ClassPortInfo, PortCounters and PortCountersExtended of its ports.
#pragma once

#include <span>

#include "subnet/agent/subnet_agent.h"

namespace weft::subnet {

/// `mad` is the whole request and becomes the answer, but for method and status. The method is Get or Set. Set writes
/// the counters that are selected.
//= ibta-1.7 16.1.3
[[nodiscard]] MadStatus answer_performance(ServedNode& node, const SmpRequest& request, std::span<std::byte> mad);

}  // namespace weft::subnet
