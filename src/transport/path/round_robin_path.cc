#include "transport/path/round_robin_path.h"

#include "base/assert.h"

namespace weft::transport {

RoundRobinPath::RoundRobinPath(Range range, std::uint32_t burst) : range_(range), burst_(burst) {
  WEFT_ASSERT(range.paths > 0 && burst > 0);
}

std::uint16_t RoundRobinPath::entropy_for(Psn psn, Time) {
  return static_cast<std::uint16_t>(range_.base + psn.value() / burst_ % range_.paths);
}

}  // namespace weft::transport
