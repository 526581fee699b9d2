#include "workload/collective/memory_areas.h"

#include <algorithm>

namespace weft::workload {

MemoryAreas MemoryAreas::of(Bytes memory) {
  const std::uint64_t all = static_cast<std::uint64_t>(memory.count());
  const std::uint64_t quarter = all / 4 / 64 * 64;
  return {.data = 0, .result = quarter, .staging = 2 * quarter, .buffers = 3 * quarter, .end = all};
}

std::uint64_t MemoryAreas::offset(BufferKind kind) const {
  switch (kind) {
    case BufferKind::kData:
      return data;
    case BufferKind::kResult:
      return result;
    case BufferKind::kStaging:
      break;
  }
  return staging;
}

std::uint64_t MemoryAreas::room() const { return std::min({result - data, staging - result, buffers - staging}); }

}  // namespace weft::workload
