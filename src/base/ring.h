// Ring<T>: a queue in a circular buffer that doubles when full; 24 bytes, and no heap until the first element.
//
// Capacity is a power of two and never shrinks. Any push_back may move the elements: it invalidates references, never
// positions counted from the front. T must be movable without exceptions. Move-only, as its owner is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/assert.h"

namespace weft {

template <class T>
class Ring {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>);

 public:
  Ring() = default;
  Ring(Ring&& other) noexcept { swap(other); }
  Ring& operator=(Ring&& other) noexcept {
    Ring taken(std::move(other));
    swap(taken);
    return *this;
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    clear();
    release_storage();
  }

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t heap_bytes() const { return capacity_ * sizeof(T); }

  /// At most 2^31 elements. The argument may refer to an element of this ring.
  // Inlined by force: for a packet on a wire a call would take longer than what it does.
  [[gnu::always_inline]] void push_back(T value) {
    if (size_ == capacity_) {
      grow();
    }
    std::construct_at(slot(size_), std::move(value));
    ++size_;
  }

  /// Takes the oldest element out. Not when empty.
  T pop_front() {
    WEFT_DCHECK(size_ > 0);
    T* const first = slot(0);
    T value = std::move(*first);
    std::destroy_at(first);
    head_ = (head_ + 1) & (capacity_ - 1);
    --size_;
    return value;
  }

  /// Asks for the memory of the oldest element, if there is any.
  [[gnu::always_inline]] void prefetch_front() const { __builtin_prefetch(elements_ + head_); }

  /// Asks for the memory where the next element will be put.
  [[gnu::always_inline]] void prefetch_back() const {
    __builtin_prefetch(elements_ + ((head_ + size_) & (capacity_ - 1)), 1);
  }

  [[nodiscard]] T& front() { return (*this)[0]; }
  [[nodiscard]] const T& front() const { return (*this)[0]; }
  [[nodiscard]] T& back() { return (*this)[size_ - 1]; }
  [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }

  /// The element `index` places behind the front. index < size().
  [[nodiscard]] T& operator[](std::uint32_t index) {
    WEFT_DCHECK(index < size_);
    return *slot(index);
  }
  [[nodiscard]] const T& operator[](std::uint32_t index) const {
    WEFT_DCHECK(index < size_);
    return *slot(index);
  }

  /// Destroys all elements and keeps the memory.
  void clear() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (std::uint32_t i = 0; i < size_; ++i) {
        std::destroy_at(slot(i));
      }
    }
    head_ = 0;
    size_ = 0;
  }

 private:
  static constexpr std::uint32_t kFirstCapacity = 4;
  static constexpr std::uint32_t kMaxCapacity = 1U << 31;

  T* slot(std::uint32_t index) const { return elements_ + ((head_ + index) & (capacity_ - 1)); }

  [[gnu::noinline]] void grow() {
    WEFT_ASSERT(capacity_ < kMaxCapacity);
    const std::uint32_t capacity = std::max(capacity_ * 2, kFirstCapacity);
    T* const elements = std::allocator<T>().allocate(capacity);
    if constexpr (std::is_trivially_copyable_v<T>) {
      // Full: the oldest run reaches from head_ to the end of the buffer, the rest starts at its beginning.
      const std::uint32_t oldest = capacity_ - head_;
      if (capacity_ > 0) {
        std::memcpy(static_cast<void*>(elements), elements_ + head_, oldest * sizeof(T));
        std::memcpy(static_cast<void*>(elements + oldest), elements_, head_ * sizeof(T));
      }
    } else {
      for (std::uint32_t i = 0; i < size_; ++i) {
        std::construct_at(elements + i, std::move(*slot(i)));
        std::destroy_at(slot(i));
      }
    }
    release_storage();
    elements_ = elements;
    capacity_ = capacity;
    head_ = 0;
  }

  void release_storage() {
    if (elements_ != nullptr) {
      std::allocator<T>().deallocate(elements_, capacity_);
    }
  }

  void swap(Ring& other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(head_, other.head_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  T* elements_ = nullptr;
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace weft
