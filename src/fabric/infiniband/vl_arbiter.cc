#include "fabric/infiniband/vl_arbiter.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::fabric {
namespace {

constexpr std::uint32_t kBlocksPerLimit = 4096 / 64;

}  // namespace

std::uint32_t VlArbitration::lanes_of(const std::vector<Entry>& table) {
  std::uint32_t lanes = 0;
  for (const Entry& entry : table) {
    lanes |= entry.weight != 0 ? 1U << entry.lane : 0U;
  }
  return lanes;
}

VlArbitration VlArbitration::equal(std::uint32_t lanes) {
  // The largest frame's worth, so that a turn is at least a packet for every lane.
  constexpr std::uint8_t kWeight = 66;
  VlArbitration result;
  for (std::uint8_t lane = 0; lanes >> lane != 0; ++lane) {
    if (((lanes >> lane) & 1U) != 0) {
      result.low.push_back({lane, kWeight});
    }
  }
  return result;
}

//= ibta-1.7 7.6.9
std::uint32_t VlArbiter::pick(const VlArbitration& tables, std::uint32_t eligible) {
  WEFT_DCHECK(eligible != 0);
  const std::uint32_t limit = std::max<std::uint32_t>(tables.high_limit * kBlocksPerLimit, 1);
  const bool low_has_chance = tables.high_limit != VlArbitration::kUnlimited && high_blocks_ >= limit;
  if (low_has_chance) {
    const std::uint32_t lane = take(low_, tables.low, eligible);
    high_blocks_ = 0;
    if (lane != kNobody) {
      from_high_ = false;
      return lane;
    }
  }
  const std::uint32_t lane = take(high_, tables.high, eligible);
  from_high_ = lane != kNobody;
  return from_high_ ? lane : take(low_, tables.low, eligible);
}

void VlArbiter::charge(std::uint32_t blocks) {
  Turn& turn = from_high_ ? high_ : low_;
  turn.left = static_cast<std::uint16_t>(turn.left > blocks ? turn.left - blocks : 0);
  high_blocks_ = from_high_ ? high_blocks_ + blocks : 0;
}

std::uint32_t VlArbiter::take(Turn& turn, const std::vector<VlArbitration::Entry>& table, std::uint32_t eligible) {
  const auto may_send = [&](const VlArbitration::Entry& entry) {
    return entry.weight != 0 && ((eligible >> entry.lane) & 1U) != 0;
  };
  WEFT_DCHECK(!turn.begun || turn.entry < table.size());
  if (turn.begun && turn.left > 0 && may_send(table[turn.entry])) {
    return table[turn.entry].lane;
  }
  const auto count = static_cast<std::uint32_t>(table.size());
  const std::uint32_t first = turn.begun ? turn.entry + 1U : 0U;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t at = (first + i) % count;
    if (may_send(table[at])) {
      turn = {.entry = static_cast<std::uint8_t>(at), .left = table[at].weight, .begun = true};
      return table[at].lane;
    }
  }
  return kNobody;
}

}  // namespace weft::fabric
