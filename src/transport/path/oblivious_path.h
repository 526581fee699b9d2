// Oblivious spraying as Ultra Ethernet describes it: every path once per cycle, in an order that changes from cycle to
// cycle (transport/path/spray_cycle.h). It learns nothing.
#pragma once

#include "transport/path/entropy_range.h"
#include "transport/path/path_selector.h"
#include "transport/path/spray_cycle.h"

namespace weft::transport {

class ObliviousPath final : public PathSelector {
 public:
  /// The number of paths is a power of two. `random` is this flow's own.
  ObliviousPath(EntropyRange range, RandomStream random) : range_(range), cycle_(range.paths, random) {}

  [[nodiscard]] std::uint16_t entropy_for(Psn, Time) override {
    const std::uint16_t entropy = range_.at(cycle_.current());
    cycle_.advance();
    return entropy;
  }
  void on_loss(std::uint16_t, PathLoss, Time) override {}
  [[nodiscard]] std::uint32_t paths() const override { return range_.paths; }

 private:
  EntropyRange range_;
  SprayCycle cycle_;
};

}  // namespace weft::transport
