// By how much later a rank of a traffic starts than the traffic: start_jitter, drawn from seed and names.
#pragma once

#include "base/time.h"
#include "study/assembly/build_traffic.h"

namespace weft::study::run {

[[nodiscard]] Duration start_delay(const assembly::TrafficPlan& plan, std::uint32_t rank);

}  // namespace weft::study::run
