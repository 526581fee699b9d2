#include "workload/queue_pair_use.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::workload {

MessagePart part_of(Bytes size, std::uint32_t index, std::uint32_t count) {
  constexpr std::uint64_t kAlignment = 128;
  const auto whole = static_cast<std::uint64_t>(size.count());
  const std::uint64_t each = ((whole + count - 1) / count + kAlignment - 1) / kAlignment * kAlignment;
  const std::uint64_t begin = std::min(whole, index * each);
  return {begin, Bytes(static_cast<std::int64_t>(std::min(each, whole - begin)))};
}

QueuePairChoice::QueuePairChoice(QueuePairUse use, std::uint32_t count) : use_(use), count_(count) {
  WEFT_ASSERT(count > 0 && use != QueuePairUse::kSplit);
}

}  // namespace weft::workload
