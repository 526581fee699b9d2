#include "sim/event_set.h"

#include <algorithm>
#include <utility>

namespace weft::sim {
namespace {

// Buckets are small: insertion is faster than anything general up to here.
constexpr std::size_t kInsertionSort = 40;

// Buckets that may be opened before their time.
constexpr std::uint64_t kBucketsAhead = 8;

}  // namespace

EventSet::EventSet(Options options)
    : shift_(options.bucket_shift),
      open_ahead_at_(options.prefetches ? kPrefetchDepth - 1 : kNever),
      mask_((std::uint64_t{1} << options.bucket_count_shift) - 1) {
  WEFT_ASSERT(options.bucket_count_shift >= 6 && options.bucket_count_shift <= 24 && options.bucket_shift < 40);
  buckets_.resize(mask_ + 1);
  lengthen();
  active_.front().time = kBeforeAll;
  occupied_.assign((mask_ + 1) / 64, 0);
  summary_.assign((occupied_.size() + 63) / 64, 0);
}

void EventSet::insert_slow(Event event, std::uint64_t bucket) {
  WEFT_DCHECK(!event.time.is_never() && event.time >= Time::zero());
  if (bucket <= current_) {
    // Events may keep coming into buckets that are open for as long as the next bucket is far away.
    if (next_ > end_ - next_) {
      drop_popped();
    }
    make_room();
    insert_sorted(active_.data() + end_, event);
    ++end_;
    return;
  }
  overflow_.push_back(event);
  std::push_heap(overflow_.begin(), overflow_.end(), kLater);
  overflow_from_ = bucket_of(overflow_.front().time);
}

void EventSet::lengthen() {
  active_.resize(std::max<std::size_t>(2 * active_.size(), 64));
  room_ = active_.size() - Chunk::kEvents - kPrefetchDepth;
}

void EventSet::drop_popped() {
  std::copy(active_.begin() + static_cast<std::ptrdiff_t>(next_), active_.begin() + static_cast<std::ptrdiff_t>(end_),
            active_.begin() + kFront);
  end_ -= next_ - kFront;
  next_ = kFront;
}

bool EventSet::advance(std::uint64_t last) {
  const std::uint64_t bucket = first_bucket();
  if (bucket > last) {
    return false;
  }
  current_ = bucket;
  take_overflow();
  next_ = end_ = kFront;
  open_bucket();
  if (open_ahead_at_ != kNever) {
    open_ahead();
  }
  return true;
}

std::uint64_t EventSet::first_bucket() const {
  return near_ == 0 ? overflow_from_ : std::min(next_occupied(), overflow_from_);
}

Event EventSet::not_before() const {
  if (next_ != end_) {
    return active_[next_];
  }
  Event bound;
  const std::uint64_t bucket = first_bucket();
  bound.time = bucket == kNever ? Time::never() : Time::from_picoseconds(static_cast<std::int64_t>(bucket << shift_));
  return bound;
}

// Only buckets that follow closely: everything that is inserted before the last one opened must be sorted in.
void EventSet::open_ahead() {
  if (next_ >= kPrefetchDepth) {
    drop_popped();
  }
  const std::uint64_t last = bucket_of(active_[next_].time) + kBucketsAhead;
  while (end_ - next_ < kPrefetchDepth && near_ != 0) {
    const std::uint64_t bucket = next_occupied();
    if (bucket > last || overflow_from_ <= bucket) {
      return;
    }
    current_ = bucket;
    open_bucket();
  }
  prefetch_soon();
}

// What the next look will open, as long as it lies in the very next buckets: the table of buckets is read in order.
inline void EventSet::prefetch_soon() const {
  for (std::uint64_t ahead = 1; ahead <= 2; ++ahead) {
    const Bucket& bucket = buckets_[(current_ + ahead) & mask_];
    if (bucket.last != kNone) {
      // A chunk is two cache lines.
      __builtin_prefetch(&chunks_[bucket.last]);
      __builtin_prefetch(&chunks_[bucket.last].events[4]);
    }
  }
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
  while (overflow_from_ <= current_ + mask_) {
    push(overflow_from_, overflow_.front());
    std::pop_heap(overflow_.begin(), overflow_.end(), kLater);
    overflow_.pop_back();
    overflow_from_ = overflow_.empty() ? kNever : bucket_of(overflow_.front().time);
  }
}

void EventSet::push_slow(Event event, std::uint64_t bucket) {
  add_chunk(bucket & mask_);
  push(bucket, event);
}

void EventSet::add_chunk(std::uint64_t index) {
  Bucket& bucket = buckets_[index];
  std::uint32_t made = free_;
  if (made != kNone) {
    free_ = chunks_[made].next;
  } else {
    made = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
  }
  if (bucket.last == kNone) {
    chunks_[made].next = made;
    std::uint64_t& word = occupied_[index >> 6];
    if (word == 0) {
      summary_[index >> 12] |= std::uint64_t{1} << (index >> 6 & 63);
    }
    word |= std::uint64_t{1} << (index & 63);
  } else {
    chunks_[made].next = std::exchange(chunks_[bucket.last].next, made);
  }
  bucket = {.last = made, .used = 0};
}

// In the order in which events came, which is nearly that of time: then insertion moves little.
void EventSet::open_bucket() {
  const std::size_t begin = end_;
  const std::uint64_t index = current_ & mask_;
  const Bucket bucket = std::exchange(buckets_[index], {});
  std::uint32_t at = bucket.last;
  do {
    at = chunks_[at].next;
    const Chunk& chunk = chunks_[at];
    make_room();
    const std::uint32_t used = at == bucket.last ? bucket.used : Chunk::kEvents;
    Event* end = active_.data() + end_;
    const Event* const behind = chunk.events.data() + used;
    if (end_ - begin + used <= kInsertionSort) {
      for (const Event* event = chunk.events.data(); event != behind; ++event) {
        insert_sorted(end++, *event);
      }
    } else {
      std::copy(chunk.events.data(), behind, end);
    }
    end_ += used;
  } while (at != bucket.last);
  free_ = std::exchange(chunks_[bucket.last].next, free_);
  if (end_ - begin > kInsertionSort) {
    std::sort(active_.data() + begin, active_.data() + end_,
              [](const Event& a, const Event& b) { return a.before(b); });
  }
  near_ -= end_ - begin;
  std::uint64_t& word = occupied_[index >> 6];
  word &= ~(std::uint64_t{1} << (index & 63));
  if (word == 0) {
    summary_[index >> 12] &= ~(std::uint64_t{1} << (index >> 6 & 63));
  }
}

std::size_t EventSet::heap_bytes() const {
  return active_.capacity() * sizeof(Event) + chunks_.capacity() * sizeof(Chunk) +
         buckets_.capacity() * sizeof(Bucket) + (occupied_.capacity() + summary_.capacity()) * sizeof(std::uint64_t) +
         overflow_.capacity() * sizeof(Event);
}

}  // namespace weft::sim
