// Oblivious spraying in a fixed order: packet n takes entropy `base + n mod paths`, so that consecutive packets take
// different paths, but for one pair at the wrap of the PSN when the number of paths is not a power of two.
#pragma once

#include "transport/path/entropy_range.h"
#include "transport/path/path_selector.h"

namespace weft::transport {

class RoundRobinPath final : public PathSelector {
 public:
  using Range = EntropyRange;
  explicit RoundRobinPath(Range range);
  [[nodiscard]] std::uint16_t entropy_for(Psn psn, Time now) override;
  void on_loss(std::uint16_t, PathLoss, Time) override {}
  [[nodiscard]] std::uint32_t paths() const override { return range_.paths; }

 private:
  Range range_;
};

}  // namespace weft::transport
