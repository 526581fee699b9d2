// REPS, recycled entropies: the entropy of a packet that arrived unmarked is used once more, the oldest such first;
// where there is none, a random one. Good paths are so used as often as they acknowledge.
//
// After a timeout it freezes: only the entropies in its ring are used, in turn, whether recycled before or not, since
// they arrived when others failed. changes(): packets that took a path at random. Frozen time over, the ring is
// emptied, and a number of packets explore at random; while they do, a timeout does not freeze. The clock is looked at
// when packets leave and acknowledgements come. Source: Bonato et al., "REPS: Recycled Entropy Packet Spraying", 2024;
// numbers from ultraethernet/uet-htsim (uec_mp.cpp, buffer_reps), facts only. What differs: the end of freezing is seen
// by packets that leave as well.
#pragma once

#include <vector>

#include "base/random.h"
#include "transport/path/entropy_range.h"
#include "transport/path/path_selector.h"

namespace weft::transport {

class RepsPath final : public PathSelector {
 public:
  struct Options {
    EntropyRange range;
    std::uint16_t ring = 8;  // entropies kept, at least 1
    Duration frozen = Duration::milliseconds(10);
    std::uint16_t explored = 16;  // packets at random after that
  };
  RepsPath(const Options& options, RandomStream random);

  [[nodiscard]] std::uint16_t entropy_for(Psn psn, Time now) override;
  void on_ack(std::uint16_t entropy, PathMark mark, Time now) override;
  void on_loss(std::uint16_t entropy, PathLoss sign, Time now) override;
  [[nodiscard]] std::uint32_t paths() const override { return options_.range.paths; }

  [[nodiscard]] bool is_frozen() const { return frozen_; }
  /// Entropies that may be used once more.
  [[nodiscard]] std::uint32_t fresh() const { return fresh_; }

 private:
  [[nodiscard]] std::uint16_t random_entropy();
  [[nodiscard]] std::uint16_t oldest_fresh();
  [[nodiscard]] std::uint16_t next_frozen();
  void thaw_if_due(Time now);

  Options options_;
  RandomStream random_;
  std::vector<std::uint16_t> ring_;  // the newest `kept_` good entropies, the next one is written at head_
  Time frozen_until_;
  std::uint16_t head_ = 0;
  std::uint16_t kept_ = 0;
  std::uint16_t fresh_ = 0;   // the newest of them that have not been used again
  std::uint16_t cursor_ = 0;  // while frozen
  std::uint16_t to_explore_ = 0;
  bool frozen_ = false;
};

}  // namespace weft::transport
