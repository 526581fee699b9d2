// The parts of a network that hosts reach each other in without a cable between switches: the hosts of one leaf, or of
// one leaf for each rail; and what leads out of them.
#pragma once

#include <cstdint>

#include "fabric/topology/graph.h"

namespace weft::study::plan {

struct Pods {
  std::int64_t count = 0;
  std::int64_t most_hosts = 0;  // of one
  /// Bits per second of all cables that lead out of a pod, one way, summed over the pods.
  double out = 0;
};

/// Endpoints of one host follow one another.
[[nodiscard]] Pods pods_of(const fabric::Graph& graph);

}  // namespace weft::study::plan
