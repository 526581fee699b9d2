// What travels with a vector along an aggregation tree, in the 32 bits of its immediate data.
//
// Bits 0-2: data type; 3-5: operation, or 7 for a broadcast; 6: rooted; 7: abandoned, and the operation's bits hold
// nothing; 8-31: the rank of the root, or of the member whose vector is broadcast. The message's length is the
// vector's; an answer without a result has none, and who only receives brings none. The layout is this project's own:
// that of real reducers is not published.
#pragma once

#include <cstdint>
#include <optional>

#include "base/assert.h"
#include "host/reduce_vectors.h"

namespace weft::host {

struct ReductionHeader {
  static constexpr std::uint32_t kBroadcast = 7;

  Reduction reduction{};
  std::optional<std::uint32_t> root{};            // the rank that gets the result; none: every member
  std::optional<std::uint32_t> broadcast_from{};  // the rank whose vector goes to every member; none: a reduction
  bool abandoned = false;                         // the group has failed; nothing else matters

  [[nodiscard]] constexpr std::uint32_t encode() const {
    WEFT_DCHECK(root.value_or(0) < 1U << 24 && broadcast_from.value_or(0) < 1U << 24 && !(root && broadcast_from));
    const std::uint32_t operation = broadcast_from ? kBroadcast : static_cast<std::uint32_t>(reduction.operation);
    return static_cast<std::uint32_t>(reduction.data_type) | operation << 3 | broadcast_from.value_or(0) << 8 |
           (root ? 1U << 6 | *root << 8 : 0U) | (abandoned ? 1U << 7 : 0U);
  }
  [[nodiscard]] static constexpr ReductionHeader decode(std::uint32_t bits) {
    ReductionHeader header{.reduction = {.data_type = static_cast<verbs::DataType>(bits & 7U),
                                         .operation = static_cast<verbs::ReduceOperation>(bits >> 3 & 7U)},
                           .root = {},
                           .broadcast_from = {},
                           .abandoned = (bits >> 7 & 1U) != 0};
    if ((bits >> 3 & 7U) == kBroadcast) {
      header.reduction.operation = {};
      header.broadcast_from = bits >> 8;
    }
    if ((bits >> 6 & 1U) != 0) {
      header.root = bits >> 8;
    }
    return header;
  }

  friend constexpr bool operator==(const ReductionHeader&, const ReductionHeader&) = default;
};

}  // namespace weft::host
