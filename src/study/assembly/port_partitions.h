// The P_Keys of a network's ports by a partitions.conf (keys.partitions = "file"), and which of them a path has.
//
// Each subnet of the network has a manager that reads the file, as OpenSM does (subnet/partitions/partitions.h). A
// queue pair has the P_Key that OpenSM puts into the PathRecord of its path: of the lowest partition that both ports
// are in and one of them as a full member, with the membership of its own port.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/assembly/build_traffic.h"
#include "study/scenario/scenario.h"
#include "subnet/partitions/partition_file.h"

namespace weft::study::assembly {

/// A file is named, and the family has a manager that reads it.
[[nodiscard]] bool reads_partition_file(const scenario::Scenario& scenario);
/// Of a scenario that names one. Errors: it cannot be read, or OpenSM would refuse it.
[[nodiscard]] Result<std::vector<subnet::PartitionRule>> partition_rules(const scenario::Scenario& scenario);

/// P_Keys, with subnet::kFullMember, by endpoint; of ports of no host none.
using PortKeys = std::vector<std::vector<std::uint16_t>>;

/// None where no file is read. Errors: those of partition_rules; a GUID that no port has; P_Keys that are used up.
[[nodiscard]] Result<std::optional<PortKeys>> port_partitions(const scenario::Scenario& scenario,
                                                              const fabric::Graph& graph);

/// What a path from the first port to the second has there; 0: they cannot talk.
[[nodiscard]] std::uint16_t path_key(const PortKeys& keys, EndpointId source, EndpointId destination);

/// Of a multicast group: the P_Key of each port, in their order, in the lowest partition in which every sender reaches
/// every member; empty: there is none.
[[nodiscard]] std::vector<std::uint16_t> group_keys(const PortKeys& keys, std::span<const EndpointId> senders,
                                                    std::span<const EndpointId> members,
                                                    std::span<const EndpointId> ports);

/// The same as port_partitions() for these plans. Errors: also ports that exchange data by a plan and cannot talk, so
/// that no packet would arrive.
[[nodiscard]] Result<std::optional<PortKeys>> checked_partitions(const scenario::Scenario& scenario,
                                                                 const fabric::Graph& graph,
                                                                 std::span<const TrafficPlan> plans);

}  // namespace weft::study::assembly
