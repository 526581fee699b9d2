// Input that tells ranks and places apart, and the numbers that a collective must make of it: for runs that carry real
// bytes.
//
// Elements are small whole numbers, of 4 bytes: sums of thousands of ranks are exact in 32-bit integers, those of the
// first hundreds in 32-bit floats (up to 2^24).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "workload/collective/collectives.h"
#include "workload/collective/communicator_table.h"

namespace weft::workload {

struct DataShape {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  verbs::DataType type = verbs::DataType::kFloat32;  // 4 bytes wide
  std::uint32_t ranks = 1;
  std::uint32_t root = 0;
  std::uint32_t iterations = 1;  // all-reduce: each adds up what the one before left
  std::uint64_t elements = 0;
};

class CheckData {
 public:
  CheckData(const DataShape& shape, const MemoryAreas& areas) : shape_(shape), areas_(areas) {}

  /// What a rank has before.
  void fill(std::uint32_t rank, std::span<std::byte> memory) const;
  /// Errors: the first element that is wrong afterwards.
  [[nodiscard]] Result<void> check(std::uint32_t rank, std::span<const std::byte> memory) const;

 private:
  [[nodiscard]] std::uint64_t owner_of(std::uint64_t element) const;
  [[nodiscard]] bool starts_with(std::uint32_t rank, std::uint64_t element) const;
  [[nodiscard]] bool has_result(std::uint32_t rank, std::uint64_t element) const;
  [[nodiscard]] std::int64_t expected(std::uint32_t rank, std::uint64_t element) const;

  DataShape shape_;
  MemoryAreas areas_;
};

/// What a rank's memory must hold for collectives of this size among all ranks of the layout.
[[nodiscard]] Bytes memory_needed(const JobLayout& layout, const CollectiveOptions& options, Bytes size);

}  // namespace weft::workload
