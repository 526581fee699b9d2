#include "sim/event_set.h"

#include <algorithm>

namespace weft::sim {
namespace {

constexpr auto kLater = [](const Event& a, const Event& b) { return b.before(a); };

// Buckets are small: insertion is faster than anything general up to here.
constexpr std::size_t kInsertionSort = 40;

/// Puts `event` into its place among the sorted events before `end`, not before `begin`; `end` is free.
inline void insert_sorted(Event* begin, Event* end, const Event& event) {
  Event* place = end;
  for (; place != begin && event.before(place[-1]); --place) {
    *place = place[-1];
  }
  *place = event;
}

}  // namespace

EventSet::EventSet(Options options)
    : shift_(options.bucket_shift), mask_((std::uint64_t{1} << options.bucket_count_shift) - 1) {
  WEFT_ASSERT(options.bucket_count_shift >= 6 && options.bucket_count_shift <= 24 && options.bucket_shift < 40);
  heads_.assign(mask_ + 1, kNone);
  occupied_.assign((mask_ + 1) / 64, 0);
  summary_.assign((occupied_.size() + 63) / 64, 0);
}

void EventSet::insert_apart(const Event& event, std::uint64_t bucket) {
  WEFT_DCHECK(!event.time.is_never() && event.time >= Time::zero());
  // Buckets before the current one have nothing left: whatever still comes for them is due now.
  if (bucket <= current_) {
    insert_active(event);
    return;
  }
  overflow_.push_back(event);
  std::push_heap(overflow_.begin(), overflow_.end(), kLater);
}

void EventSet::insert_active(const Event& event) {
  make_room();
  insert_sorted(active_.data() + next_, active_.data() + end_, event);
  ++end_;
}

void EventSet::make_room() {
  if (end_ == active_.size()) {
    active_.resize(std::max<std::size_t>(2 * end_, 64));
  }
}

bool EventSet::advance() {
  if (near_ == 0 && overflow_.empty()) {
    return false;
  }
  const std::uint64_t far = overflow_.empty() ? ~std::uint64_t{0} : bucket_of(overflow_.front().time);
  current_ = near_ == 0 ? far : std::min(next_occupied(), far);
  if (far <= current_ + mask_) {
    take_overflow();
  }
  open_bucket();
  return true;
}

// The ring holds buckets current_ + 1 to current_ + mask_: the first occupied one at or after current_ + 1, around.
std::uint64_t EventSet::next_occupied() const {
  const std::uint64_t from = (current_ + 1) & mask_;
  const auto ahead = [&](std::uint64_t index) { return current_ + 1 + ((index - from) & mask_); };
  const std::uint64_t in_word = occupied_[from >> 6] & (~std::uint64_t{0} << (from & 63));
  if (in_word != 0) {
    return ahead((from & ~std::uint64_t{63}) + static_cast<std::uint64_t>(std::countr_zero(in_word)));
  }
  const std::uint64_t words = occupied_.size();
  std::uint64_t word = (from >> 6) + 1;
  for (std::uint64_t left = summary_.size() + 1; left > 0; --left) {
    if (word >= words) {
      word = 0;
    }
    const std::uint64_t found = summary_[word >> 6] & (~std::uint64_t{0} << (word & 63));
    if (found != 0) {
      word = (word & ~std::uint64_t{63}) + static_cast<std::uint64_t>(std::countr_zero(found));
      return ahead((word << 6) + static_cast<std::uint64_t>(std::countr_zero(occupied_[word])));
    }
    word = (word | 63) + 1;
  }
  // All that is left lies in the first word, before `from`.
  const std::uint64_t first = from >> 6;
  WEFT_ASSERT(occupied_[first] != 0);
  return ahead((first << 6) + static_cast<std::uint64_t>(std::countr_zero(occupied_[first])));
}

void EventSet::take_overflow() {
  while (!overflow_.empty() && bucket_of(overflow_.front().time) <= current_ + mask_) {
    push(bucket_of(overflow_.front().time), overflow_.front());
    std::pop_heap(overflow_.begin(), overflow_.end(), kLater);
    overflow_.pop_back();
  }
}

void EventSet::open_bucket() {
  next_ = end_ = 0;
  const std::uint64_t index = current_ & mask_;
  std::uint32_t slot = heads_[index];
  heads_[index] = kNone;
  while (slot != kNone) {
    make_room();
    Pending& pending = pool_[slot];
    if (end_ < kInsertionSort) {
      insert_sorted(active_.data(), active_.data() + end_, pending.event);
    } else {
      active_[end_] = pending.event;
    }
    ++end_;
    const std::uint32_t following = pending.next;
    pending.next = free_;
    free_ = slot;
    slot = following;
  }
  if (end_ > kInsertionSort) {
    std::sort(active_.data(), active_.data() + end_, [](const Event& a, const Event& b) { return a.before(b); });
  }
  near_ -= end_;
  std::uint64_t& word = occupied_[index >> 6];
  word &= ~(std::uint64_t{1} << (index & 63));
  if (word == 0) {
    summary_[index >> 12] &= ~(std::uint64_t{1} << (index >> 6 & 63));
  }
}

std::size_t EventSet::heap_bytes() const {
  return active_.capacity() * sizeof(Event) + pool_.capacity() * sizeof(Pending) +
         heads_.capacity() * sizeof(heads_[0]) + (occupied_.capacity() + summary_.capacity()) * sizeof(std::uint64_t) +
         overflow_.capacity() * sizeof(Event);
}

}  // namespace weft::sim
