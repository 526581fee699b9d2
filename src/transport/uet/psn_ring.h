// One record for each PSN of a window, at the place that the low bits of the PSN give.
//
// Which PSNs have records is for the owner to know: a run of at most capacity() of them. Records are copied as bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "base/assert.h"

namespace weft::transport {

template <class T>
class PsnRing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  [[nodiscard]] T& operator[](std::uint32_t psn) { return records_[psn & (capacity_ - 1)]; }
  [[nodiscard]] const T& operator[](std::uint32_t psn) const { return records_[psn & (capacity_ - 1)]; }
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t heap_bytes() const { return capacity_ * sizeof(T); }

  struct Window {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  /// Doubles the capacity; the records of the window stay.
  [[gnu::noinline]] void grow(const Window& window) {
    move(window, {.first = window.first, .capacity = std::max(capacity_ * 2, kFirstCapacity)});
  }
  /// The records of the window are now those of as many PSNs from `first` on.
  void rename(const Window& window, std::uint32_t first) {
    if (window.count > 0)
      move(window, {.first = first, .capacity = capacity_});
  }

 private:
  static constexpr std::uint32_t kFirstCapacity = 4;

  struct Place {
    std::uint32_t first = 0;
    std::uint32_t capacity = 0;
  };
  void move(const Window& from, const Place& to) {
    WEFT_DCHECK(from.count <= to.capacity);
    std::unique_ptr<T[]> records = std::make_unique_for_overwrite<T[]>(to.capacity);
    for (std::uint32_t i = 0; i < from.count; ++i)
      records[(to.first + i) & (to.capacity - 1)] = (*this)[from.first + i];
    records_ = std::move(records);
    capacity_ = to.capacity;
  }

  std::unique_ptr<T[]> records_;
  std::uint32_t capacity_ = 0;  // a power of two, or zero
};

}  // namespace weft::transport
