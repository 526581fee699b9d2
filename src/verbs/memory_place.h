// Where bytes lie: the memory of a GPU, or of the host.
#pragma once

#include "base/ids.h"

namespace weft::verbs {

/// A GPU of this host, counted from 0.
using GpuIndex = Id<struct GpuTag>;

/// The memory of a GPU, or of the host if `gpu` is invalid.
struct MemoryPlace {
  GpuIndex gpu{};
  friend bool operator==(MemoryPlace, MemoryPlace) = default;
};

}  // namespace weft::verbs
