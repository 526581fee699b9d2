#include "cli/subnet_output.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/counted.h"
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

std::size_t count_of(const ManagedSubnet& managed, subnet::NodeType type) {
  return static_cast<std::size_t>(std::ranges::count(managed.subnet.nodes, type, &subnet::Node::type));
}

std::string routed_by(const ManagedSubnet& managed) { return fmt::format("routed by {}\n", managed.source); }

std::string head(const ManagedSubnet& managed) {
  const subnet::EndPort& manager = managed.view[managed.view.manager];
  const std::size_t routers = count_of(managed, subnet::NodeType::kRouter);
  return fmt::format("{} switches, {} adapters, {}{} cables\nLIDs 1 to {}, LMC {}, manager at {} port {}\n{}",
                     managed.view.switches.size(), count_of(managed, subnet::NodeType::kChannelAdapter),
                     routers > 0 ? fmt::format("{} routers, ", routers) : "", cables(managed), managed.view.last_lid(),
                     managed.view.lmc, managed.subnet[manager.place.node].description, manager.place.port,
                     managed.source.empty() ? std::string() : routed_by(managed));
}

ordered_json head_json(const ManagedSubnet& managed) {
  const subnet::EndPort& manager = managed.view[managed.view.manager];
  ordered_json document{{"switches", managed.view.switches.size()},
                        {"adapters", count_of(managed, subnet::NodeType::kChannelAdapter)},
                        {"routers", count_of(managed, subnet::NodeType::kRouter)},
                        {"cables", cables(managed)},
                        {"last_lid", managed.view.last_lid()},
                        {"lmc", managed.view.lmc},
                        {"manager", managed.subnet[manager.place.node].description}};
  if (!managed.source.empty()) {
    document["routed_by"] = managed.source;
  }
  return document;
}

std::string lids_text(const subnet::EndPort& end) {
  return end.lids == 1 ? fmt::format("{}", end.lid) : fmt::format("{}-{}", end.lid, end.lid + end.lids - 1);
}

std::string port_text(const ManagedSubnet& managed, subnet::Lid lid) {
  const subnet::EndPort& end = managed.view[managed.view.by_lid[lid]];
  return fmt::format("{} (LID {})", managed.subnet[end.place.node].description, lid);
}

const char* type_text(subnet::NodeType type) {
  switch (type) {
    case subnet::NodeType::kChannelAdapter:
      return "adapter";
    case subnet::NodeType::kSwitch:
      return "switch";
    case subnet::NodeType::kRouter:
      break;
  }
  return "router";
}

