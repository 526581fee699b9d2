// Multicast groups of a scenario: who is in each, and the trees that a subnet manager makes for them.
//
// Trees are those of OpenSM (subnet/multicast/spanning_tree.h) with the engine that routes the network; with `minhop`
// where the run goes by a rule or by tables from a file. All ports that send or receive are in the tree, as OpenSM has
// it: a port that only sends is sent what others send, and its adapter drops it.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "fabric/routing/multicast_tables.h"
#include "fabric/topology/graph.h"
#include "study/assembly/build_traffic.h"
#include "study/assembly/participants.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Those of all that send or receive, in the order in which they stand there. Errors: a selector that names nobody
/// more.
[[nodiscard]] Result<std::vector<Participant>> group_participants(const scenario::TrafficSettings& traffic,
                                                                  const std::vector<Participant>& all);

/// Of a traffic between them. Errors: a sender that is the only member.
[[nodiscard]] Result<MulticastPlan> plan_multicast(const scenario::Scenario& scenario,
                                                   const scenario::TrafficSettings& traffic,
                                                   const std::vector<Participant>& participants);

/// Gives each group its LID and its tree: of plans without one nothing. The network is InfiniBand. Errors: members
/// without a path between them, a group whose ports are all one, and what subnet_routes() has.
[[nodiscard]] Result<fabric::MulticastTables> multicast_tables(const scenario::Scenario& scenario,
                                                               const fabric::Graph& graph,
                                                               std::span<TrafficPlan> plans);

}  // namespace weft::study::assembly
