// The scatter-gather list of one posted request: owned copy, in order, with one element stored in place.
//
// A list can instead hold the bytes themselves (requests posted with kSendInline): up to 16 in place, more on the
// heap. A list has at most 65,535 elements. Offsets count from the start of the message the list describes. 32 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "verbs/memory.h"
#include "verbs/work_request.h"

namespace weft::verbs {

/// Checks every element against `memory`: local read, plus the rights in `access`; the first fault. What an inline
/// request needs before its bytes are copied.
[[nodiscard]] AccessFault check_elements(std::span<const Sge> elements, const MemoryTable& memory, PdHandle pd,
                                         AccessMask access);

class SgeList {
 public:
  SgeList() = default;
  explicit SgeList(std::span<const Sge> elements);
  SgeList(SgeList&& other) noexcept;
  SgeList& operator=(SgeList&& other) noexcept;
  SgeList(const SgeList&) = delete;
  SgeList& operator=(const SgeList&) = delete;
  ~SgeList();

  /// A list that holds a copy of the bytes that `elements` name. The elements must have passed
  /// `check_elements`, and the table must not have changed since (asserted, here and below); a region without bytes
  /// gives zeros.
  [[nodiscard]] static SgeList inlined(std::span<const Sge> elements, const MemoryTable& memory);

  [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }
  [[nodiscard]] bool is_inline() const { return is_inline_; }
  /// Empty for an inline list.
  [[nodiscard]] std::span<const Sge> elements() const;
  /// Heap bytes held, for memory accounting.
  [[nodiscard]] std::size_t heap_bytes() const;

  /// As check_elements; an inline list always passes.
  [[nodiscard]] AccessFault check(const MemoryTable& memory, PdHandle pd, AccessMask access) const;

  /// Copies out.size() bytes of the message from `offset` on into `out`. The list must have passed `check`; regions
  /// without bytes give zeros.
  void gather(const MemoryTable& memory, std::uint64_t offset, std::span<std::byte> out) const;
  /// Copies `in` to where the message's bytes from `offset` on belong. Same precondition, with kAccessLocalWrite.
  void scatter(const MemoryTable& memory, std::uint64_t offset, std::span<const std::byte> in) const;

 private:
  static constexpr std::size_t kInPlace = sizeof(Sge);
  void release();
  [[nodiscard]] bool on_heap() const;

  union {
    Sge one_{};
    Sge* many_;
    std::byte in_place_[kInPlace];
    std::byte* bytes_;
  };
  std::uint64_t total_bytes_ = 0;
  std::uint16_t count_ = 0;
  bool is_inline_ = false;
};
static_assert(sizeof(SgeList) == 32);

}  // namespace weft::verbs
