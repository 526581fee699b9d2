// One switch, "leaf0", with all hosts.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_builder.h"

namespace weft::fabric {

struct SingleSwitchOptions {
  std::uint32_t hosts = 16;
  std::uint32_t nics_per_host = 1;
  Cable host_link = kRackCable;
  Domains domains = Domains::kOne;
};

/// Endpoint e is on port e of the switch.
[[nodiscard]] Result<Graph> build_graph(const SingleSwitchOptions& options);

}  // namespace weft::fabric
