// What a subnet manager writes into the agents after discovery: lists of Set requests, one for each step of a sweep.
//
// Each holds what is known of the agents against what they are to have, and asks for the difference alone, in the order
// of OpenSM 3.3.23. Fields that a Set does not change are those that PortInfo or SwitchInfo gave. Multicast tables are
// written whole, as far as a switch has had entries, whenever they are.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "subnet/forwarding_tables.h"
#include "subnet/manager/known_subnet.h"
#include "subnet/manager/manager_options.h"
#include "subnet/multicast/multicast_tables.h"

namespace weft::subnet {

/// Blocks that the manager has written, as the agents have acknowledged them.
struct WrittenBlocks {
  std::map<Guid, ForwardingTable> linear;  // per switch
  /// Per node, attribute and modifier with the port: service levels and arbitration.
  std::map<std::tuple<Guid, std::uint16_t, std::uint32_t, PortNumber>, SmpData> others;
};

/// A subnet that has been found, with LIDs.
struct Found {
  const KnownSubnet& known;
  const Subnet& subnet;  // the same nodes
  const RoutingView& view;
};

/// What was written to the switches of a view, LIDs beyond that without routes.
[[nodiscard]] ForwardingTables held_tables(const RoutingView& view, const std::map<Guid, ForwardingTable>& written);

/// SwitchInfo of switches whose PortStateChange is set, which a Set clears.
[[nodiscard]] std::vector<Smp> change_resets(const KnownSubnet& known);
/// P_Key tables of end ports and of the switch ports that face adapters, and enforcement at those. Errors: those of
/// assign_partitions.
[[nodiscard]] Result<std::vector<Smp>> partition_sets(const Found& found, const ManagerOptions& options);
/// SL to VL tables by ingress and egress port, and arbitration; all lanes in use alike.
[[nodiscard]] std::vector<Smp> lane_sets(const KnownSubnet& known, const ManagerOptions& options,
                                         const WrittenBlocks& written);
/// LIDs, and what end ports get with them: the manager's LID, M_Key, timeouts. The manager's own port, or all others.
enum class LidStep : std::uint8_t { kOwn, kOthers };
[[nodiscard]] std::vector<Smp> lid_sets(const Found& found, const ManagerOptions& options, LidStep step);
/// LinearFDBTop of switches, then blocks of 64 LIDs, block by block over all switches.
[[nodiscard]] std::vector<Smp> table_sets(const Found& found, const ForwardingTables& tables,
                                          const WrittenBlocks& written);
/// Multicast forwarding tables: blocks of 32 LIDs by 16 ports, block by block over all switches. `most`: per switch by
/// its GUID, the blocks that it has had entries in; they are kept, so that what is no entry any more is written.
[[nodiscard]] std::vector<Smp> multicast_sets(const Found& found, const MulticastTables& tables,
                                              std::map<Guid, std::size_t>& most);
/// What an engine with service levels has given the paths from each end port of the view to the manager; empty: 0.
using ManagerLevels = std::vector<std::uint8_t>;
/// A master's first sweep sets every port of a switch, whatever it finds there.
enum class LinkScope : std::uint8_t { kChanged, kAll };
/// Ports of switches with a link: lifetimes, stall counts, error thresholds, MTU and lanes that both ends have. Ports
/// of adapters: the service level on which they reach the manager.
[[nodiscard]] std::vector<Smp> link_sets(const Found& found, const ManagerLevels& levels, LinkScope scope);
/// Ports with a link that are in the state before: Initialize before Armed, Armed before Active.
[[nodiscard]] std::vector<Smp> state_sets(const KnownSubnet& known, wire::PortState state);

}  // namespace weft::subnet
