#include "study/world/network_view.h"

#include <map>

#include "base/assert.h"
#include "control/conflict_free.h"
#include "control/cspf.h"
#include "control/greedy.h"
#include "control/min_max.h"
#include "study/world/max_min.h"

namespace weft::study::world {
namespace {

using control::ArcIndex;
using control::Vertex;

control::Placement place(control::CandidatePaths& candidates, const std::vector<control::Demand>& demands,
                         PlacementAlgorithm algorithm) {
  switch (algorithm) {
    case PlacementAlgorithm::kCspf:
      return control::place_cspf(candidates, demands).placement;
    case PlacementAlgorithm::kGreedy:
      return control::place_greedily(candidates, demands);
    case PlacementAlgorithm::kMinMax:
      return control::place_min_max(candidates, demands, {}).placement;
    case PlacementAlgorithm::kCommunicators:
      break;
  }
  return control::place_conflict_free(candidates, demands).placement;
}

}  // namespace

NetworkView::NetworkView(const fabric::Graph& graph)
    : view_{.vertices = graph.switches(), .arcs = {}},
      arcs_(graph.switches()),
      leaves_(graph.endpoints),
      lines_(graph.endpoints) {
  for (std::uint32_t ordinal = 0; ordinal < graph.switches(); ++ordinal) {
    arcs_[ordinal].resize(graph.nodes[graph.endpoints + ordinal].ports);
  }
  const auto add = [&](const fabric::LinkEnd& from, const fabric::LinkEnd& to, Rate rate) {
    const PathHop hop{.switch_ordinal = from.node.value() - graph.endpoints, .port = from.port};
    arcs_[hop.switch_ordinal][hop.port] = ArcIndex(static_cast<std::uint32_t>(view_.arcs.size()));
    hops_.push_back(hop);
    view_.arcs.push_back(
        {.from = Vertex(hop.switch_ordinal), .to = Vertex(to.node.value() - graph.endpoints), .capacity = rate});
  };
  for (const fabric::Link& link : graph.links) {
    const bool a_ends = link.a.node.value() < graph.endpoints;
    const bool b_ends = link.b.node.value() < graph.endpoints;
    if (!a_ends && !b_ends) {
      add(link.a, link.b, link.rate);
      add(link.b, link.a, link.rate);
      continue;
    }
    const fabric::LinkEnd& endpoint = a_ends ? link.a : link.b;
    const fabric::LinkEnd& other = a_ends ? link.b : link.a;
    if (other.node.value() >= graph.endpoints) {
      leaves_[endpoint.node.value()] = Vertex(other.node.value() - graph.endpoints);
      lines_[endpoint.node.value()] = link.rate;
    }
  }
}

std::optional<ArcIndex> NetworkView::arc_of(const PathHop& hop) const { return arcs_[hop.switch_ordinal][hop.port]; }

FlowHops NetworkView::hops_of(const control::Path& path) const {
  FlowHops hops;
  for (const ArcIndex arc : path) {
    hops.push_back(hop_of(arc));
  }
  return hops;
}

// The directions of a cable follow one another in the view.
control::Path NetworkView::reversed(const control::Path& path) {
  control::Path back;
  for (auto arc = path.rbegin(); arc != path.rend(); ++arc) {
    back.push_back(ArcIndex(arc->value() ^ 1U));
  }
  return back;
}

FlowPlacement place_flows(const NetworkView& network, const control::View& view, const std::vector<DemandedFlow>& flows,
                          PlacementAlgorithm algorithm, std::uint32_t most_paths) {
  control::CandidatePaths candidates(view, most_paths);
  std::vector<control::Demand> demands;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const control::Demand demand{.from = network.leaf_of(flows[i].flow.source),
                                 .to = network.leaf_of(flows[i].flow.destination),
                                 .rate = flows[i].rate};
    if (demand.from.is_valid() && demand.to.is_valid() && demand.from != demand.to) {
      demands.push_back(demand);
      which.push_back(i);
    }
  }
  const control::Placement placement = place(candidates, demands, algorithm);
  FlowPlacement made;
  made.highest = control::Loads(candidates, demands, placement).highest();
  for (std::size_t i = 0; i < demands.size(); ++i) {
    if (placement.choice[i]) {
      made.placed.push_back(
          {.flow = flows[which[i]].flow,
           .rate = demands[i].rate,
           .path = candidates.between({.from = demands[i].from, .to = demands[i].to})[*placement.choice[i]]});
    }
  }
  return made;
}

std::uint32_t conflicts_among(const std::vector<FlowPlacement::Placed>& flows) {
  control::ConflictCounter counter;
  for (const FlowPlacement::Placed& flow : flows) {
    counter.add(flow.path);
  }
  return counter.conflicts();
}

std::vector<Rate> host_limited_rates(const NetworkView& network, const std::vector<fabric::LeafFlow>& flows) {
  std::map<std::pair<EndpointId, bool>, std::uint32_t> numbers;  // of a line, sending or not
  std::vector<double> capacities;
  const auto number = [&](EndpointId endpoint, bool sends) {
    const auto [at, fresh] = numbers.try_emplace({endpoint, sends}, static_cast<std::uint32_t>(capacities.size()));
    if (fresh) {
      capacities.push_back(static_cast<double>(network.line_of(endpoint).bits_per_second()));
    }
    return at->second;
  };
  std::vector<FlowLinks> links;
  for (const fabric::LeafFlow& flow : flows) {
    links.push_back({{.link = number(flow.source, true)}, {.link = number(flow.destination, false)}});
  }
  std::vector<Rate> rates;
  for (const double rate : max_min_rates(links, capacities)) {
    rates.push_back(Rate::bits_per_second(static_cast<std::int64_t>(rate)));
  }
  return rates;
}

}  // namespace weft::study::world
