// Memory for large tables that a busy run reads all over: on large pages where the system gives them, so that few
// addresses have to be translated. Where it does not, everything works the same on small ones.
//
// HugeVector<T> is a std::vector whose memory is asked for in that way from half a large page on. HugeReserve is one
// range of addresses that is reserved at once and takes memory as it is written, so that a table may grow without
// moving.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace weft {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// Says that the range had better lie on large pages. A hint: no error.
void advise_huge(void* first, std::size_t bytes);

template <class T>
class HugePageAllocator {
 public:
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}  // NOLINT(google-explicit-constructor): as allocators have it

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kHugePageBytes / 2) {
      return static_cast<T*>(::operator new(bytes, kSmallAlignment));
    }
    const std::size_t whole = (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    void* const memory = ::operator new (whole, std::align_val_t{kHugePageBytes});
    advise_huge(memory, whole);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    const bool small = count * sizeof(T) < kHugePageBytes / 2;
    ::operator delete (memory, small ? kSmallAlignment : std::align_val_t{kHugePageBytes});
  }

  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) { return true; }

 private:
  // A cache line: records that fill one should not lie across two.
  static constexpr std::align_val_t kSmallAlignment{alignof(T) > 64 ? alignof(T) : 64};
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

class HugeReserve {
 public:
  /// At least a large page. Less than `bytes` if the system grants no more; if not even a large page, the program ends.
  explicit HugeReserve(std::size_t bytes);
  ~HugeReserve();
  HugeReserve(const HugeReserve&) = delete;
  HugeReserve& operator=(const HugeReserve&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* mapping_ = nullptr;
  void* data_ = nullptr;  // at the beginning of a large page
  std::size_t bytes_ = 0;
};

}  // namespace weft
