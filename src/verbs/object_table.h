// Objects by handle: O(1) lookup, and a handle stops working when its object is destroyed.
//
// A handle is (generation, slot) in 32 bits. A slot's generation advances when its object goes, so a stale handle
// finds nothing until the slot has been reused 2^kGenerationBits times. Handles depend only on the order of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace weft::verbs {

/// `Handle` is an Id; `T` must be movable. Pointers are valid until the next insert or erase.
template <class Handle, class T>
class ObjectTable {
 public:
  static constexpr int kSlotBits = 20;
  static constexpr int kGenerationBits = 12;
  static constexpr std::size_t kMaxObjects = (std::size_t{1} << kSlotBits) - 1;  // so that no handle is all ones

  [[nodiscard]] bool full() const { return free_.empty() && slots_.size() == kMaxObjects; }

  /// The table must not be full.
  Handle insert(T value) {
    WEFT_ASSERT(!full());
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].value.emplace(std::move(value));
    ++live_;
    return Handle(slots_[index].generation << kSlotBits | index);
  }

  /// Null if there is no such object (any more).
  [[nodiscard]] T* find(Handle handle) {
    const std::uint32_t index = handle.value() & kSlotMask;
    if (index >= slots_.size()) {
      return nullptr;
    }
    Slot& slot = slots_[index];
    return slot.value.has_value() && slot.generation == handle.value() >> kSlotBits ? &*slot.value : nullptr;
  }
  [[nodiscard]] const T* find(Handle handle) const { return const_cast<ObjectTable*>(this)->find(handle); }

  /// The object must exist.
  void erase(Handle handle) {
    WEFT_ASSERT(find(handle) != nullptr);
    const std::uint32_t index = handle.value() & kSlotMask;
    slots_[index].value.reset();
    slots_[index].generation = (slots_[index].generation + 1) & kGenerationMask;
    free_.push_back(index);
    --live_;
  }

  [[nodiscard]] std::size_t size() const { return live_; }

 private:
  static constexpr std::uint32_t kSlotMask = (1U << kSlotBits) - 1;
  static constexpr std::uint32_t kGenerationMask = (1U << kGenerationBits) - 1;
  struct Slot {
    std::optional<T> value;
    std::uint32_t generation = 0;
  };

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t live_ = 0;
};

}  // namespace weft::verbs
