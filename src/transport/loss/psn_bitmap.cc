#include "transport/loss/psn_bitmap.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {

std::uint32_t PsnBitmap::run_from(Psn from, std::uint32_t limit) const {
  WEFT_DCHECK(limit <= window());  // beyond it the ring begins again
  std::uint32_t run = 0;
  while (run < limit) {
    const auto here = static_cast<std::uint32_t>(std::countr_one(bits_from(from + run)));
    run += here;
    if (here < 64) {
      break;
    }
  }
  return std::min(run, limit);
}

std::uint32_t PsnBitmap::reset_range(Psn from, std::uint32_t count) {
  WEFT_DCHECK(count <= window());
  std::uint32_t cleared = 0;
  for (std::uint32_t done = 0; done < count; done += 64) {
    const std::uint64_t bits = bits_from(from + done) & low_bits(count - done);
    if (bits != 0) {
      cleared += static_cast<std::uint32_t>(std::popcount(bits));
      reset_bits_from(from + done, bits);
    }
  }
  return cleared;
}

void PsnBitmap::clear() { std::ranges::fill(words_, 0); }

}  // namespace weft::transport
