#include "fabric/fabric.h"

#include <fmt/core.h>

namespace weft::fabric {

std::string port_name(const Graph& graph, LinkEnd end) {
  return fmt::format("{}/port{}", graph[end.node].name, end.port);
}

}  // namespace weft::fabric
