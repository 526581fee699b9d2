// For tests: the tables of weft's own rule as a subnet manager would have written them.
#pragma once

#include <map>
#include <string>

#include "base/assert.h"
#include "fabric/routing/forwarding_table.h"
#include "fabric/routing/routes.h"
#include "study/assembly/build_subnet.h"
#include "subnet/forwarding_dump.h"
#include "subnet/swept_subnet.h"

namespace weft::study::assembly {

/// D-mod-K for the LIDs of a subnet that was swept from build_subnet(graph).
inline subnet::ForwardingTables tables_of_rule(const fabric::Graph& graph, const subnet::SweptSubnet& swept) {
  std::map<std::string, std::uint32_t> node_of;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    node_of[graph.nodes[i].name] = i;
  }
  const fabric::Routes routes(graph);
  const fabric::ForwardingTable rule(graph);
  const subnet::RoutingView& view = swept.view;
  subnet::ForwardingTables tables = subnet::empty_tables(view);
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    const std::uint32_t ordinal = node_of.at(swept.subnet[view.switches[i].node].id) - graph.endpoints;
    for (const subnet::EndPort& end : view.end_ports) {
      for (std::uint32_t offset = 0; !end.is_switch() && offset < end.lids; ++offset) {
        const EndpointId to(node_of.at(swept.subnet[end.place.node].id));
        const std::uint16_t port =
            rule.choose(ordinal, {.destination = to, .offset = offset}, routes.next_hops(ordinal, to));
        tables[i][end.lid + offset] = static_cast<subnet::PortNumber>(port + 1);
      }
    }
  }
  return tables;
}

/// Of a network whose NICs have one port each.
inline std::string dump_of_rule(const fabric::Graph& graph, std::uint8_t lmc) {
  const Result<subnet::Subnet> built = build_subnet(graph);
  WEFT_ASSERT(built.has_value());
  const Result<subnet::SweptSubnet> swept = subnet::sweep(*built, {.lmc = lmc});
  WEFT_ASSERT(swept.has_value());
  return subnet::write_lfts(swept->subnet, swept->view, tables_of_rule(graph, *swept));
}

}  // namespace weft::study::assembly
