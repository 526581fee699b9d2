// The reducers of a world and the trees over them: who reduces for which group.
//
// It stands for the service that real networks have beside their subnet manager: out of band, and without time. Trees
// are made when they are reserved or the first member creates its group, and taken down when the last one has destroyed
// it. The n-th group that a member creates over the same endpoints belongs to the n-th of every other member.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/topology/aggregation_tree.h"
#include "fabric/topology/graph.h"
#include "host/group_provider.h"
#include "host/reducer.h"
#include "sim/actor_order.h"

namespace weft::host {

class AggregationManager {
 public:
  struct Environment {
    sim::Kernel& kernel;
    const fabric::Graph& graph;  // with its reducers
    std::uint64_t seed = 1;
    bool carries_bytes = false;
    Service service = Service::kRdma;  // of the connections along trees
    std::uint32_t first_actor = 0;     // of kind kReduction; the others follow
    /// The world's numbers of the graph's endpoints, if they are not the graph's own.
    std::vector<EndpointId> endpoints{};
  };
  /// The graph must outlive this.
  AggregationManager(const ReductionOptions& options, const Environment& environment);

  /// Called for each reducer's ports, and each rail, before register_actors. `nic` gives the NIC of an endpoint.
  void make_reducers(const std::function<Nic&(EndpointId)>& nic);
  /// `name` is stable. The NIC and the rail's provider must outlive this.
  verbs::GroupProvider& add_rail(Nic& nic, SimProvider& rail, const std::string& name);
  void register_actors(sim::ActorOrder& ranks);
  /// Actor kReduction.
  void on_wake(std::uint32_t index, Time now) { actors_[index - environment_.first_actor].actor->on_wake(now); }
  /// The number behind those of its actors.
  [[nodiscard]] std::uint32_t end_actor() const {
    return environment_.first_actor + static_cast<std::uint32_t>(actors_.size());
  }

  [[nodiscard]] const std::deque<Reducer>& reducers() const { return reducers_; }
  [[nodiscard]] std::size_t trees() const;
  [[nodiscard]] std::size_t heap_bytes() const;

  // For the groups of rails.

  struct Joining {
    const std::vector<EndpointId>& members;
    std::uint32_t self = 0;
  };
  struct Membership {
    std::uint32_t tree = 0;
    EdgeAddress reducer;
  };
  /// Makes the trees of all these groups, which wait for their members. Asked again of the same owner: the first
  /// answer. Errors: no aggregation tree over some members, a reducer without room; no tree is kept then.
  [[nodiscard]] Result<void> reserve(const verbs::GroupReservation& reservation);
  /// Whether all members are endpoints of hosts. To be asked before the two below.
  [[nodiscard]] Result<void> check(const Joining& joining) const;
  /// The member's first PSN, for its next group over these members.
  [[nodiscard]] Psn first_psn(const Joining& joining) const;
  /// Errors: no aggregation tree over these members, a reducer without room.
  [[nodiscard]] Result<Membership> join(const Joining& joining, const EdgeAddress& member);
  /// The member's edge is destroyed with the tree.
  void leave(std::uint32_t tree, const TreeEdge& edge);

 private:
  struct Actor {
    ReductionActor* actor = nullptr;
    std::uint64_t name_hash = 0;
  };
  struct MemberPlace {
    std::uint32_t node = 0;
    std::uint32_t child = 0;
  };
  struct Tree {
    std::string name;
    fabric::AggregationTree shape;
    std::vector<Reducer::GroupNumber> groups;  // by node
    std::vector<MemberPlace> members;
    std::vector<TreeEdge> left;
  };
  /// Groups over the same members.
  struct MemberSet {
    std::vector<std::uint32_t> joined;  // how many, by member
    std::vector<std::uint32_t> trees;
  };

  [[nodiscard]] Result<void> make_trees(const verbs::GroupReservation& reservation);
  [[nodiscard]] Result<std::uint32_t> make_tree(const std::vector<EndpointId>& members, const std::string& name);
  [[nodiscard]] Result<void> open_groups(Tree& tree);
  [[nodiscard]] Result<void> join_nodes(Tree& tree, std::uint32_t parent, std::uint32_t child);
  void close(Tree& tree);
  [[nodiscard]] std::string name_of(const std::vector<EndpointId>& members, std::size_t number) const;
  [[nodiscard]] Reducer& reducer_of(const Tree& tree, std::uint32_t node);
  [[nodiscard]] Psn psn_of(const std::string& edge) const;
  /// A member in the graph; invalid: it is no endpoint of a host there.
  [[nodiscard]] EndpointId in_graph(EndpointId member) const;

  ReductionOptions options_;
  Environment environment_;
  std::map<EndpointId, EndpointId> in_graph_;  // if the graph has numbers of its own
  std::deque<Reducer> reducers_;
  std::map<fabric::NodeIndex, std::uint32_t> reducer_at_;  // by switch
  std::deque<SimGroupProvider> rails_;
  std::vector<Actor> actors_;
  std::map<std::vector<EndpointId>, MemberSet> families_;
  std::deque<Tree> trees_;
  std::map<std::uint64_t, Result<void>> reserved_;  // by owner
  /// Ports of switches by what they lead to. An edge of a tree has the internal port of the same number as the cable by
  /// which it comes: what comes in there has it for itself.
  std::map<std::pair<fabric::NodeIndex, fabric::NodeIndex>, std::uint16_t> ports_;
};

}  // namespace weft::host
