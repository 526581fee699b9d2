// Slab<T>: objects of one type behind 32-bit handles, with allocation and release in O(1) and stable addresses.
//
// Storage is chunks of a power of two of slots, so a handle becomes a pointer with two loads, references stay valid
// until their object is released, and growth copies nothing. Released slots are reused last in, first out; new ones
// come in ascending order: the handles a run sees depend only on its calls. Chunks go back only with the slab.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/ids.h"

namespace weft {

template <class T>
class Slab {
 public:
  /// A handle of one slab means nothing to another, not even of the same type.
  using Handle = Id<Slab<T>>;

  Slab() = default;
  Slab(Slab&& other) noexcept { swap(other); }
  Slab& operator=(Slab&& other) noexcept {
    Slab taken(std::move(other));
    swap(taken);
    return *this;
  }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  ~Slab() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for_each_live([](Handle, T& value) { std::destroy_at(&value); });
    }
  }

  /// Constructs a T in a free slot. At most 2^32 - 1 objects live at once.
  template <class... Args>
  [[nodiscard]] Handle allocate(Args&&... args) {
    const std::uint32_t index = first_free_ == kNoSlot ? fresh_slot() : first_free_;
    Slot& slot = slot_at(index);
    const std::uint32_t next_free = index == used_ ? kNoSlot : slot.next_free;
    std::construct_at(&slot.value, std::forward<Args>(args)...);
    if (index == used_) {
      ++used_;
    } else {
      first_free_ = next_free;
    }
    ++live_;
    mark(index, Mark::kLive);
    return Handle(index);
  }

  /// Destroys the object; its handle may be given out again. Releasing twice is caught in checked builds.
  void release(Handle handle) {
    check_live(handle);
    Slot& slot = slot_at(handle.value());
    std::destroy_at(&slot.value);
    slot.next_free = first_free_;
    first_free_ = handle.value();
    --live_;
    mark(handle.value(), Mark::kFree);
  }

  [[nodiscard]] T& operator[](Handle handle) {
    check_live(handle);
    return slot_at(handle.value()).value;
  }
  [[nodiscard]] const T& operator[](Handle handle) const {
    check_live(handle);
    return slot_at(handle.value()).value;
  }

  [[nodiscard]] std::uint32_t live_count() const { return live_; }
  /// Memory held, whether its slots are in use or not.
  [[nodiscard]] std::size_t heap_bytes() const {
    return chunks_.size() * sizeof(Slot) * kChunkSlots + chunks_.capacity() * sizeof(chunks_[0]);
  }

  /// Calls function(handle, object) for the live objects in ascending handle order. For tests and reports: it first
  /// walks the free list. The function must not allocate or release.
  template <class Function>
  void for_each_live(Function function) {
    const std::vector<bool> free = free_slots();
    for (std::uint32_t index = 0; index < used_; ++index) {
      if (!free[index]) {
        function(Handle(index), slot_at(index).value);
      }
    }
  }

 private:
  union Slot {
    Slot() {}   // NOLINT(modernize-use-equals-default): a member may not be trivial
    ~Slot() {}  // NOLINT(modernize-use-equals-default)
    T value;
    std::uint32_t next_free;
  };
  enum class Mark : bool { kFree = false, kLive = true };

  static constexpr std::uint32_t kNoSlot = Handle::kInvalidValue;
  // About 1 KiB per chunk: every NIC and every rank of a large world has slabs of its own, most of them with one or two
  // objects, and the table of chunks of a thousand queue pairs still stays in the first-level cache.
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 10;
  static constexpr std::uint32_t kChunkShift =
      static_cast<std::uint32_t>(std::bit_width(std::max<std::size_t>(kChunkBytes / sizeof(Slot), 1)) - 1);
  static constexpr std::uint32_t kChunkSlots = 1U << kChunkShift;

  Slot& slot_at(std::uint32_t index) { return chunks_[index >> kChunkShift][index & (kChunkSlots - 1)]; }
  const Slot& slot_at(std::uint32_t index) const { return chunks_[index >> kChunkShift][index & (kChunkSlots - 1)]; }

  std::uint32_t fresh_slot() {
    WEFT_ASSERT(used_ != kNoSlot);
    if ((used_ & (kChunkSlots - 1)) == 0 && (used_ >> kChunkShift) == chunks_.size()) {
      chunks_.push_back(std::make_unique_for_overwrite<Slot[]>(kChunkSlots));
    }
    return used_;
  }

  std::vector<bool> free_slots() const {
    std::vector<bool> free(used_);
    for (std::uint32_t index = first_free_; index != kNoSlot; index = slot_at(index).next_free) {
      free[index] = true;
    }
    return free;
  }

  void swap(Slab& other) noexcept {
    std::swap(chunks_, other.chunks_);
    std::swap(used_, other.used_);
    std::swap(first_free_, other.first_free_);
    std::swap(live_, other.live_);
#if defined(WEFT_DCHECKS)
    std::swap(is_live_, other.is_live_);
#endif
  }

#if defined(WEFT_DCHECKS)
  void mark(std::uint32_t index, Mark mark) {
    if (index >= is_live_.size()) {
      is_live_.resize(used_);
    }
    is_live_[index] = mark == Mark::kLive;
  }
  void check_live(Handle handle) const { WEFT_ASSERT(handle.value() < used_ && is_live_[handle.value()]); }
  std::vector<bool> is_live_;
#else
  void mark(std::uint32_t, Mark) {}
  void check_live(Handle) const {}
#endif

  std::vector<std::unique_ptr<Slot[]>> chunks_;
  /// Slots from here on were never given out.
  std::uint32_t used_ = 0;
  std::uint32_t first_free_ = kNoSlot;
  std::uint32_t live_ = 0;
};

}  // namespace weft
