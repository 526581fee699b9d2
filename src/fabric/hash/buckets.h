// The table of a resilient group: each bucket names a member, and a flow's hash names a bucket. When members go, only
// the buckets of those are given to others; when members come, they take as few as give each its share.
//
// Members have names that last (a port, a neighbour). Shares are in proportion to the weights, to the whole bucket.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::fabric {

struct GroupMember {
  std::uint32_t name = 0;
  std::uint32_t weight = 1;  // above 0

  friend bool operator==(const GroupMember&, const GroupMember&) = default;
};

/// Names by bucket. `before` is empty for a new group, else what it was; `members` are one or more with different
/// names, and `count` buckets are at least as many.
[[nodiscard]] std::vector<std::uint32_t> assign_buckets(std::span<const std::uint32_t> before,
                                                        std::span<const GroupMember> members, std::uint32_t count);

}  // namespace weft::fabric
