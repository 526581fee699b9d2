// Queue pair numbers in the order in which a device gives them: f(seed, order), so that one number does not tell the
// next, and a number comes back only after all others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/ids.h"

namespace weft::transport {

class QpnSequence {
 public:
  /// Numbers that programs never get: 0 and 1 are the management queue pairs, the last one means multicast.
  static constexpr std::uint32_t kFirst = 2;
  static constexpr std::uint32_t kLast = 0xFFFFFE;

  explicit QpnSequence(std::uint64_t seed);
  /// Each number from kFirst to kLast once, then the same again.
  [[nodiscard]] Qpn next();

 private:
  static constexpr std::size_t kRounds = 4;
  [[nodiscard]] std::uint32_t permute(std::uint32_t plain) const;

  std::array<std::uint64_t, kRounds> round_keys_;
  std::uint32_t order_ = 0;
};

}  // namespace weft::transport
