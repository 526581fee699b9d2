// Traffic that a scenario does not require: left out where the network's family cannot carry it.
#pragma once

#include "study/scenario/scenario.h"

namespace weft::study::scenario {

/// Moves each [[traffic]] with `required = false` that this network cannot carry to `left_out`, with the reason. What
/// stands behind it in the list moves up, and its keys with it.
void leave_out_traffic(Scenario& scenario);

/// "traffic 'web' is left out: ..."; empty if nothing is. Several are joined by "; ".
[[nodiscard]] std::string left_out_text(const Scenario& scenario);

}  // namespace weft::study::scenario
