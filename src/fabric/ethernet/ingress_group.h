// What a priority at an ingress port of a shared buffer may hold, by its options.
#pragma once

#include "fabric/ethernet/options.h"
#include "fabric/flow_control/shared_buffer.h"

namespace weft::fabric {

/// Holds nothing yet. `cable` is for the headroom of lossless priorities, where none is given.
[[nodiscard]] IngressGroup ingress_group(const PriorityOptions& priority, const HeadroomTerms& cable);

}  // namespace weft::fabric
