#include "transport/loss/selective_repeat.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

namespace weft::transport {
namespace {

__extension__ using Bits = unsigned __int128;

int lowest_bit(Bits bits) {
  const auto low = static_cast<std::uint64_t>(bits);
  return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(bits >> 64));
}

int highest_bit(Bits bits) {
  const auto high = static_cast<std::uint64_t>(bits >> 64);
  return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<std::uint64_t>(bits));
}

}  // namespace

SelectiveRepeat::SelectiveRepeat(std::uint8_t threshold) : threshold_(threshold) {
  WEFT_ASSERT(threshold >= 1 && threshold < kWindow);
}

void SelectiveRepeat::advance(Psn una) {
  const std::int32_t moved = una - una_;
  una_ = una;
  if (moved == 0)
    return;
  if (moved < 0 || moved >= kWindow) {
    received_ = lost_ = resent_ = 0;
    return;
  }
  received_ >>= moved;
  lost_ >>= moved;
  resent_ >>= moved;
}

SelectiveRepeat::Bits SelectiveRepeat::in_flight_before(Psn end) const {
  return below(std::clamp<std::int32_t>(end - una_, 0, kWindow));
}

void SelectiveRepeat::on_sack(Psn base, const wire::SackBitmap& bitmap, Psn end) {
  const std::int32_t shift = base - una_;
  if (shift < 0 || shift >= kWindow)
    return;
  const Bits named = ((Bits{bitmap.words[1]} << 64) | bitmap.words[0]) << shift;
  const Bits news = named & in_flight_before(end) & ~received_;
  received_ |= news;
  lost_ &= ~news;
  if (received_ == 0)
    return;
  const int highest = highest_bit(received_);
  if (highest < threshold_)
    return;
  // Packets between una and `base` have arrived too: they wait for an answer that is on its way.
  const Bits overtaken = below(highest - threshold_ + 1) & ~below(shift);
  lost_ |= overtaken & ~received_ & ~resent_;
}

void SelectiveRepeat::on_timeout(Psn end) {
  resent_ = 0;
  // The oldest is due even if it has arrived: its answer must have been lost.
  lost_ = in_flight_before(end) & (~received_ | 1);
}

void SelectiveRepeat::request(Psn psn) {
  const std::int32_t place = psn - una_;
  if (place >= 0 && place < kWindow)
    lost_ |= Bits{1} << place;
}

void SelectiveRepeat::cancel(Psn from, Psn to) { lost_ &= ~(in_flight_before(to) & ~in_flight_before(from)); }

Psn SelectiveRepeat::take_retransmission() {
  WEFT_ASSERT(lost_ != 0);
  const int place = lowest_bit(lost_);
  const Bits bit = Bits{1} << place;
  lost_ &= ~bit;
  resent_ |= bit;
  return una_ + place;
}

void SelectiveRepeat::clear() { received_ = lost_ = resent_ = 0; }

}  // namespace weft::transport
