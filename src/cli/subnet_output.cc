#include "cli/subnet_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/text_table.h"

namespace weft::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kFullestShown = 10;

const subnet::Node& node_at(const ManagedSubnet& managed, subnet::SwitchIndex at) {
  return managed.subnet[managed.view[at].node];
}

/// The node behind an egress port and the port there.
struct FarEnd {
  std::string node;
  subnet::PortNumber port = 0;
};

FarEnd far_end(const ManagedSubnet& managed, const subnet::Egress& egress) {
  const subnet::SwitchPort& port = managed.view[egress.at].ports[egress.port];
  const subnet::NodeIndex node =
      port.to_switch.is_valid() ? managed.view[port.to_switch].node : managed.view[port.to_end_port].place.node;
  return {.node = managed.subnet[node].description, .port = port.peer_port};
}

std::string cable_text(const ManagedSubnet& managed, const subnet::Egress& egress) {
  const FarEnd to = far_end(managed, egress);
  return fmt::format("{} [{}] > [{}] {}", node_at(managed, egress.at).description, egress.port, to.port, to.node);
}

ordered_json cable_json(const ManagedSubnet& managed, const subnet::Egress& egress) {
  const FarEnd to = far_end(managed, egress);
  return {
      {"from", node_at(managed, egress.at).description}, {"port", egress.port}, {"to", to.node}, {"to_port", to.port}};
}

std::size_t cables(const ManagedSubnet& managed) {
  std::size_t ends = 0;
  for (const subnet::Node& node : managed.subnet.nodes) {
    ends += static_cast<std::size_t>(
        std::ranges::count_if(node.ports, [](const subnet::Port& port) { return port.peer.has_value(); }));
  }
  return ends / 2;
}

std::string head(const ManagedSubnet& managed) {
  const subnet::EndPort& manager = managed.view[managed.view.manager];
  return fmt::format("{} switches, {} adapters, {} cables\nLIDs 1 to {}, LMC {}, manager at {} port {}\nrouted by {}\n",
                     managed.view.switches.size(), managed.subnet.nodes.size() - managed.view.switches.size(),
                     cables(managed), managed.view.last_lid(), managed.view.lmc,
                     managed.subnet[manager.place.node].description, manager.place.port, managed.source);
}

ordered_json head_json(const ManagedSubnet& managed) {
  const subnet::EndPort& manager = managed.view[managed.view.manager];
  return {{"switches", managed.view.switches.size()},
          {"adapters", managed.subnet.nodes.size() - managed.view.switches.size()},
          {"cables", cables(managed)},
          {"last_lid", managed.view.last_lid()},
          {"lmc", managed.view.lmc},
          {"manager", managed.subnet[manager.place.node].description},
          {"routed_by", managed.source}};
}

std::string lids_text(const subnet::EndPort& end) {
  return end.lids == 1 ? fmt::format("{}", end.lid) : fmt::format("{}-{}", end.lid, end.lid + end.lids - 1);
}

std::string port_text(const ManagedSubnet& managed, subnet::Lid lid) {
  const subnet::EndPort& end = managed.view[managed.view.by_lid[lid]];
  return fmt::format("{} (LID {})", managed.subnet[end.place.node].description, lid);
}

double share(std::uint64_t sum, std::size_t count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

}  // namespace

std::string nodes_text(const ManagedSubnet& managed, LineWidth width) {
  TextTable table({{.heading = "LID", .align = TextTable::Align::kRight},
                   {.heading = "type"},
                   {.heading = "node", .wraps = true},
                   {.heading = "port", .align = TextTable::Align::kRight},
                   {.heading = "port GUID", .rank = 1}},
                  width);
  for (std::size_t lid = 1; lid < managed.view.by_lid.size(); ++lid) {
    if (!managed.view.by_lid[lid].is_valid()) {
      continue;
    }
    const subnet::EndPort& end = managed.view[managed.view.by_lid[lid]];
    if (end.lid == lid) {
      table.add({lids_text(end), end.is_switch() ? "switch" : "adapter", managed.subnet[end.place.node].description,
                 fmt::format("{}", end.place.port), fmt::format("0x{:016x}", end.guid.value)});
    }
  }
  return head(managed) + "\n" + table.text();
}

ordered_json nodes_json(const ManagedSubnet& managed) {
  ordered_json document = head_json(managed);
  document["ports"] = ordered_json::array();
  for (const subnet::EndPort& end : managed.view.end_ports) {
    document["ports"].push_back({{"node", managed.subnet[end.place.node].description},
                                 {"type", subnet::to_string(end.type)},
                                 {"port", end.place.port},
                                 {"guid", fmt::format("0x{:016x}", end.guid.value)},
                                 {"lid", end.lid},
                                 {"lids", end.lids}});
  }
  return document;
}

