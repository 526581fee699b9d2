#include "transport/loss/reorder_buffer.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {

ReorderBuffer::ReorderBuffer(const Options& options)
    : arrived_(PsnBitmap::window_for(options.window)),
      kept_(arrived_.window()),
      options_(options),
      window_(options.window) {
  WEFT_ASSERT(options.window >= 2 && options.packets >= 1);
}

ReorderBuffer::Outcome ReorderBuffer::hold(const ReceivedPacket& received) { return keep(received, false); }

ReorderBuffer::Outcome ReorderBuffer::note_placed(const ReceivedPacket& received) { return keep(received, true); }

ReorderBuffer::Outcome ReorderBuffer::keep(const ReceivedPacket& received, bool placed) {
  const Psn psn = received.packet.ib.psn;
  if (arrived_.test(psn))
    return Outcome::kDuplicate;
  const Bytes payload(received.packet.common.payload_bytes);
  if (!placed && (held_ >= options_.packets || payload > options_.bytes - held_bytes_))
    return Outcome::kNoRoom;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint16_t>(entries_.size()));
    entries_.emplace_back();
  }
  entry_of_.resize(arrived_.window());
  const std::uint16_t place = free_.back();
  WEFT_DCHECK(place < entries_.size() && !kept_.test(psn));
  free_.pop_back();
  entry_of_[psn.value() & (arrived_.window() - 1)] = place;
  Entry& entry = entries_[place];
  entry.packet = received.packet;
  if (received.packet.has(wire::kHasCold))
    entry.cold = received.cold;
  entry.placed = placed;
  if (!placed) {
    entry.payload.assign(received.payload.begin(), received.payload.end());
    ++held_;
    held_bytes_ += payload;
  }
  kept_.set(psn);
  arrived_.set(psn);
  ++arrived_count_;
  note_unreported(psn);
  WEFT_DCHECK(consistent());
  return Outcome::kKept;
}

bool ReorderBuffer::consistent() const {
  const std::size_t kept = entries_.size() - free_.size();
  return arrived_count_ <= window_ && kept <= arrived_count_ && held_ <= kept && held_ <= options_.packets &&
         held_bytes_ <= options_.bytes && (held_ != 0 || held_bytes_ == Bytes::zero());
}

std::uint32_t ReorderBuffer::take_middles(Psn expected) {
  const std::uint32_t arrived = arrived_.run_from(expected, window_);
  std::uint32_t middles = 0;
  for (; middles < arrived; middles += 64) {
    const std::uint64_t entries = kept_.bits_from(expected + middles);
    if (entries != 0) {
      middles += static_cast<std::uint32_t>(std::countr_zero(entries));
      break;
    }
  }
  middles = std::min(middles, arrived);
  arrived_count_ -= arrived_.reset_range(expected, middles);
  return middles;
}

ReorderBuffer::Entry* ReorderBuffer::find(Psn psn) {
  return kept_.test(psn) ? &entries_[entry_of_[psn.value() & (arrived_.window() - 1)]] : nullptr;
}

void ReorderBuffer::release(Psn psn) {
  WEFT_DCHECK(kept_.test(psn) && arrived_.test(psn));  // each entry is released once
  const std::uint16_t place = entry_of_[psn.value() & (arrived_.window() - 1)];
  Entry& entry = entries_[place];
  if (!entry.placed) {
    --held_;
    held_bytes_ -= Bytes(entry.packet.common.payload_bytes);
  }
  entry.payload.clear();
  free_.push_back(place);
  kept_.reset(psn);
  arrived_.reset(psn);
  --arrived_count_;
  WEFT_DCHECK(consistent());
}

void ReorderBuffer::skip(Psn from, Psn to) {
  WEFT_DCHECK(from <= to);
  const auto count = static_cast<std::uint32_t>(std::min<std::int32_t>(to - from, static_cast<std::int32_t>(window_)));
  for (std::uint32_t i = 0; i < count && any(); ++i) {
    if (kept_.test(from + i))
      release(from + i);
  }
  arrived_count_ -= arrived_.reset_range(from, count);
  WEFT_DCHECK(consistent());
}

wire::SackBitmap ReorderBuffer::report(Psn expected) {
  wire::SackBitmap bitmap;
  const bool near = !unreported_ || last_unreported_ - expected < wire::SackBitmap::kBits;
  bitmap.base = near || first_unreported_ < expected ? expected : first_unreported_;
  for (int i = 0; i < 2; ++i) {
    const std::int32_t left = static_cast<std::int32_t>(window_) - (bitmap.base + 64 * i - expected);
    if (left > 0)
      bitmap.words[static_cast<std::size_t>(i)] =
          arrived_.bits_from(bitmap.base + 64 * i) & low_bits(static_cast<std::uint32_t>(left));
  }
  const Psn reported = bitmap.base + wire::SackBitmap::kBits;
  unreported_ = unreported_ && last_unreported_ >= reported;
  if (unreported_ && first_unreported_ < reported)
    first_unreported_ = reported;
  return bitmap;
}

void ReorderBuffer::clear() {
  arrived_.clear();
  kept_.clear();
  entries_.clear();
  free_.clear();
  arrived_count_ = held_ = 0;
  held_bytes_ = Bytes::zero();
  unreported_ = false;
}

std::size_t ReorderBuffer::heap_bytes() const {
  std::size_t bytes = sizeof *this + arrived_.heap_bytes() + kept_.heap_bytes() +
                      (entry_of_.capacity() + free_.capacity()) * sizeof(std::uint16_t) +
                      entries_.capacity() * sizeof(Entry);
  for (const Entry& entry : entries_)
    bytes += entry.payload.capacity();
  return bytes;
}

}  // namespace weft::transport
