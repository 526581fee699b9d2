#include "subnet/route_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "subnet/routing/dependency_graph.h"

namespace weft::subnet {
namespace {

constexpr std::uint32_t kNoChannel = ~std::uint32_t{0};

/// A route as far as it leads.
struct Trace {
  std::vector<Egress> path{};
  SwitchIndex last{};  // the switch where it ended
  bool arrived = false;
  bool loops = false;
};

Trace follow(const RoutingView& view, const ForwardingTables& tables, SwitchIndex from, Lid to) {
  Trace trace;
  const EndPort& end = view[view.by_lid[to]];
  SwitchIndex at = from;
  while (trace.path.size() <= view.switches.size()) {
    trace.last = at;
    const PortNumber port = tables[at.value()][to];
    if (port >= view[at].ports.size()) {
      return trace;
    }
    if (port == 0) {
      trace.arrived = end.is_switch() && end.at == at;
      return trace;
    }
    trace.path.push_back({.at = at, .port = port});
    const SwitchPort& link = view[at].ports[port];
    if (!link.to_switch.is_valid()) {
      trace.arrived = link.to_end_port.is_valid() && link.to_end_port == view.by_lid[to];
      return trace;
    }
    at = link.to_switch;
  }
  trace.loops = true;
  return trace;
}

bool is_adapter(const EndPort& end) { return !end.is_switch() && end.at.is_valid(); }

class Reporter {
 public:
  Reporter(const RoutingView& view, const Routes& routes) : view_(view), routes_(routes) {
    for (std::size_t i = 0; i < view.switches.size(); ++i) {
      const std::vector<SwitchPort>& ports = view.switches[i].ports;
      channel_.emplace_back(ports.size(), kNoChannel);
      for (std::size_t port = 1; port < ports.size(); ++port) {
        if (ports[port].to_switch.is_valid()) {
          channel_[i][port] = static_cast<std::uint32_t>(report_.cables.size());
          report_.cables.push_back({.egress = {.at = view.switch_at(i), .port = static_cast<PortNumber>(port)}});
        }
      }
    }
  }

  RouteReport report() {
    for (std::size_t to = 1; to < view_.by_lid.size(); ++to) {
      if (view_.by_lid[to].is_valid() && is_adapter(view_[view_.by_lid[to]])) {
        add_destination(static_cast<Lid>(to));
      }
    }
    for (auto& [lane, found] : lanes_) {
      LaneReport made{.lane = lane, .routes = found.routes, .cycle = {}};
      for (const std::uint32_t channel : found.graph.find_cycle()) {
        made.cycle.push_back(report_.cables[channel].egress);
      }
      report_.lanes.push_back(std::move(made));
    }
    return std::move(report_);
  }

 private:
  struct Lane {
    std::uint64_t routes = 0;
    DependencyGraph graph;
  };

  void add_destination(Lid to) {
    const EndPortIndex destination = view_.by_lid[to];
    for (std::size_t i = 0; i < view_.switches.size(); ++i) {
      std::map<std::uint32_t, std::uint64_t> lanes;  // LIDs of the switch's adapters by the lane that they take
      RouteEnds first{.from = 0, .to = to};
      for (const SwitchPort& port : view_.switches[i].ports) {
        if (!port.to_end_port.is_valid()) {
          continue;
        }
        const EndPort& from = view_[port.to_end_port];
        if (from.place.node != view_[destination].place.node) {
          first.from = first.from == 0 ? from.lid : first.from;
          for (std::uint32_t lid = from.lid; lid < from.lid + from.lids; ++lid) {
            ++lanes[routes_.plan.lane(static_cast<Lid>(lid), to)];
          }
        }
      }
      if (!lanes.empty()) {
        add_sources(follow(view_, routes_.tables, view_.switch_at(i), to), first, lanes);
      }
    }
  }

  /// All adapters of a switch have one path to a destination. `first`: one of them.
  void add_sources(const Trace& trace, const RouteEnds& first, const std::map<std::uint32_t, std::uint64_t>& lanes) {
    for (const auto& [lane, routes] : lanes) {
      if (!trace.arrived) {
        report_.broken += routes;
        report_.first_broken = report_.first_broken.value_or(first);
        if (trace.loops) {
          report_.looping += routes;
          report_.first_looping = report_.first_looping.value_or(first);
        }
        continue;
      }
      const std::uint32_t hops = static_cast<std::uint32_t>(trace.path.size()) - 1;
      report_.routes += routes;
      report_.hops += std::uint64_t{hops} * routes;
      report_.longest = std::max(report_.longest, hops);
      add_channels(trace, lane, routes);
    }
  }

  Lane& lane_of(std::uint32_t lane) {
    const auto known = lanes_.find(lane);
    return known != lanes_.end()
               ? known->second
               : lanes_.emplace(lane, Lane{.graph = DependencyGraph(static_cast<std::uint32_t>(report_.cables.size()))})
                     .first->second;
  }

  void add_channels(const Trace& trace, std::uint32_t lane, std::uint64_t routes) {
    Lane& on = lane_of(lane);
    on.routes += routes;
    std::uint32_t before = kNoChannel;
    for (const Egress& egress : trace.path) {
      const std::uint32_t channel = channel_[egress.at.value()][egress.port];
      if (channel == kNoChannel) {
        break;  // to the adapter
      }
      report_.cables[channel].routes += routes;
      if (before != kNoChannel) {
        on.graph.add({.from = before, .to = channel});
      }
      before = channel;
    }
  }

  const RoutingView& view_;
  const Routes& routes_;
  std::vector<std::vector<std::uint32_t>> channel_;  // per switch and port
  std::map<std::uint32_t, Lane> lanes_;
  RouteReport report_;
};

}  // namespace

bool RouteReport::has_cycle() const {
  return std::ranges::any_of(lanes, [](const LaneReport& lane) { return !lane.cycle.empty(); });
}

Result<std::vector<Egress>> trace_route(const RoutingView& view, const ForwardingTables& tables,
                                        const RouteEnds& ends) {
  for (const Lid lid : {ends.from, ends.to}) {
    if (lid >= view.by_lid.size() || !view.by_lid[lid].is_valid()) {
      return fail("no port has LID {}; LIDs are 1 to {}", lid, view.last_lid());
    }
  }
  const SwitchIndex from = view[view.by_lid[ends.from]].at;
  if (!from.is_valid()) {
    return fail("LID {} has no cable to a switch", ends.from);
  }
  Trace trace = follow(view, tables, from, ends.to);
  if (trace.loops) {
    return fail("the route from LID {} to LID {} goes round in a loop", ends.from, ends.to);
  }
  if (!trace.arrived) {
    const bool leads_on = !trace.path.empty() && trace.path.back().at == trace.last;
    return fail(
        "no route from LID {} to LID {}: the switch with LID {} {}", ends.from, ends.to, view[trace.last].lid,
        leads_on ? fmt::format("sends it out of port {}, which leads elsewhere", trace.path.back().port) : "has none");
  }
  return std::move(trace.path);
}

RouteReport report_routes(const RoutingView& view, const Routes& routes) { return Reporter(view, routes).report(); }

}  // namespace weft::subnet
