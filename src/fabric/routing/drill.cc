#include "fabric/routing/drill.h"

namespace weft::fabric {

Drill::Drill(const DrillOptions& options, std::uint32_t engines)
    : samples_(options.samples), remembered_(options.memory), memory_(std::size_t{engines} * options.memory, kNone) {
  WEFT_ASSERT(options.samples >= 1 && options.samples <= kMost && options.memory <= kMost);
}

}  // namespace weft::fabric