std::string traces_text(const ManagedSubnet& managed, const std::vector<TracedRoute>& routes) {
  std::string text;
  for (const TracedRoute& route : routes) {
    text += fmt::format("{} to {}: {} switches, lane {}\n", port_text(managed, route.ends.from),
                        port_text(managed, route.ends.to), route.path.size(), route.lane);
    for (const subnet::Egress& egress : route.path) {
      text += fmt::format("  {}\n", cable_text(managed, egress));
    }
  }
  return text;
}

ordered_json traces_json(const ManagedSubnet& managed, const std::vector<TracedRoute>& routes) {
  ordered_json document = head_json(managed);
  document["routes"] = ordered_json::array();
  for (const TracedRoute& route : routes) {
    ordered_json path = ordered_json::array();
    for (const subnet::Egress& egress : route.path) {
      path.push_back(cable_json(managed, egress));
    }
    document["routes"].push_back(
        {{"from_lid", route.ends.from}, {"to_lid", route.ends.to}, {"lane", route.lane}, {"path", std::move(path)}});
  }
  return document;
}

std::string balance_text(const ManagedSubnet& managed, const subnet::RouteReport& report, LineWidth width) {
  std::vector<subnet::CableLoad> loads = report.cables;
  std::ranges::stable_sort(loads, std::greater<>(), &subnet::CableLoad::routes);
  std::string text = head(managed);
  text += fmt::format("{} routes between LIDs of adapters, {:.2f} cables between switches each, at most {}\n",
                      report.routes, share(report.hops, report.routes), report.longest);
  if (loads.empty()) {
    return text;
  }
  text += fmt::format("routes on a cable's direction: {} to {}, mean {:.2f}\n\n", loads.back().routes,
                      loads.front().routes, share(report.hops, loads.size()));
  TextTable table({{.heading = "the fullest", .wraps = true}, {.heading = "routes", .align = TextTable::Align::kRight}},
                  width);
  for (std::size_t i = 0; i < std::min(kFullestShown, loads.size()); ++i) {
    table.add({cable_text(managed, loads[i].egress), fmt::format("{}", loads[i].routes)});
  }
  return text + table.text();
}

ordered_json balance_json(const ManagedSubnet& managed, const subnet::RouteReport& report) {
  ordered_json document = head_json(managed);
  document["routes"] = report.routes;
  document["hops"] = report.hops;
  document["longest"] = report.longest;
  document["cables"] = ordered_json::array();
  for (const subnet::CableLoad& load : report.cables) {
    ordered_json cable = cable_json(managed, load.egress);
    cable["routes"] = load.routes;
    document["cables"].push_back(std::move(cable));
  }
  return document;
}

std::string check_text(const ManagedSubnet& managed, const subnet::RouteReport& report) {
  std::string text = head(managed);
  text += fmt::format("{} routes between LIDs of adapters lead there", report.routes);
  text += report.first_broken
              ? fmt::format(", {} do not; the first from {} to {}\n", report.broken,
                            port_text(managed, report.first_broken->from), port_text(managed, report.first_broken->to))
              : std::string(", all\n");
  for (const subnet::LaneReport& lane : report.lanes) {
    text += fmt::format("lane {}: {} routes, ", lane.lane, lane.routes);
    text += lane.cycle.empty() ? std::string("no cycle of buffers\n")
                               : fmt::format("a cycle of {} buffers that can block for ever:\n", lane.cycle.size());
    for (const subnet::Egress& egress : lane.cycle) {
      text += fmt::format("  {}\n", cable_text(managed, egress));
    }
  }
  return text;
}

ordered_json check_json(const ManagedSubnet& managed, const subnet::RouteReport& report) {
  ordered_json document = head_json(managed);
  document["routes"] = report.routes;
  document["broken"] = report.broken;
  document["lanes"] = ordered_json::array();
  for (const subnet::LaneReport& lane : report.lanes) {
    ordered_json cycle = ordered_json::array();
    for (const subnet::Egress& egress : lane.cycle) {
      cycle.push_back(cable_json(managed, egress));
    }
    document["lanes"].push_back({{"lane", lane.lane}, {"routes", lane.routes}, {"cycle", std::move(cycle)}});
  }
  return document;
}

}  // namespace weft::cli
