// What `weft subnet` says: text for a terminal and JSON, of nodes, of routes and of what is wrong with them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "cli/subnet_groups.h"
#include "cli/subnet_input.h"
#include "subnet/route_report.h"

namespace weft::cli {

/// A route between two LIDs.
struct TracedRoute {
  subnet::RouteEnds ends;
  std::uint8_t lane = 0;
  std::vector<subnet::Egress> path;
};

[[nodiscard]] std::string nodes_text(const ManagedSubnet& managed, LineWidth width);
[[nodiscard]] nlohmann::ordered_json nodes_json(const ManagedSubnet& managed);

[[nodiscard]] std::string traces_text(const ManagedSubnet& managed, const std::vector<TracedRoute>& routes);
[[nodiscard]] nlohmann::ordered_json traces_json(const ManagedSubnet& managed, const std::vector<TracedRoute>& routes);

/// How evenly routes lie on cables; the text names the fullest.
[[nodiscard]] std::string balance_text(const ManagedSubnet& managed, const subnet::RouteReport& report,
                                       LineWidth width);
[[nodiscard]] nlohmann::ordered_json balance_json(const ManagedSubnet& managed, const subnet::RouteReport& report);

/// Broken routes and cycles of buffers.
[[nodiscard]] std::string check_text(const ManagedSubnet& managed, const subnet::RouteReport& report);
[[nodiscard]] nlohmann::ordered_json check_json(const ManagedSubnet& managed, const subnet::RouteReport& report);

/// Multicast groups: the tree of each, and what is wrong with it.
[[nodiscard]] std::string groups_text(const ManagedSubnet& managed, const RoutedGroups& routed, LineWidth width);
[[nodiscard]] nlohmann::ordered_json groups_json(const ManagedSubnet& managed, const RoutedGroups& routed);

}  // namespace weft::cli
