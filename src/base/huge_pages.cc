#include "base/huge_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "base/assert.h"

namespace weft {

void advise_huge(void* first, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  (void)madvise(first, bytes, MADV_HUGEPAGE);
#else
  (void)first;
  (void)bytes;
#endif
}

HugeReserve::HugeReserve(std::size_t bytes) {
  mapping_ = MAP_FAILED;
  for (bytes_ = std::max(bytes, kHugePageBytes); bytes_ >= kHugePageBytes; bytes_ /= 2) {
    mapping_ = mmap(nullptr, bytes_ + kHugePageBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping_ != MAP_FAILED) {
      break;
    }
  }
  WEFT_ASSERT(mapping_ != MAP_FAILED);
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  const std::uintptr_t ahead = (kHugePageBytes - address % kHugePageBytes) % kHugePageBytes;
  data_ = static_cast<std::byte*>(mapping_) + ahead;
  advise_huge(data_, bytes_);
}

HugeReserve::~HugeReserve() { munmap(mapping_, bytes_ + kHugePageBytes); }

}  // namespace weft
