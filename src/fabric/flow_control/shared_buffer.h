// The packet buffer of a shared-memory switch, counted where packets came in: one group per (port, priority).
//
// A group has a reserve of its own, then takes from the shared pool up to a dynamic threshold, 2^shift times what is
// left of the pool (Choudhury and Hahne, 1998). A lossless group that reaches its limit, or finds itself above one that
// others have shrunk, asks for a pause; what still comes goes to its headroom, which nobody else may use. Limits are
// compared before a packet is added, and the packet that asks for the pause is not headroom's (docs/decisions/0010).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/assert.h"

namespace weft::fabric {

/// All in bytes of frames.
struct IngressGroup {
  std::uint32_t bytes = 0;     // held in reserve and pool
  std::uint32_t headroom = 0;  // held in headroom
  std::uint32_t reserve = 0;
  std::uint32_t headroom_limit = 0;
  std::uint32_t fixed_limit = 0;  // with has_fixed_limit: in place of reserve + threshold
  std::uint32_t xon_offset = 0;
  std::int8_t alpha_shift = 0;
  bool lossless = false;
  bool has_fixed_limit = false;
  bool xoff = false;       // its upstream neighbour is being paused
  std::uint32_t peak = 0;  // most ever held, headroom included

  [[nodiscard]] std::uint32_t held() const { return bytes + headroom; }
};
static_assert(sizeof(IngressGroup) == 32);

class SharedBuffer {
 public:
  enum class Admission : std::uint8_t { kAdmitted, kAdmittedPause, kDropped };

  SharedBuffer() = default;
  explicit SharedBuffer(std::int64_t pool) : pool_(pool) {}

  [[nodiscard]] [[gnu::always_inline]] Admission admit(IngressGroup& group, std::uint32_t size) {
    if (group.bytes < limit(group)) [[likely]] {
      charge(group, size);
      group.peak = std::max(group.peak, group.held());
      if (group.lossless && !group.xoff && group.bytes >= limit(group)) {
        group.xoff = true;
        return Admission::kAdmittedPause;
      }
      return Admission::kAdmitted;
    }
    return admit_above(group, size);
  }

  /// A packet of the group leaves; true: the pause may end.
  [[nodiscard]] bool release(IngressGroup& group, std::uint32_t size) {
    std::uint32_t rest = size;
    if (group.headroom != 0) [[unlikely]] {
      const std::uint32_t from_headroom = std::min(size, group.headroom);
      group.headroom -= from_headroom;
      rest = size - from_headroom;
    }
    WEFT_DCHECK(rest <= group.bytes);
    const std::uint32_t above_reserve = group.bytes > group.reserve ? group.bytes - group.reserve : 0;
    used_ -= std::min(above_reserve, rest);
    group.bytes -= rest;
    WEFT_DCHECK(used_ >= 0 && (group.lossless || !group.xoff));
    if (!group.xoff || group.headroom != 0) [[likely]] {
      return false;
    }
    if (group.bytes != 0 && group.bytes + group.xon_offset > limit(group)) {
      return false;
    }
    group.xoff = false;
    return true;
  }

  /// What a group may hold outside its headroom.
  [[nodiscard]] std::uint64_t limit(const IngressGroup& group) const {
    return group.has_fixed_limit ? group.fixed_limit : group.reserve + threshold(group.alpha_shift);
  }
  [[nodiscard]] std::uint64_t threshold(std::int8_t alpha_shift) const {
    const auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(pool_ - used_, 0));
    return alpha_shift >= 0 ? left << alpha_shift : left >> -alpha_shift;
  }
  [[nodiscard]] std::int64_t pool() const { return pool_; }
  /// May exceed the pool by a packet per group: limits are compared before.
  [[nodiscard]] std::int64_t used() const { return used_; }

 private:
  // The reserve first: the pool is charged with what it does not cover.
  void charge(IngressGroup& group, std::uint32_t size) {
    const std::uint32_t reserve_left = group.reserve > group.bytes ? group.reserve - group.bytes : 0;
    used_ += size > reserve_left ? size - reserve_left : 0;
    group.bytes += size;
  }
  [[nodiscard]] Admission admit_above(IngressGroup& group, std::uint32_t size) {
    if (!group.lossless || (group.xoff && group.headroom + size > group.headroom_limit)) {
      return Admission::kDropped;
    }
    // Others have shrunk the limit below what the group holds: the packet that finds this out asks for the pause, and
    // the headroom is for those that come after it.
    const bool first = !group.xoff;
    group.xoff = true;
    if (first) {
      charge(group, size);
    } else {
      group.headroom += size;
      WEFT_DCHECK(group.headroom <= group.headroom_limit);  // or a lossless packet would take another group's room
    }
    group.peak = std::max(group.peak, group.held());
    return first ? Admission::kAdmittedPause : Admission::kAdmitted;
  }

  std::int64_t pool_ = 0;
  std::int64_t used_ = 0;
};

}  // namespace weft::fabric
