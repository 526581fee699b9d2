#include "transport/loss/selective_repeat.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

namespace weft::transport {
namespace {

constexpr std::uint8_t kMaxSettlingSteps = 7;
constexpr std::uint8_t kRoundsPerStep = 16;  // as RFC 8985 keeps a wider window for 16 recoveries

}  // namespace

SelectiveRepeat::SelectiveRepeat(const Options& options)
    : received_(options.window),
      responded_(options.window),
      lost_(options.window),
      resent_(options.window),
      mask_(options.window - 1),
      longest_before_(static_cast<Stamp>(std::max<std::int64_t>(options.round_trip.picoseconds() >> kStampShift, 1))),
      round_trip_(options.round_trip),
      patience_(options.detection == LossDetection::kByTime ? options.first_probe : options.threshold),
      by_time_(options.detection == LossDetection::kByTime) {
  WEFT_ASSERT(options.threshold >= 1 && options.threshold < options.window && options.first_probe >= 1);
  if (by_time_) {
    sent_.resize(options.window);
  }
}

void SelectiveRepeat::start(Psn una) {
  clear();
  una_ = round_end_ = steps_round_ = una;
}

void SelectiveRepeat::learn_paths(PathSelector& selector) { paths_ = std::make_unique<PathMemory>(selector, window()); }

void SelectiveRepeat::tell_arrivals(Psn from, std::uint64_t places, Time now) {
  for (; places != 0; places &= places - 1) {
    paths_->on_arrival(from + std::countr_zero(places), now);
  }
}

void SelectiveRepeat::tell_losses(Psn from, std::uint64_t places, PathLoss sign, Time now) {
  for (; places != 0; places &= places - 1) {
    paths_->on_loss(from + std::countr_zero(places), sign, now);
  }
}

bool SelectiveRepeat::consistent() const {
  const bool counts = std::max({received_count_, responded_count_, lost_count_, resent_count_}) <= window();
  const bool highest = received_count_ == 0 || (highest_ >= una_ && received_.test(highest_));
  return counts && highest && steps_ >= 1 && steps_ <= kMaxSettlingSteps && sent_.size() == (by_time_ ? window() : 0);
}

std::uint32_t SelectiveRepeat::span(Psn end) const {
  return static_cast<std::uint32_t>(std::clamp<std::int32_t>(end - una_, 0, static_cast<std::int32_t>(window())));
}

// A round trip as the sender sees it: with the time that the acknowledgement was held back.
void SelectiveRepeat::measure(Psn psn, Psn end, Time now) {
  WEFT_DCHECK(by_time_);  // else no times are kept
  const Stamp sent = sent_[psn.value() & mask_];
  const bool newest = static_cast<std::int32_t>(sent - newest_sent_) > 0 || !measured_;
  if (newest) {
    newest_sent_ = sent;
  }
  // Which of its copies has arrived is not known: what was sent before the last one is given a round trip more, once
  // for all copies of a round.
  if (resent_.test(psn)) {
    if (newest) {
      if (!copy_overtook_ || static_cast<std::int32_t>(sent - copy_arrived_) > 0) {
        copy_arrived_ = stamp(now);
      }
      copy_overtook_ = true;
      copy_end_ = end;
    }
    return;
  }
  // The oldest one waits behind no gap: it arrives now, whatever left after it. Without it, a pause that is longer than
  // any round trip so far and was probed into would never be measured.
  if (in_doubt_ && !newest && psn != una_) {
    return;
  }
  const Stamp round_trip = std::max<Stamp>(stamp(now) - sent, 1);
  if (!measured_) {
    measured_ = true;
    longest_before_ = 0;
  }
  longest_now_ = std::max(longest_now_, round_trip);
}

void SelectiveRepeat::measure_first_arrival(Psn psn, Psn end, Time now) {
  const bool known = (received_count_ != 0 && received_.test(psn)) || (responded_count_ != 0 && responded_.test(psn));
  if (!known) {
    measure(psn, end, now);
  }
}

SelectiveRepeat::Stamp SelectiveRepeat::patience_after_copy(Stamp present) const {
  const auto patience = static_cast<Stamp>(longest().picoseconds() >> kStampShift);
  const Stamp waited = present - copy_arrived_;
  return waited < patience ? patience - waited : 0;
}

void SelectiveRepeat::end_round(Psn end) {
  round_end_ = end;
  if (measured_) {
    longest_before_ = std::max(longest_now_, longest_before_ - longest_before_ / 8);
    longest_now_ = 0;
  }
  if (steps_ > 1 && ++quiet_rounds_ == kRoundsPerStep) {
    --steps_;
    quiet_rounds_ = 0;
  }
}

void SelectiveRepeat::advance(Psn una, Psn end, Time now) {
  const std::int32_t moved = una - una_;
  if (moved <= 0) {
    return;
  }
  if (by_time_) {
    // The oldest packet has waited longest; if it had arrived before, it has been measured.
    if (static_cast<std::uint32_t>(moved) <= window()) {
      measure_first_arrival(una_, end, now);
      if (moved > 1) {
        measure_first_arrival(una - 1, end, now);
      }
    }
    if (una >= round_end_) {
      end_round(end);
    }
    copy_overtook_ = copy_overtook_ && una < copy_end_;
    in_doubt_ = in_doubt_ && una < doubt_end_;
  }
  const auto passed = std::min(static_cast<std::uint32_t>(moved), window());
  if (received_count_ != 0) {
    received_count_ -= received_.reset_range(una_, passed);
  }
  if (responded_count_ != 0) {
    responded_count_ -= responded_.reset_range(una_, passed);
  }
  if (lost_count_ != 0) {
    lost_count_ -= lost_.reset_range(una_, passed);
  }
  if (resent_count_ != 0) {
    resent_count_ -= resent_.reset_range(una_, passed);
  }
  if (paths_ != nullptr) {
    for (std::uint32_t i = 0; i < passed; ++i) {
      paths_->on_arrival(una_ + i, now);
    }
    paths_->on_progress(una, now);
  }
  una_ = una;
  WEFT_DCHECK(consistent());
}

void SelectiveRepeat::on_sack(const wire::SackBitmap& bitmap, const Sack& sack, Time now) {
  const std::uint32_t in_flight = span(sack.end);
  for (int i = 0; i < 2; ++i) {
    const Psn from = bitmap.base + 64 * i;
    const std::int32_t place = from - una_;
    if (place <= -64 || place >= static_cast<std::int32_t>(in_flight)) {
      continue;
    }
    std::uint64_t named = bitmap.words[static_cast<std::size_t>(i)];
    if (place < 0) {
      named &= ~low_bits(static_cast<std::uint32_t>(-place));
    }
    named &= low_bits(static_cast<std::uint32_t>(static_cast<std::int32_t>(in_flight) - place));
    const std::uint64_t news = named & ~received_.bits_from(from);
    if (news == 0) {
      continue;
    }
    const Psn first = from + std::countr_zero(news);
    const Psn last = from + (63 - std::countl_zero(news));
    if (by_time_) {
      measure(first, sack.end, now);
      measure(last, sack.end, now);
    }
    if (paths_ != nullptr) {
      tell_arrivals(from, news, now);
    }
    highest_ = received_count_ == 0 || last > highest_ ? last : highest_;
    received_.set_bits_from(from, news);
    received_count_ += static_cast<std::uint32_t>(std::popcount(news));
    if (lost_count_ != 0) {
      const std::uint64_t found = news & lost_.bits_from(from);
      lost_.reset_bits_from(from, found);
      lost_count_ -= static_cast<std::uint32_t>(std::popcount(found));
    }
  }
  if (!by_time_ && received_count_ != 0) {
    detect_by_count(sack.acknowledged, now);
  }
  WEFT_DCHECK(consistent());
}

bool SelectiveRepeat::on_response(Psn psn) {
  const std::int32_t place = psn - una_;
  if (place < 0 || place >= static_cast<std::int32_t>(window()) || responded_.test(psn)) {
    return false;
  }
  responded_.set(psn);
  ++responded_count_;
  if (lost_.test(psn)) {
    lost_.reset(psn);
    --lost_count_;
  }
  return true;
}

//= rfc8985 6.2
void SelectiveRepeat::on_duplicate(Psn end) {
  quiet_rounds_ = 0;
  if (una_ < steps_round_) {
    return;
  }
  steps_round_ = end;
  steps_ = static_cast<std::uint8_t>(std::min<int>(steps_ + 1, kMaxSettlingSteps));
}

void SelectiveRepeat::mark_lost(Psn psn) {
  if (!lost_.test(psn)) {
    lost_.set(psn);
    ++lost_count_;
  }
}

// A packet that was sent again already is left to the ACK timeout.
void SelectiveRepeat::detect_by_count(Psn acknowledged, Time now) {
  const std::int32_t overtaken = highest_ - una_ - patience_ + 1;
  for (std::int32_t at = std::max(acknowledged - una_, 0); at < overtaken; at += 64) {
    const Psn from = una_ + at;
    const std::uint64_t news = ~(received_.bits_from(from) | lost_.bits_from(from) | resent_.bits_from(from)) &
                               low_bits(static_cast<std::uint32_t>(overtaken - at));
    if (paths_ != nullptr) {
      tell_losses(from, news, PathLoss::kOther, now);
    }
    lost_.set_bits_from(from, news);
    lost_count_ += static_cast<std::uint32_t>(std::popcount(news));
  }
}

// Packets leave in the order of their PSNs, so that the first missing one which was sent once is the one due next;
// those that were sent again are each looked at.
//= rfc8985 6.2
Time SelectiveRepeat::detect(Psn limit, Time now) {
  WEFT_DCHECK(by_time_ && consistent());
  const Psn overtaken = received_count_ != 0 ? highest_ : una_;  // by what has a later PSN
  const Psn end = std::min(copy_overtook_ ? std::max(overtaken, copy_end_) : overtaken, limit);
  const std::int32_t places = std::min(end - una_, static_cast<std::int32_t>(window()));
  const auto timeout_stamp = static_cast<Stamp>(reorder_timeout().picoseconds() >> kStampShift);
  const Stamp present = stamp(now);
  const Stamp patience = copy_overtook_ ? patience_after_copy(present) : 0;
  Stamp soonest = std::max(timeout_stamp, patience);
  bool doubtful = false;
  bool first_sendings = true;
  for (std::int32_t at = 0; at < places && (first_sendings || resent_count_ != 0); at += 64) {
    const Psn from = una_ + at;
    std::uint64_t missing =
        ~(received_.bits_from(from) | lost_.bits_from(from)) & low_bits(static_cast<std::uint32_t>(places - at));
    if (!first_sendings) {
      missing &= resent_.bits_from(from);
    }
    for (; missing != 0; missing &= missing - 1) {
      const Psn psn = from + std::countr_zero(missing);
      const Stamp sent = sent_[psn.value() & mask_];
      const bool before_newest = static_cast<std::int32_t>(newest_sent_ - sent) >= 0;
      const Stamp waited = present - sent;
      const Stamp due = std::max(waited < timeout_stamp ? timeout_stamp - waited : 0, psn < overtaken ? 0 : patience);
      if (before_newest && due == 0) {
        mark_lost(psn);
        lose_path(psn, PathLoss::kOther, now);
        continue;
      }
      if (before_newest) {
        doubtful = true;
        soonest = std::min(soonest, due);
      }
      if (!resent_.test(psn)) {
        first_sendings = false;
        missing &= resent_.bits_from(from) | (missing & (~missing + 1));
      }
    }
  }
  return doubtful ? now + duration(soonest) : Time::never();
}

void SelectiveRepeat::on_timeout(Psn end, Time now) {
  if (by_time_) {
    if (end > una_) {
      mark_lost(una_);
      lose_path(una_, PathLoss::kTimeout, now);
    }
    return;
  }
  resent_.clear();
  resent_count_ = 0;
  lost_.clear();
  lost_count_ = 0;
  const std::uint32_t in_flight = span(end);
  for (std::uint32_t at = 0; at < in_flight; at += 64) {
    const std::uint64_t missing = ~received_.bits_from(una_ + at) & low_bits(in_flight - at);
    if (paths_ != nullptr) {
      tell_losses(una_ + at, missing, PathLoss::kTimeout, now);
    }
    lost_.set_bits_from(una_ + at, missing);
    lost_count_ += static_cast<std::uint32_t>(std::popcount(missing));
  }
  // The oldest is due even if it has arrived: its answer must have been lost.
  if (in_flight != 0) {
    mark_lost(una_);
  }
}

void SelectiveRepeat::request(Psn psn) {
  const std::int32_t place = psn - una_;
  if (place >= 0 && place < static_cast<std::int32_t>(window())) {
    mark_lost(psn);
  }
}

void SelectiveRepeat::cancel(Psn from, Psn to) {
  const Psn first = std::max(from, una_);
  const std::int32_t count = std::min<std::int32_t>(to - first, static_cast<std::int32_t>(window()) - (first - una_));
  if (count > 0) {
    lost_count_ -= lost_.reset_range(first, static_cast<std::uint32_t>(count));
  }
}

Psn SelectiveRepeat::take_retransmission(Psn end) {
  WEFT_ASSERT(lost_count_ != 0);
  in_doubt_ = true;
  doubt_end_ = end;
  for (std::uint32_t at = 0; at < window(); at += 64) {
    const std::uint64_t bits = lost_.bits_from(una_ + at);
    if (bits == 0) {
      continue;
    }
    const Psn psn = una_ + at + std::countr_zero(bits);
    lost_.reset(psn);
    --lost_count_;
    WEFT_DCHECK(consistent());
    if (!resent_.test(psn)) {
      resent_.set(psn);
      ++resent_count_;
    }
    return psn;
  }
  WEFT_ASSERT(false);
  return una_;
}

void SelectiveRepeat::clear() {
  received_.clear();
  responded_.clear();
  lost_.clear();
  resent_.clear();
  received_count_ = responded_count_ = lost_count_ = resent_count_ = 0;
  copy_overtook_ = in_doubt_ = false;
  if (paths_ != nullptr) {
    paths_->clear();
  }
}

std::size_t SelectiveRepeat::heap_bytes() const {
  return received_.heap_bytes() + responded_.heap_bytes() + lost_.heap_bytes() + resent_.heap_bytes() +
         sent_.capacity() * sizeof(Stamp) + (paths_ != nullptr ? sizeof(PathMemory) + paths_->heap_bytes() : 0);
}

}  // namespace weft::transport
