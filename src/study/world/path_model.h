// Where flows of a network go by its hashes, without a run: the load of every link, under the seeds, functions and
// fields that one asks for.
//
// Switches decide as they do in a run (fabric/hash/, fabric/routing/), with links as the topology has them and as
// events have left them: routes have followed each event, and resilient groups have kept what they could. A flow asks
// for its part of its sender's line: all flows of a sender share that by their bytes. Where every packet may take
// another path, a flow loads all of them with equal parts; shares of flows that choose their paths are those of any
// parts (path_cuts.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/hash/hash_groups.h"
#include "fabric/hash/header_hash.h"
#include "fabric/link_schedule.h"
#include "fabric/port_map.h"
#include "fabric/routing/forwarding_table.h"
#include "fabric/routing/linear_tables.h"
#include "fabric/routing/path_policy.h"
#include "fabric/routing/pinned_flows.h"
#include "fabric/routing/port_weights.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/graph.h"
#include "study/world/max_min.h"

namespace weft::study::world {

/// Packets of one queue pair.
struct PlannedFlow {
  EndpointId source{};
  EndpointId destination{};
  fabric::HeaderFields headers{};
  std::uint32_t tuple_hash = 0;  // flow_hash() of its 5-tuple
  std::uint32_t back_hash = 0;   // the same of what its receiver answers
  double bytes = 0;              // in proportion to the other flows of its sender
  std::uint16_t entropy = 0;     // of its packets; on InfiniBand it names a LID of the destination
  bool any_path = false;         // each packet has another entropy value
  bool chooses = false;          // its sender chooses these values by what it hears of paths
  /// Of queue pairs that carry parts of the same messages, or messages in turn: the same number, from 1. They send
  /// alike, at the pace of the slowest of them. 0: by itself.
  std::uint32_t together = 0;
};

/// By what tables of pinned flows know it.
[[nodiscard]] fabric::LeafFlow pinned_name(const PlannedFlow& flow);

/// How switches choose.
struct PathRules {
  fabric::PathPolicy policy = fabric::PathPolicy::kEcmp;
  bool switches_choose = false;  // by load
  fabric::HeaderHash header{};
  fabric::HashOptions hash{};
  fabric::Weighting weighting = fabric::Weighting::kEqual;
  /// Of every switch; unset: f(run_seed, name of the switch).
  std::optional<std::uint64_t> hash_seed{};
  std::uint64_t run_seed = 1;
  std::uint8_t lid_mask_control = 0;  // kTable: each destination has 2^this LIDs
  /// kTable: those of a subnet manager, which must outlive the rules; null or empty: by the rule of ForwardingTable.
  const fabric::LinearTables* linear = nullptr;
  /// kCentral: the table of each switch; the flows of a table are known by their 5-tuple.
  std::span<const fabric::PinnedFlows> tables{};
};

/// One direction of a link.
struct LinkLoad {
  double flows = 0;
  double demand = 0;  // bits per second, if each flow had its part of its sender's line

  friend bool operator==(const LinkLoad&, const LinkLoad&) = default;
};

/// What a switch has made of its choices.
struct SwitchUse {
  std::uint32_t flows = 0;    // that had several next hops
  std::uint32_t members = 0;  // next hops among which they had a choice
  std::uint32_t used = 0;     // those that were taken
};

struct PathLoads {
  std::vector<LinkLoad> links{};      // by egress port, as fabric::PortMap numbers them
  std::vector<SwitchUse> switches{};  // by ordinal
  std::vector<FlowLinks> flows{};     // links by their egress port, none if cut off; empty unless asked for
  /// By flow, if it chooses its paths: of how many of those links each hop consists, in their order.
  std::vector<std::vector<std::uint32_t>> hops{};
  std::uint64_t cut_off = 0;  // flows without a path, which load nothing
};

class PathModel {
 public:
  struct Options {
    std::vector<std::uint32_t> link_weight{};  // FabricOptions::link_weight
    fabric::RouteRule rule = fabric::RouteRule::kShortest;
    std::vector<fabric::LinkEvent> events{};  // that have happened, in any order
    // For rules with hash.buckets: what a resilient group is depends on what it was after each event.
    bool keeps_history = false;
  };
  /// The graph must outlive this.
  PathModel(const fabric::Graph& graph, Options options);

  enum class Keep : std::uint8_t { kLoads, kFlows };
  [[nodiscard]] PathLoads loads(std::span<const PlannedFlow> flows, const PathRules& rules,
                                Keep keep = Keep::kLoads) const;

  [[nodiscard]] const fabric::PortMap& ports() const { return ports_; }
  [[nodiscard]] const fabric::Graph& graph() const { return graph_; }
  /// At the other end of its cable.
  [[nodiscard]] fabric::NodeIndex peer_of(fabric::PortIndex port) const { return peers_[port]; }
  [[nodiscard]] bool is_down(fabric::LinkIndex link) const {
    return now().routes.state_of(link) == fabric::LinkState::kDown;
  }
  [[nodiscard]] const fabric::Routes& routes() const { return now().routes; }
  /// Bits per second, now.
  [[nodiscard]] double rate_of(fabric::PortIndex port) const;
  /// Bits per second that each flow asks for, by flow: its part of its sender's line.
  [[nodiscard]] std::vector<double> demands_of(std::span<const PlannedFlow> flows) const;
  /// Max-min fair rates over each sender's demand, by flow, 0 if cut off; of loads that keep flows. Flows that send
  /// together have one rate.
  [[nodiscard]] std::vector<double> shares(std::span<const PlannedFlow> flows, const PathLoads& loads) const;

 private:
  class Walk;
  /// What routes and rates were between two changes.
  struct State {
    fabric::Routes routes;
    std::vector<Rate> rates;  // by port
  };
  void apply(const fabric::LinkEvent& event, State& state) const;
  /// Flows that are filled as one, each with its part of their rate.
  struct Member {
    std::size_t flow = 0;
    double part = 1;
  };
  using Groups = std::vector<std::vector<Member>>;
  [[nodiscard]] static Groups groups_of(std::span<const PlannedFlow> flows, std::span<const double> demands,
                                        const PathLoads& loads);
  /// By group.
  [[nodiscard]] std::vector<double> rates_of(const PathLoads& loads, const Groups& groups) const;
  /// Of flows some of which choose their paths; none where equal parts are as good.
  [[nodiscard]] std::vector<double> rates_of_choices(const PathLoads& loads, const Groups& groups) const;
  [[nodiscard]] const State& now() const { return states_.back(); }
  [[nodiscard]] fabric::PortWeights weights_of(fabric::Weighting weighting, const State& state) const;

  const fabric::Graph& graph_;
  std::vector<std::uint32_t> link_weight_;
  fabric::PortMap ports_;
  std::vector<State> states_;             // the first: all links as the topology has them; the last: now
  std::vector<fabric::NodeIndex> peers_;  // by port
};

/// The load that asks most of its link among those between switches, in parts of its rate; 0 without any.
[[nodiscard]] double worst_load(const PathModel& model, const PathLoads& loads);

}  // namespace weft::study::world
