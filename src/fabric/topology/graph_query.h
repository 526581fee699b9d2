// Questions about a graph that scenarios, reports and tests ask: by name, by tier, by port. Linear in the graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/rate.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

[[nodiscard]] std::optional<NodeIndex> find_node(const Graph& graph, std::string_view name);

/// "host3" of "host3/nic0".
[[nodiscard]] std::string_view host_name(const Node& endpoint);
[[nodiscard]] std::string_view host_name(std::string_view endpoint);

/// "host3/nic0" of "host3/nic0/port1"; an endpoint whose name does not end in "/port" and digits is its NIC's only
/// port.
[[nodiscard]] std::string_view nic_name(const Node& endpoint);

/// The link at this port.
[[nodiscard]] std::optional<LinkIndex> find_link(const Graph& graph, const LinkEnd& end);

/// Of each endpoint the rate of its link; zero without one.
[[nodiscard]] std::vector<Rate> endpoint_rates(const Graph& graph);

/// Of each endpoint the next port of the same NIC, in a ring; the endpoint itself where its NIC has no other.
[[nodiscard]] std::vector<EndpointId> next_ports(const Graph& graph);

[[nodiscard]] std::uint32_t switches_of_tier(const Graph& graph, std::uint8_t tier);

/// Sums of the rates of a switch's links towards lower and higher tiers. `down` over `up` is its oversubscription.
struct SwitchRates {
  Rate down;
  Rate up;
};
[[nodiscard]] SwitchRates switch_rates(const Graph& graph, NodeIndex node);
/// What the hosts' lines together are of what the network carries to its top: for each tier the largest
/// oversubscription of a switch, multiplied; at least 1.
[[nodiscard]] double oversubscription(const Graph& graph);

}  // namespace weft::fabric
