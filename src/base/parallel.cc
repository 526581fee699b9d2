#include "base/parallel.h"

#include <sys/mman.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/assert.h"

namespace weft {

void in_parts(std::size_t count, PartsOptions options, const std::function<void(std::size_t, std::size_t)>& part) {
  WEFT_ASSERT(options.least > 0);
  const std::size_t parts = std::clamp<std::size_t>(count / options.least, 1, std::max(options.threads, 1U));
  const auto begin_of = [&](std::size_t index) { return count / parts * index + std::min(index, count % parts); };
  std::vector<std::thread> threads;
  for (std::size_t index = 1; index < parts; ++index) {
    threads.emplace_back([&, index] { part(begin_of(index), begin_of(index + 1)); });
  }
  part(0, begin_of(1));
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Whole large pages alone, so that two threads never ask for the same one.
void populate(void* first, std::size_t bytes, std::uint32_t threads) {
#if defined(MADV_POPULATE_WRITE)
  auto* const begin = static_cast<std::byte*>(first);
  in_parts(bytes / kHugePageBytes, {.threads = threads}, [begin](std::size_t from, std::size_t to) {
    (void)madvise(begin + from * kHugePageBytes, (to - from) * kHugePageBytes, MADV_POPULATE_WRITE);
  });
#else
  (void)first;
  (void)bytes;
  (void)threads;
#endif
}

}  // namespace weft
