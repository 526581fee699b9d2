// The entropies of one flow's packets in flight, so that a selector which learns can be told what became of each.
//
// An entropy of 0 stands for none: flows whose selectors learn do not use it. What has been told of a packet is
// forgotten, so that everything is told once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "transport/path/path_selector.h"

namespace weft::transport {

class PathMemory {
 public:
  /// `window`: PSNs in flight at most, a power of two. The selector must outlive this.
  PathMemory(PathSelector& selector, std::uint32_t window)
      : selector_(&selector), entropies_(window), mask_(window - 1) {
    WEFT_ASSERT((window & mask_) == 0 && window > 0);
  }

  /// Packet `psn` leaves, for the first time or again.
  void on_sent(Psn psn, std::uint16_t entropy) { entropies_[psn.value() & mask_] = entropy; }
  /// The peer has it.
  void on_arrival(Psn psn, Time now) {
    if (const std::uint16_t entropy = take(psn); entropy != 0) {
      const bool marked = entropy == marked_;
      named_ = named_ || marked;
      selector_->on_ack(entropy, marked ? PathMark::kMarked : PathMark::kNone, now);
    }
  }
  void on_loss(Psn psn, PathLoss sign, Time now) {
    if (const std::uint16_t entropy = take(psn); entropy != 0) {
      selector_->on_loss(entropy, sign, now);
    }
  }

  /// Everything before `una` has been acknowledged, and told of.
  void on_progress(Psn una, Time now) {
    if (selector_->follows_progress()) {
      selector_->on_progress({.unacknowledged = una}, now);
    }
  }

  /// The arrivals until `end_mark` are from an acknowledgement that names the entropy of a marked packet.
  void begin_mark(std::uint16_t entropy) {
    marked_ = entropy;
    named_ = false;
  }
  /// A mark of a packet whose arrival had been told before is told by itself.
  void end_mark(Time now) {
    if (marked_ != 0 && !named_) {
      selector_->on_ack(marked_, PathMark::kMarked, now);
    }
    marked_ = 0;
  }

  void clear() { entropies_.assign(entropies_.size(), 0); }
  /// Beside the object itself.
  [[nodiscard]] std::size_t heap_bytes() const { return entropies_.capacity() * sizeof(std::uint16_t); }

 private:
  [[nodiscard]] std::uint16_t take(Psn psn) {
    std::uint16_t& kept = entropies_[psn.value() & mask_];
    const std::uint16_t entropy = kept;
    kept = 0;
    return entropy;
  }

  PathSelector* selector_;
  std::vector<std::uint16_t> entropies_;
  std::uint32_t mask_;
  std::uint16_t marked_ = 0;
  bool named_ = false;  // a packet with that entropy was among the arrivals
};

}  // namespace weft::transport
