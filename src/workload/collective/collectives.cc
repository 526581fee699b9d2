#include "workload/collective/collectives.h"

#include <array>

namespace weft::workload {

std::string_view to_string(CollectiveKind kind) {
  constexpr std::array<std::string_view, kCollectiveKinds> kWords{
      "all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "all-to-all", "barrier", "send", "receive"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view to_string(CollectiveAlgorithm algorithm) {
  return kCollectiveAlgorithmWords[static_cast<std::size_t>(algorithm)];
}

}  // namespace weft::workload
