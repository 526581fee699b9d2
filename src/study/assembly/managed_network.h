// The subnet managers of a scenario's network, as long as a run lasts: forwarding tables and service levels by
// `routing.engine` at its beginning, and of what is left while cables are down.
//
// Parts of the network that no cable joins (planes, rails without spines) are subnets with a manager each, at the first
// NIC port of each; a file of tables is of one subnet. What falls apart later has a manager in each part, too: a
// standby that takes over. LIDs stay as they were given at the beginning, and a LID that is in no part has no entry.
// Ports of reducers, which OpenSM knows nothing of, go by D-mod-K.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "fabric/topology/graph.h"
#include "study/assembly/build_subnet.h"
#include "study/assembly/subnet_routes.h"
#include "study/scenario/scenario.h"
#include "subnet/swept_subnet.h"

namespace weft::study::assembly {

struct ManagedTables {
  SubnetRoutes routes;
  std::uint64_t paths = 0;  // ordered pairs of LIDs of different NIC ports that lead to one another
  /// Buffers of a virtual lane can wait for each other in a cycle; of queue pairs that were connected at the beginning.
  bool can_block = false;
  /// Of the first such cycle, its buffers by their ports: "s0 [3] > [4] s1"; empty: there is none.
  std::vector<std::string> cycle{};
  std::string fallback{};  // why it is minhop, in place of the engine; empty: it is the engine
};

class ManagedNetwork {
 public:
  /// Of a scenario with scenario::has_manager(). Both outlive it.
  ManagedNetwork(const scenario::Scenario& scenario, const fabric::Graph& graph);

  /// At the beginning of a run. Errors: those of subnet_routes().
  [[nodiscard]] Result<ManagedTables> route();

  struct Outage {
    std::span<const fabric::LinkIndex> down;
    Time learned;  // for messages
    /// What switches hold, where that counts (subnet::EngineOptions::held); null: nothing.
    const fabric::LinearTables* held = nullptr;
  };
  /// After route(), which gave `first`; not of a file. As OpenSM does, minhop takes the place of an engine that cannot
  /// route what is left, and pairs without a path have no entries. Errors: a path that goes round in a loop, or is too
  /// long.
  [[nodiscard]] Result<ManagedTables> route_without(const Outage& outage, const SubnetRoutes& first);

 private:
  class Maker;

  void find_nodes();
  void keep_lids(const subnet::SweptSubnet& swept);

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  std::uint8_t lmc_;
  PlacedSubnet placed_;
  std::map<std::uint64_t, fabric::NodeIndex> node_of_;  // by the GUID of a NIC port or a switch
};

}  // namespace weft::study::assembly
