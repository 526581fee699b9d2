// From a scenario to the path selectors of senders.
#pragma once

#include "host/nic_options.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Makes the selector of one flow; its seed differs from flow to flow. Empty: one path for ever.
[[nodiscard]] host::MakePathSelector path_selector(const scenario::TransportSettings& transport);
[[nodiscard]] host::MakePathSelector path_selector(const scenario::UetSettings& uet);
/// Of TCP connections, those of iWARP among them.
[[nodiscard]] host::MakeTcpPlb tcp_plb(const scenario::Scenario& scenario);

}  // namespace weft::study::assembly
