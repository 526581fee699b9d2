// Any bytes as a connection matrix and as a topology of htsim: never a crash; what is accepted makes a flow list, and a
// graph that is one.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "fabric/topology/graph_file.h"
#include "study/import/connection_matrix.h"
#include "study/import/htsim_topology.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  using namespace weft::study::import;
  const HtsimText text{.text = {reinterpret_cast<const char*>(data), size}, .name = "input"};
  for (const HtsimStart start : {HtsimStart::kMicroseconds, HtsimStart::kPicoseconds}) {
    const auto matrix = parse_connection_matrix(text, start);
    WEFT_ASSERT(matrix ? !flow_list_text(*matrix).empty() : matrix.error().message.starts_with("input:"));
  }
  const auto topology = parse_htsim_topology(text);
  if (!topology) {
    WEFT_ASSERT(topology.error().message.starts_with("input:"));
    return 0;
  }
  constexpr std::uint32_t kSmall = 4096;  // a graph of more takes long
  if (topology->nodes <= kSmall && topology->pods * topology->aggs_per_pod <= kSmall && topology->cores <= kSmall &&
      topology->leaves() <= kSmall) {
    const auto graph = fabric::parse_graph({.text = graph_text(*topology), .name = "graph"});
    WEFT_ASSERT(graph.has_value());
  }
  return 0;
}
