// Adds real bytes up, in runs that carry them: element by element, `target = target op source`.
//
// Elements are in the machine's byte order and may lie anywhere. Half-precision types are the network reducers' affair
// and are not combined here.
#pragma once

#include <cstddef>
#include <span>

#include "verbs/group.h"

namespace weft::workload {

/// Both of one length, of whole elements. Bitwise operations on floating-point numbers are not asked for.
struct CombineOperands {
  std::span<std::byte> target{};
  std::span<const std::byte> source{};
};

[[nodiscard]] bool can_combine(verbs::DataType type);
void combine(verbs::DataType type, verbs::ReduceOperation operation, const CombineOperands& operands);

}  // namespace weft::workload
