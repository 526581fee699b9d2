#include "fabric/marking/fecn.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/int128.h"
#include "base/random.h"
#include "fabric/marking/depth.h"

namespace weft::fabric {
namespace {

constexpr std::uint8_t kHighestClass = 15;

}  // namespace

Bytes fecn_threshold(FecnClass threshold_class, Bytes lane_buffer) {
  WEFT_ASSERT(threshold_class.value >= 1 && threshold_class.value <= kHighestClass);
  return Bytes(lane_buffer.count() * (kHighestClass + 1 - threshold_class.value) / (kHighestClass + 1));
}

Fecn::Fecn(const FecnOptions& options, std::uint64_t seed)
    : threshold_(depth_of(options.threshold)),
      packet_size_(depth_of(options.packet_size)),
      marking_rate_(options.marking_rate),
      victim_mask_(options.victim_mask),
      state_(seed) {}

bool Fecn::draw(const Departure& departure) {
  if (departure.frame_bytes < packet_size_ || (departure.cause == Cause::kVictim && !victim_mask_)) {
    return false;
  }
  if (skip_ > 0) {
    --skip_;
    return false;
  }
  if (marking_rate_ > 0) {
    state_ += 0x9e3779b97f4a7c15;
    const std::uint64_t choices = 2 * std::uint64_t{marking_rate_} + 1;
    skip_ = static_cast<std::uint32_t>((static_cast<Uint128>(SplitMix64(state_).next()) * choices) >> 64);
    WEFT_DCHECK(skip_ <= 2U * marking_rate_);
  }
  return true;
}

}  // namespace weft::fabric
