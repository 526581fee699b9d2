// Any bytes as a topology of ibsim or the output of ibnetdiscover: refused with a message, or a subnet that is swept,
// routed and written, and read again as the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "subnet/discovery_text.h"
#include "subnet/route_report.h"
#include "subnet/routing/engine.h"
#include "subnet/swept_subnet.h"
#include "subnet/topology_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  using namespace weft::subnet;
  const auto parsed = parse_topology({.text = {reinterpret_cast<const char*>(data), size}, .name = "input"});
  if (!parsed) {
    WEFT_ASSERT(!parsed.error().message.empty());
    return 0;
  }
  for (const Node& node : parsed->nodes) {
    for (const Port& port : node.ports) {
      WEFT_ASSERT(!port.peer || parsed->port(*port.peer).peer.has_value());
    }
  }
  const auto swept = sweep(*parsed);
  if (!swept) {
    WEFT_ASSERT(!swept.error().message.empty());
    return 0;
  }
  for (const EngineKind kind :
       {EngineKind::kMinhop, EngineKind::kUpdn, EngineKind::kFtree, EngineKind::kDfsssp, EngineKind::kNue}) {
    if (const auto routes = route_subnet(swept->view, kind)) {
      WEFT_ASSERT(routes->routes.tables.size() == swept->view.switches.size());
      (void)report_routes(swept->view, routes->routes);
    }
  }
  const std::string text = write_ibnetdiscover(swept->subnet);
  const auto again = parse_topology({.text = text, .name = "again"});
  WEFT_ASSERT(again.has_value() && again->nodes.size() == swept->subnet.nodes.size());
  return 0;
}
