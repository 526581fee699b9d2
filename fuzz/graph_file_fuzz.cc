// Any bytes as the text of a graph: never a crash, and what is accepted is a valid graph whose endpoints have routes to
// themselves.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  using namespace weft::fabric;
  const auto graph = parse_graph({.text = {reinterpret_cast<const char*>(data), size}, .name = "input"});
  if (!graph) {
    WEFT_ASSERT(!graph.error().message.empty());
    return 0;
  }
  WEFT_ASSERT(check(*graph).has_value());
  const Routes routes(*graph);
  for (const Link& link : graph->links) {
    if (link.a.node.value() < graph->endpoints && link.b.node.value() >= graph->endpoints) {
      const auto hops = routes.next_hops(link.b.node.value() - graph->endpoints, EndpointId(link.a.node.value()));
      WEFT_ASSERT(hops.size() == 1 && hops[0] == link.b.port);
    }
  }
  return 0;
}
