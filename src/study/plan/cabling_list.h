// A network's cables one by one: from which port to which, of what kind and length. For those who lay them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/topology/graph.h"
#include "study/results/results_csv.h"
#include "study/scenario/scenario.h"

namespace weft::study::plan {

struct CableRow {
  std::string from;       // "host3/nic0", "leaf1"
  std::string from_port;  // of a switch: "port5", split: "port5/1"; of a NIC's only port: ""
  std::string to;
  std::string to_port;
  std::string kind;         // "400g copper", "400g copper breakout", "400g multimode", "800g single-mode"
  std::int64_t pieces = 1;  // side by side, where no part has the link's rate
  std::int64_t metres = 0;  // rounded up
};

/// In the order of the graph's links, which is the same each time. Links inside a switch are no cables. Ports of
/// switches are parts of one of the box's, `breakout` of each; 1: they are whole.
[[nodiscard]] std::vector<CableRow> cabling_of(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                               std::int64_t breakout = 1);

/// "from,from_port,to,to_port,kind,pieces,length_m".
[[nodiscard]] std::string cabling_csv(const std::vector<CableRow>& rows);

}  // namespace weft::study::plan
