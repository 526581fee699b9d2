// The groups of next hops of all switches that choose by a hash of hardware: resilient, of parallel links, weighted.
//
// One group per switch and leaf; switches' groups with the same members and the same history are one. Deterministic.
// Memory: a number per switch and leaf, and the groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/assert.h"
#include "fabric/hash/buckets.h"
#include "fabric/hash/member_choice.h"
#include "fabric/routing/port_weights.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

class HashGroups {
 public:
  struct Switch {
    HashOptions options{};
    std::uint64_t seed = 0;
    bool uses_groups = true;  // it has none otherwise, and is never asked
    bool weighs = false;      // by what update() is given
  };
  /// No groups.
  HashGroups() = default;
  /// By switch ordinal; empty until the first update().
  HashGroups(const Graph& graph, std::vector<Switch> switches);

  [[nodiscard]] bool empty() const { return switches_.empty(); }
  [[nodiscard]] bool covers(std::uint32_t switch_ordinal) const {
    return !switches_.empty() && switches_[switch_ordinal].uses_groups;
  }
  /// Routes or weights have changed: groups become what they would be in a switch.
  void update(const Routes& routes, const PortWeights& weights);

  struct Flow {
    std::uint32_t switch_ordinal = 0;
    std::uint32_t leaf = 0;  // of its destination
    std::uint32_t hash = 0;
  };
  /// One of routes.next_hops(), of which there are some.
  [[nodiscard]] std::uint16_t choose(const Flow& flow) const {
    const std::uint32_t id = ids_[std::size_t{flow.switch_ordinal} * switches_.size() + flow.leaf];
    WEFT_DCHECK(id < groups_.size());
    return groups_[id].choose(choices_[flow.switch_ordinal], flow.hash);
  }
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// Members in the order of their first ports.
  struct Group {
    std::vector<GroupMember> members;
    std::vector<std::uint32_t> first;    // of each member in `ports`; one more at the end
    std::vector<std::uint16_t> ports;    // those of a member together
    std::vector<std::uint32_t> names;    // by bucket; empty: not resilient
    std::vector<std::uint16_t> buckets;  // the same as places of members
    std::uint32_t total_weight = 0;      // 0: all are equal

    [[nodiscard]] std::uint16_t choose(const MemberChoice& choice, std::uint32_t hash) const;
  };
  /// What decides what a group becomes.
  struct Key {
    std::uint32_t before = kNone;
    std::vector<std::uint16_t> hops{};
    std::vector<std::uint32_t> weights{};
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  [[nodiscard]] Group make(std::uint32_t switch_ordinal, const Key& key) const;

  std::vector<Switch> switches_;
  std::vector<MemberChoice> choices_;                   // by switch
  std::vector<std::vector<std::uint32_t>> neighbours_;  // by switch and port: nodes
  std::vector<EndpointId> endpoints_;                   // of the graph
  std::vector<std::uint32_t> ids_;                      // by switch and leaf
  std::vector<Group> groups_;
};

}  // namespace weft::fabric
