// Oblivious spraying at random: each burst of packets takes any of the paths, whatever the last one took.
//
// The entropy is f(seed, number of the burst), so that a packet that leaves again takes the same path; bursts are as
// many PSNs as one says, whole numbers of them from PSN 0 on.
#pragma once

#include "base/assert.h"
#include "base/random.h"
#include "transport/path/entropy_range.h"
#include "transport/path/path_selector.h"

namespace weft::transport {

class HashedPath final : public PathSelector {
 public:
  struct Options {
    EntropyRange range;
    std::uint32_t burst = 1;  // packets, at least 1
    std::uint64_t seed = 1;   // of this flow
  };
  explicit HashedPath(const Options& options) : options_(options) { WEFT_ASSERT(options.burst > 0); }

  [[nodiscard]] std::uint16_t entropy_for(Psn psn, Time) override {
    return options_.range.at(
        index_of({.seed = options_.seed, .number = psn.value() / options_.burst}, options_.range.paths));
  }
  void on_loss(std::uint16_t, PathLoss, Time) override {}
  [[nodiscard]] std::uint32_t paths() const override { return options_.range.paths; }

  /// Which of `paths` a number gets under a seed.
  struct Draw {
    std::uint64_t seed = 1;
    std::uint32_t number = 0;
  };
  [[nodiscard]] static std::uint32_t index_of(const Draw& draw, std::uint32_t paths) {
    const std::uint64_t mixed = SplitMix64(draw.seed ^ std::uint64_t{draw.number} << 32).next();
    return static_cast<std::uint32_t>((mixed >> 32) * paths >> 32);
  }

 private:
  Options options_;
};

}  // namespace weft::transport
