#include "sim/actor_order.h"

#include <algorithm>
#include <tuple>

#include "base/assert.h"
#include "base/random.h"

namespace weft::sim {

std::uint64_t ActorOrder::mix(ActorKey key) {
  return SplitMix64(key.owner + std::uint64_t{key.role} * 0x9e3779b97f4a7c15).next();
}

void ActorOrder::assign() {
  const auto order = [](const Entry& e) { return std::tuple(e.hash, e.key.owner, e.key.role); };
  std::sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) { return order(a) < order(b); });
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    WEFT_ASSERT(i == 0 || order(entries_[i - 1]) != order(entries_[i]));
    entries_[i].wake->set_rank(static_cast<std::uint32_t>(i));
  }
  entries_.clear();
}

}  // namespace weft::sim
