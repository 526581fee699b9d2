// From a scenario to what its devices are to be configured as.
#pragma once

#include <vector>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/devices/device_config.h"
#include "study/scenario/scenario.h"

namespace weft::study::devices {

/// Numbers that devices have in coarser units than the scenario, as they were rounded: "leaf0: mrai 30 ms is 0 s".
struct Described {
  std::vector<DeviceConfig> devices;
  std::vector<std::string> rounded;  // each once
};

/// Every switch in the syntax, in the order of the graph. Errors: InfiniBand; those of the fabric's options.
[[nodiscard]] Result<Described> describe_switches(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                                  Syntax syntax);
/// Every port of a host's NIC. Errors: InfiniBand.
[[nodiscard]] Result<Described> describe_nics(const scenario::Scenario& scenario, const fabric::Graph& graph);
/// opensm.conf, partitions.conf and the QoS policy; GUIDs are those of assembly::build_subnet(). Errors: not
/// InfiniBand; those of the traffic, where it has partitions.
[[nodiscard]] Result<Described> describe_manager(const scenario::Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study::devices
