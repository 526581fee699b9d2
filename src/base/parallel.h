// Independent work over a range of numbers, divided among threads that exist for as long as it takes: what laying out a
// large world is made of. Results do not depend on the number of threads as long as no part touches another's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/huge_pages.h"

namespace weft {

struct PartsOptions {
  std::uint32_t threads = 1;  // at most so many, the caller included
  std::size_t least = 1;      // of the range in a part: less is not worth a thread
};

/// Calls part(first, last) for consecutive parts of [0, count), at the same time, and returns when all are done. The
/// function must not throw.
void in_parts(std::size_t count, PartsOptions options, const std::function<void(std::size_t, std::size_t)>& part);

/// Asks the system for the memory of a range at once, on so many threads: clearing pages is most of what a large table
/// costs. A hint: nothing is written, and where the system cannot, pages come as they are first used.
void populate(void* first, std::size_t bytes, std::uint32_t threads);

/// Of an empty table: so many elements, in memory that is populated first.
template <class T>
void resize_populated(HugeVector<T>& table, std::size_t count, std::uint32_t threads) {
  table.reserve(count);
  populate(table.data(), count * sizeof(T), threads);
  table.resize(count);
}

}  // namespace weft
