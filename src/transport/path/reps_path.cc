#include "transport/path/reps_path.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {

RepsPath::RepsPath(const Options& options, RandomStream random)
    : PathSelector(Feedback::kWanted), options_(options), random_(random), ring_(options.ring) {
  WEFT_ASSERT(options.range.paths > 0 && options.ring > 0 && options.frozen >= Duration::zero());
}

std::uint16_t RepsPath::random_entropy() {
  count_change();
  return options_.range.at(static_cast<std::uint32_t>(random_.uniform(options_.range.paths)));
}

std::uint16_t RepsPath::oldest_fresh() {
  const std::uint32_t size = options_.ring;
  const std::uint16_t entropy = ring_[(head_ + size - fresh_) % size];
  --fresh_;
  return entropy;
}

// All that is kept, in turn, however often.
std::uint16_t RepsPath::next_frozen() {
  cursor_ = static_cast<std::uint16_t>(cursor_ % kept_);
  return ring_[cursor_++];
}

void RepsPath::thaw_if_due(Time now) {
  if (!frozen_ || now <= frozen_until_) {
    return;
  }
  frozen_ = false;
  head_ = kept_ = fresh_ = cursor_ = 0;
  to_explore_ = options_.explored;
}

std::uint16_t RepsPath::entropy_for(Psn, Time now) {
  thaw_if_due(now);
  if (to_explore_ > 0) {
    --to_explore_;
    return random_entropy();
  }
  if (frozen_ && kept_ > 0) {
    return next_frozen();
  }
  return fresh_ > 0 ? oldest_fresh() : random_entropy();
}

void RepsPath::on_ack(std::uint16_t entropy, PathMark mark, Time now) {
  thaw_if_due(now);
  if (mark == PathMark::kMarked) {
    return;
  }
  ring_[head_] = entropy;
  head_ = static_cast<std::uint16_t>((head_ + 1) % options_.ring);
  kept_ = std::min<std::uint16_t>(static_cast<std::uint16_t>(kept_ + 1), options_.ring);
  fresh_ = std::min<std::uint16_t>(static_cast<std::uint16_t>(fresh_ + 1), options_.ring);
}

void RepsPath::on_loss(std::uint16_t, PathLoss sign, Time now) {
  thaw_if_due(now);
  if (sign != PathLoss::kTimeout || frozen_ || to_explore_ > 0) {
    return;
  }
  frozen_ = true;
  frozen_until_ = now + options_.frozen;
}

}  // namespace weft::transport
