#include "cli/subnet_groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "subnet/multicast/multicast_blocks.h"

namespace weft::cli {
namespace {

constexpr std::string_view kEveryAdapter = "ALL";

Result<void> add_member(std::string_view name, const ManagedSubnet& managed,
                        std::vector<subnet::EndPortIndex>& members) {
  const bool all = name == kEveryAdapter;
  Result<subnet::NodeIndex> node =
      all ? Result<subnet::NodeIndex>(subnet::NodeIndex()) : find_node(managed.subnet, name);
  if (!node) {
    return pass_on(node);
  }
  bool found = false;
  for (std::size_t i = 0; i < managed.view.end_ports.size(); ++i) {
    const subnet::EndPort& end = managed.view.end_ports[i];
    const subnet::EndPortIndex port(static_cast<std::uint32_t>(i));
    if (all ? end.type != subnet::NodeType::kChannelAdapter : end.place.node != *node) {
      continue;
    }
    found = true;
    if (std::ranges::find(members, port) == members.end()) {
      members.push_back(port);
    }
    if (!all) {
      break;  // its first port
    }
  }
  return found ? Result<void>() : fail("'{}' has no port with a LID", name);
}

Result<std::vector<subnet::EndPortIndex>> members_of(std::string_view names, const ManagedSubnet& managed) {
  std::vector<subnet::EndPortIndex> members;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    if (Result<void> added = add_member(names.substr(0, end), managed, members); !added) {
      return pass_on(added);
    }
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return members;
}

}  // namespace

Result<RoutedGroups> route_groups(const SubnetText& text, const ManagedSubnet& managed) {
  RoutedGroups routed;
  for (const std::string& group : text.groups) {
    const std::size_t equals = group.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == group.size()) {
      return fail("--group '{}': expected NAME=NODE,NODE,... or NAME=ALL", group);
    }
    const std::string name = group.substr(0, equals);
    if (std::ranges::find(routed.names, name) != routed.names.end()) {
      return fail("--group '{}': another group has the name '{}'", group, name);
    }
    Result<std::vector<subnet::EndPortIndex>> members = members_of(std::string_view(group).substr(equals + 1), managed);
    if (!members) {
      return fail("--group '{}': {}", group, members.error().message);
    }
    routed.groups.push_back({.lid = static_cast<subnet::Lid>(subnet::kFirstMulticastLid + routed.groups.size()),
                             .members = std::move(*members)});
    routed.names.push_back(name);
  }
  Result<subnet::MulticastRoutes> routes =
      route_multicast(managed.view, {.used = managed.routes.used, .options = managed.engine.options}, routed.groups);
  if (!routes) {
    return pass_on(routes);
  }
  routed.routes = std::move(*routes);
  for (const subnet::MulticastGroup& group : routed.groups) {
    routed.checks.push_back(check_multicast(managed.view, routed.routes.tables, group));
  }
  for (std::size_t i = 0; i < routed.routes.tables.size(); ++i) {
    const std::size_t blocks = subnet::multicast_blocks(managed.view.switches[i], routed.routes.tables[i]).size();
    routed.switches += blocks > 0 ? 1 : 0;
    routed.blocks += blocks;
  }
  return routed;
}

}  // namespace weft::cli
