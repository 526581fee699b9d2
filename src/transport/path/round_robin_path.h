// Oblivious spraying in a fixed order: burst n takes entropy `base + n mod paths`, so that consecutive bursts take
// different paths, but for one pair at the wrap of the PSN when bursts and paths are no powers of two.
#pragma once

#include "transport/path/entropy_range.h"
#include "transport/path/path_selector.h"

namespace weft::transport {

class RoundRobinPath final : public PathSelector {
 public:
  using Range = EntropyRange;
  /// `burst`: packets that share a path, whole numbers of them from PSN 0 on; at least 1.
  explicit RoundRobinPath(Range range, std::uint32_t burst = 1);
  [[nodiscard]] std::uint16_t entropy_for(Psn psn, Time now) override;
  void on_loss(std::uint16_t, PathLoss, Time) override {}
  [[nodiscard]] std::uint32_t paths() const override { return range_.paths; }

 private:
  Range range_;
  std::uint32_t burst_;
};

}  // namespace weft::transport
