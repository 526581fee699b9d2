// Spraying that skips paths with penalties: a mark, a loss or a timeout gives a path penalty points, and its turns pass
// until they are used up.
//
// Each packet uses up one point, of the first penalised path that it meets; the others that it skips keep theirs. If
// all paths have points, one is used all the same. changes(): packets that met a penalised path and took another.
// Source: the consortium's own simulator (ultraethernet/uet-htsim, uec_mp.cpp), facts only. What differs: a loss that
// is neither a trim nor a timeout does not occur there and counts like a trim; and a path without points is always
// found, where the search there ends after as many tries as there are paths.
#pragma once

#include <vector>

#include "transport/path/entropy_range.h"
#include "transport/path/path_selector.h"
#include "transport/path/spray_cycle.h"

namespace weft::transport {

class BitmapPath final : public PathSelector {
 public:
  struct Penalties {
    std::uint8_t mark = 1;
    std::uint8_t trim = 4;  // any loss but a timeout
    std::uint8_t timeout = 15;
    std::uint8_t most = 15;  // that a path can have
  };
  struct Options {
    EntropyRange range;  // a power of two of paths
    Penalties penalties;
  };
  BitmapPath(const Options& options, RandomStream random);

  [[nodiscard]] std::uint16_t entropy_for(Psn psn, Time now) override;
  void on_ack(std::uint16_t entropy, PathMark mark, Time now) override;
  void on_loss(std::uint16_t entropy, PathLoss sign, Time now) override;
  [[nodiscard]] std::uint32_t paths() const override { return options_.range.paths; }

  /// Points of a path, for tests and reports.
  [[nodiscard]] std::uint8_t penalty(std::uint16_t entropy) const;

 private:
  void punish(std::uint16_t entropy, std::uint8_t points);

  Options options_;
  SprayCycle cycle_;
  std::vector<std::uint8_t> points_;
};

}  // namespace weft::transport
