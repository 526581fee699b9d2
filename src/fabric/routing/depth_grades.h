// The depth of a queue in grades, as adaptive switches compare it: few steps of tens of kilobytes each.
//
// Ports of one grade are equal, and a switch takes one of them at random. Coarse steps keep sources that feed the same
// ports from falling into step: with the depth to the byte, the port that is idle when a host's packet comes is always
// the same one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "base/assert.h"
#include "base/data_size.h"

namespace weft::fabric {

class DepthGrades {
 public:
  /// As many as four bits name.
  static constexpr std::uint32_t kMost = 16;

  /// One grade: all depths are equal.
  DepthGrades() { bounds_.fill(kNever); }
  /// Bounds ascend, each above zero; at most kMost - 1.
  explicit DepthGrades(std::span<const Bytes> bounds) : DepthGrades() {
    WEFT_ASSERT(bounds.size() < kMost);
    for (const Bytes bound : bounds) {
      const std::int64_t bytes = std::min<std::int64_t>(bound.count(), kNever);
      WEFT_ASSERT(bytes > (count_ == 1 ? 0 : bounds_[count_ - 2]));
      bounds_[count_ - 1] = static_cast<std::uint32_t>(bytes);
      ++count_;
    }
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// 0 to count() - 1.
  [[nodiscard]] std::uint32_t of(std::uint32_t bytes) const {
    std::uint32_t grade = 0;
    while (bytes >= bounds_[grade]) {
      ++grade;
    }
    WEFT_DCHECK(grade < count_);
    return grade;
  }

 private:
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
  // Behind the last bound there is always one that no depth reaches.
  std::array<std::uint32_t, kMost> bounds_{};
  std::uint32_t count_ = 1;
};

}  // namespace weft::fabric
