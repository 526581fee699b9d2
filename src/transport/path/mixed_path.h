// Recycles the entropy of each packet that arrived unmarked, the oldest first; where there is none, sprays over the
// paths without penalties (transport/path/bitmap_path.h). The default of the consortium's simulator
// (ultraethernet/uet-htsim, uec_mp.cpp), facts only. What differs: at most as many entropies as there are paths wait to
// be recycled, and then the oldest is forgotten; there the list has no limit.
// changes(): packets for which there was nothing to recycle.
#pragma once

#include "base/ring.h"
#include "transport/path/bitmap_path.h"

namespace weft::transport {

class MixedPath final : public PathSelector {
 public:
  MixedPath(const BitmapPath::Options& options, RandomStream random)
      : PathSelector(Feedback::kWanted), bitmap_(options, random) {}

  [[nodiscard]] std::uint16_t entropy_for(Psn psn, Time now) override {
    if (!good_.empty()) {
      return good_.pop_front();
    }
    count_change();
    return bitmap_.entropy_for(psn, now);
  }
  void on_ack(std::uint16_t entropy, PathMark mark, Time now) override {
    bitmap_.on_ack(entropy, mark, now);
    if (mark == PathMark::kMarked) {
      return;
    }
    if (good_.size() == bitmap_.paths()) {
      (void)good_.pop_front();
    }
    good_.push_back(entropy);
  }
  void on_loss(std::uint16_t entropy, PathLoss sign, Time now) override { bitmap_.on_loss(entropy, sign, now); }
  [[nodiscard]] std::uint32_t paths() const override { return bitmap_.paths(); }

 private:
  BitmapPath bitmap_;
  Ring<std::uint16_t> good_;
};

}  // namespace weft::transport
