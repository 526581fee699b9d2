#include "live/shared_numbers.h"

#include <sys/mman.h>

#include <memory>

#include "base/assert.h"

namespace weft::live {

static_assert(std::atomic<double>::is_always_lock_free);  // or it would not work between processes

SharedNumbers::SharedNumbers(std::size_t count) : count_(count) {
  if (count == 0) {
    return;
  }
  void* const memory =
      ::mmap(nullptr, count * sizeof(std::atomic<double>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) {
    numbers_ = static_cast<std::atomic<double>*>(memory);
    std::uninitialized_value_construct_n(numbers_, count);
  }
}

SharedNumbers::~SharedNumbers() {
  if (numbers_ != nullptr) {
    ::munmap(numbers_, count_ * sizeof(std::atomic<double>));
  }
}

void SharedNumbers::set(std::size_t i, double value) {
  WEFT_ASSERT(i < count_);
  if (numbers_ != nullptr) {
    numbers_[i].store(value, std::memory_order_relaxed);
  }
}

double SharedNumbers::get(std::size_t i) const {
  WEFT_ASSERT(i < count_);
  return numbers_ != nullptr ? numbers_[i].load(std::memory_order_relaxed) : 0;
}

}  // namespace weft::live
