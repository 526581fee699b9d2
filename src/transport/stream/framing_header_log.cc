#include "transport/stream/framing_header_log.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace weft::transport {
namespace {

/// An entry is its offset, the length of its header, and the header.
constexpr std::size_t kPrefix = sizeof(StreamOffset) + sizeof(std::uint16_t);
constexpr std::size_t kChunkBytes = 960;

}  // namespace

struct FramingHeaderLog::Chunk {
  explicit Chunk(std::size_t size) : capacity(size), bytes(std::make_unique_for_overwrite<std::byte[]>(size)) {}

  [[nodiscard]] std::size_t heap_bytes() const { return sizeof(Chunk) + capacity; }

  std::atomic<Chunk*> next{nullptr};
  std::atomic<std::uint32_t> filled{0};
  std::size_t capacity;
  std::unique_ptr<std::byte[]> bytes;
};

FramingHeaderLog::~FramingHeaderLog() { clear(); }

void FramingHeaderLog::append(StreamOffset offset, std::span<const std::byte> header) {
  WEFT_ASSERT(header.size() <= kMaxHeader);
  const auto needed = static_cast<std::uint32_t>(kPrefix + header.size());
  const bool fits = last_ != nullptr && last_->filled.load(std::memory_order_relaxed) + needed <= last_->capacity;
  Chunk* const chunk = fits ? last_ : new Chunk(std::max<std::size_t>(needed, kChunkBytes));
  const std::uint32_t at = chunk->filled.load(std::memory_order_relaxed);
  std::byte* const to = chunk->bytes.get() + at;
  WEFT_DCHECK(at + needed <= chunk->capacity);
  const auto length = static_cast<std::uint16_t>(header.size());
  std::memcpy(to, &offset, sizeof offset);
  std::memcpy(to + sizeof offset, &length, sizeof length);
  std::copy_n(header.data(), header.size(), to + kPrefix);
  chunk->filled.store(at + needed, std::memory_order_release);
  if (fits)
    return;
  // A chunk is published with its first entry in it: a consumer that moves on to one always finds an entry there.
  heap_bytes_.fetch_add(chunk->heap_bytes(), std::memory_order_relaxed);
  (last_ == nullptr ? first_ : last_->next).store(chunk, std::memory_order_release);
  last_ = chunk;
}

bool FramingHeaderLog::settle(Place& place) {
  while (place.at == place.chunk->filled.load(std::memory_order_acquire)) {
    Chunk* const next = place.chunk->next.load(std::memory_order_acquire);
    if (next == nullptr)
      return false;
    // More may have been added to this chunk before the next one was.
    if (place.at == place.chunk->filled.load(std::memory_order_acquire))
      place = {.chunk = next, .at = 0};
  }
  return true;
}

FramingHeaderLog::Entry FramingHeaderLog::entry_at(const Place& place) {
  WEFT_DCHECK(place.at + kPrefix <= place.chunk->filled.load(std::memory_order_acquire));
  const std::byte* const from = place.chunk->bytes.get() + place.at;
  Entry entry;
  std::uint16_t length = 0;
  std::memcpy(&entry.offset, from, sizeof entry.offset);
  std::memcpy(&length, from + sizeof entry.offset, sizeof length);
  entry.header = {from + kPrefix, length};
  return entry;
}

void FramingHeaderLog::step(Place& place) {
  place.at += static_cast<std::uint32_t>(kPrefix + entry_at(place).header.size());
}

bool FramingHeaderLog::open_reader() const {
  if (read_.chunk == nullptr)
    read_.chunk = first_.load(std::memory_order_acquire);
  return read_.chunk != nullptr;
}

std::optional<FramingHeaderLog::Entry> FramingHeaderLog::front() const {
  if (!open_reader())
    return std::nullopt;
  Place place = read_;
  if (!settle(place))
    return std::nullopt;
  return entry_at(place);
}

std::optional<FramingHeaderLog::Entry> FramingHeaderLog::find(StreamOffset offset) const {
  if (!open_reader())
    return std::nullopt;
  // Searches go upwards, most often from where the last one ended.
  const bool resumes = found_.chunk != nullptr && entry_at(found_).offset <= offset;
  Place place = resumes ? found_ : read_;
  while (settle(place)) {
    const Entry entry = entry_at(place);
    if (entry.offset >= offset) {
      found_ = place;
      return entry.offset == offset ? std::optional(entry) : std::nullopt;
    }
    step(place);
  }
  return std::nullopt;
}

void FramingHeaderLog::discard_before(StreamOffset offset) {
  if (!open_reader())
    return;
  while (true) {
    Chunk* const chunk = read_.chunk;
    if (!settle(read_))
      return;
    for (Chunk* passed = chunk; passed != read_.chunk;) {
      Chunk* const next = passed->next.load(std::memory_order_acquire);
      heap_bytes_.fetch_sub(passed->heap_bytes(), std::memory_order_relaxed);
      if (found_.chunk == passed)
        found_ = {};
      delete passed;
      passed = next;
    }
    if (entry_at(read_).offset >= offset)
      return;
    step(read_);
  }
}

void FramingHeaderLog::clear() {
  Chunk* chunk = read_.chunk != nullptr ? read_.chunk : first_.load(std::memory_order_acquire);
  while (chunk != nullptr) {
    Chunk* const next = chunk->next.load(std::memory_order_acquire);
    delete chunk;
    chunk = next;
  }
  first_.store(nullptr, std::memory_order_release);
  last_ = nullptr;
  read_ = found_ = {};
  heap_bytes_.store(0, std::memory_order_relaxed);
}

FramingHeaderLog& FramingHeaderLogs::open(Sender sender) {
  const std::scoped_lock lock(mutex_);
  Held& held = ledgers_[sender];
  if (held.ledger == nullptr)
    held.ledger = std::make_unique<FramingHeaderLog>();
  ++held.users;
  return *held.ledger;
}

void FramingHeaderLogs::close(Sender sender) {
  const std::scoped_lock lock(mutex_);
  const auto held = ledgers_.find(sender);
  WEFT_ASSERT(held != ledgers_.end());
  if (--held->second.users == 0)
    ledgers_.erase(held);
}

std::size_t FramingHeaderLogs::size() const {
  const std::scoped_lock lock(mutex_);
  return ledgers_.size();
}

}  // namespace weft::transport