/// Of how many routes lead nowhere; empty: of none.
std::string broken_text(const ManagedSubnet& managed, const subnet::RouteReport& report) {
  return report.first_broken
             ? fmt::format("{} routes lead nowhere; the first from {} to {}\n", report.broken,
                           port_text(managed, report.first_broken->from), port_text(managed, report.first_broken->to))
             : std::string();
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
      table.add({lids_text(end), type_text(end.type), managed.subnet[end.place.node].description,
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
  std::string text = routed_by(managed);
  for (const TracedRoute& route : routes) {
    text +=
        fmt::format("{} to {}: {} switches{}\n", port_text(managed, route.ends.from), port_text(managed, route.ends.to),
                    route.path.size(), managed.lanes_known ? fmt::format(", lane {}", route.lane) : "");
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
    ordered_json made{{"from_lid", route.ends.from}, {"to_lid", route.ends.to}};
    if (managed.lanes_known) {
      made["lane"] = route.lane;
    }
    made["path"] = std::move(path);
    document["routes"].push_back(std::move(made));
  }
  return document;
}

std::string balance_text(const ManagedSubnet& managed, const subnet::RouteReport& report, LineWidth width) {
  std::vector<subnet::CableLoad> loads = report.cables;
  std::ranges::stable_sort(loads, std::greater<>(), &subnet::CableLoad::routes);
  std::string text = head(managed);
  text += fmt::format("{} routes between LIDs of adapters, {:.2f} cables between switches each, at most {}\n",
                      report.routes, share(report.hops, report.routes), report.longest);
  text += broken_text(managed, report);
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
  document["broken"] = report.broken;
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

namespace {

constexpr std::size_t kUnreachedShown = 5;

/// "2 nodes of the file are not joined to the manager by any cable, and left out: S2, H2"; empty: all are.
std::string unreached_text(const ManagedSubnet& managed) {
  const std::size_t count = managed.unreached.size();
  if (count == 0) {
    return {};
  }
  const std::size_t shown = std::min(count, kUnreachedShown);
  return fmt::format(
      "{} of the file {} not joined to the manager by any cable, and left out: {}{}\n",
      counted(count, {"node", "nodes"}), count == 1 ? "is" : "are",
      fmt::join(managed.unreached.begin(), managed.unreached.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      count > shown ? fmt::format(" and {} more", count - shown) : std::string());
}

}  // namespace

std::string check_text(const ManagedSubnet& managed, const subnet::RouteReport& report) {
  std::string text = head(managed) + unreached_text(managed);
  text += report.first_broken ? fmt::format("{} of {} routes between LIDs of adapters arrive\n", report.routes,
                                            report.routes + report.broken) +
                                    broken_text(managed, report)
                              : fmt::format("all {} routes between LIDs of adapters arrive\n", report.routes);
  for (const subnet::LaneReport& lane : report.lanes) {
    text += managed.lanes_known ? fmt::format("lane {}: {} routes, ", lane.lane, lane.routes)
                                : std::string("if all routes share one lane, which a dump does not say: ");
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
  document["unreached"] = managed.unreached;
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

std::string groups_text(const ManagedSubnet& managed, const RoutedGroups& routed, LineWidth width) {
  const auto right = TextTable::Align::kRight;
  TextTable table({{.heading = "group", .wraps = true},
                   {.heading = "MLID"},
                   {.heading = "members", .align = right},
                   {.heading = "root", .wraps = true},
                   {.heading = "depth", .align = right, .rank = 1},
                   {.heading = "switches", .align = right},
                   {.heading = "cables", .align = right, .rank = 1}},
                  width);
  std::string faults;
  for (std::size_t i = 0; i < routed.groups.size(); ++i) {
    const subnet::MulticastTree& tree = routed.routes.trees[i];
    const subnet::MulticastCheck& check = routed.checks[i];
    table.add({routed.names[i], fmt::format("0x{:04X}", routed.groups[i].lid),
               fmt::format("{}", routed.groups[i].members.size()),
               tree.root.is_valid() ? node_at(managed, tree.root).description : "-", fmt::format("{}", tree.depth),
               fmt::format("{}", check.switches), fmt::format("{}", check.cables)});
    if (check.missing > 0) {
      faults += fmt::format("{}: {} members are not reached\n", routed.names[i], check.missing);
    }
    if (!check.is_tree) {
      faults += fmt::format("{}: its entries are no tree\n", routed.names[i]);
    }
  }
  return fmt::format("{}{} blocks of 32 LIDs by 16 ports in {} switches\n\n{}{}", head(managed), routed.blocks,
                     routed.switches, table.text(), faults);
}

ordered_json groups_json(const ManagedSubnet& managed, const RoutedGroups& routed) {
  ordered_json document = head_json(managed);
  document["blocks"] = routed.blocks;
  document["groups"] = ordered_json::array();
  for (std::size_t i = 0; i < routed.groups.size(); ++i) {
    const subnet::MulticastTree& tree = routed.routes.trees[i];
    ordered_json members = ordered_json::array();
    for (const subnet::EndPortIndex member : routed.groups[i].members) {
      members.push_back(managed.subnet[managed.view[member].place.node].description);
    }
    ordered_json entries = ordered_json::array();
    for (std::size_t at = 0; at < routed.routes.tables.size(); ++at) {
      const auto entry = routed.routes.tables[at].find(routed.groups[i].lid);
      if (entry == routed.routes.tables[at].end()) {
        continue;
      }
      ordered_json ports = ordered_json::array();
      for (std::size_t port = 0; port < entry->second.size(); ++port) {
        if (entry->second[port]) {
          ports.push_back(port);
        }
      }
      entries.push_back({{"switch", node_at(managed, managed.view.switch_at(at)).description}, {"ports", ports}});
    }
    document["groups"].push_back(
        {{"name", routed.names[i]},
         {"mlid", routed.groups[i].lid},
         {"members", members},
         {"root", tree.root.is_valid() ? ordered_json(node_at(managed, tree.root).description) : ordered_json()},
         {"depth", tree.depth},
         {"cables", routed.checks[i].cables},
         {"missing", routed.checks[i].missing},
         {"is_tree", routed.checks[i].is_tree},
         {"entries", entries}});
  }
  return document;
}

}  // namespace weft::cli
