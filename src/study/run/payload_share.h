// The part of the bytes on a wire that is a program's payload, in a stream of full packets.
#pragma once

#include "study/scenario/family.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

/// Above 0 and below 1. `family`: of the traffic. `reads`: the packets are answers to READs. Of streams what every
/// segment has counts, as if all were full: options of TCP; FPDUs of iWARP with markers, as those of tagged data.
[[nodiscard]] double payload_share(const scenario::Scenario& scenario, scenario::Family family, bool reads);

}  // namespace weft::study::run
