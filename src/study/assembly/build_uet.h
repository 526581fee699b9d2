// From a scenario to what a NIC's Ultra Ethernet engine is made with.
#pragma once

#include "base/rate.h"
#include "base/time.h"
#include "study/scenario/scenario.h"
#include "transport/uet/uet_options.h"

namespace weft::study::assembly {

/// What values that are `auto` follow from.
struct UetSite {
  Rate line;            // of the NIC
  Duration round_trip;  // the longest of the idle network
};

[[nodiscard]] transport::UetOptions uet_options(const scenario::Scenario& scenario, const UetSite& site);
/// Whether data packets may be trimmed.
[[nodiscard]] bool allows_trimming(const scenario::Scenario& scenario);

}  // namespace weft::study::assembly
