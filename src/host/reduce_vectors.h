// Element-wise reduction of vectors: the arithmetic of reducers, in every type and operation of verbs.
//
// Integers of two's complement; sums wrap around. Sums of 16-bit floating point are made in float32, operand by operand
// in the order given, and rounded once, to nearest even; those of float32 and float64 are rounded after each operand.
// The minimum and maximum of floating point propagate a NaN, and -0 is below +0 (IEEE 754-2019 9.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "verbs/group.h"

namespace weft::host {

struct Reduction {
  verbs::DataType data_type = verbs::DataType::kFloat32;
  verbs::ReduceOperation operation = verbs::ReduceOperation::kSum;

  friend bool operator==(const Reduction&, const Reduction&) = default;
};

/// Combines the operands (at least one, all as long as `out`, a whole number of elements) into `out`, which may be one
/// of them. Bitwise operations are for integers only. Bytes are in the machine's order.
void reduce_vectors(const Reduction& reduction, std::span<const std::span<const std::byte>> operands,
                    std::span<std::byte> out);

/// IEEE 754 binary16 and bfloat16, as bits.
[[nodiscard]] float float_of_half(std::uint16_t bits);
[[nodiscard]] float float_of_bfloat16(std::uint16_t bits);
/// Rounds to nearest even; what is too large becomes infinite; a NaN stays one.
[[nodiscard]] std::uint16_t half_of(float value);
[[nodiscard]] std::uint16_t bfloat16_of(float value);

}  // namespace weft::host
