// From [security] to what stands between NIC ports and their wires.
#pragma once

#include <optional>

#include "base/rate.h"
#include "host/bump_in_the_wire.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Of every NIC port of a host; none: the scenario has neither encryption nor firewalls.
[[nodiscard]] std::optional<host::BumpOptions> bump_options(const scenario::Scenario& scenario);

/// What encryption and firewall let through of full packets, in bits of the wire; none: as much as the line.
[[nodiscard]] std::optional<Rate> protected_rate(const scenario::Scenario& scenario);

}  // namespace weft::study::assembly
