// Where a rank keeps what of its collectives in its memory.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "workload/collective/lane.h"

namespace weft::workload {

/// As offsets. The same for all ranks.
struct MemoryAreas {
  std::uint64_t data = 0;
  std::uint64_t result = 0;
  std::uint64_t staging = 0;
  std::uint64_t buffers = 0;  // of edges; to the end
  std::uint64_t end = 0;

  /// Quarters.
  [[nodiscard]] static MemoryAreas of(Bytes memory);
  [[nodiscard]] std::uint64_t offset(BufferKind kind) const;
  /// The largest buffer of an operation.
  [[nodiscard]] std::uint64_t room() const;
};

}  // namespace weft::workload
