#include "host/reduce_vectors.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/assert.h"

namespace weft::host {
namespace {

using verbs::DataType;
using verbs::ReduceOperation;

/// How an element lies in memory (`Stored`), and what it is while it is combined (`Value`).
template <class T>
struct Plain {
  using Stored = T;
  using Value = T;
  static Value load(Stored stored) { return stored; }
  static Stored store(Value value) { return value; }
};
struct Half {
  using Stored = std::uint16_t;
  using Value = float;
  static Value load(Stored stored) { return float_of_half(stored); }
  static Stored store(Value value) { return half_of(value); }
};
struct Bfloat16 {
  using Stored = std::uint16_t;
  using Value = float;
  static Value load(Stored stored) { return float_of_bfloat16(stored); }
  static Stored store(Value value) { return bfloat16_of(value); }
};

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

template <class T>
T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      return std::isnan(a) ? a : b;
    }
    if (a == b) {
      return std::signbit(a) ? a : b;
    }
  }
  return b < a ? b : a;
}

template <class T>
T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      return std::isnan(a) ? a : b;
    }
    if (a == b) {
      return std::signbit(a) ? b : a;
    }
  }
  return a < b ? b : a;
}

template <class Element, class Combine>
void combine(std::span<const std::span<const std::byte>> operands, std::span<std::byte> out, Combine together) {
  using Stored = typename Element::Stored;
  const auto load = [](std::span<const std::byte> from, std::size_t at) {
    Stored stored;
    std::memcpy(&stored, from.data() + at, sizeof(stored));
    return Element::load(stored);
  };
  for (std::size_t at = 0; at < out.size(); at += sizeof(Stored)) {
    typename Element::Value value = load(operands[0], at);
    for (const std::span<const std::byte> operand : operands.subspan(1)) {
      value = together(value, load(operand, at));
    }
    const Stored stored = Element::store(value);
    std::memcpy(out.data() + at, &stored, sizeof(stored));
  }
}

template <class Element>
void reduce_as(ReduceOperation operation, std::span<const std::span<const std::byte>> operands,
               std::span<std::byte> out) {
  using Value = typename Element::Value;
  WEFT_ASSERT(out.size() % sizeof(typename Element::Stored) == 0);
  switch (operation) {
    case ReduceOperation::kSum:
      return combine<Element>(operands, out, sum<Value>);
    case ReduceOperation::kMin:
      return combine<Element>(operands, out, minimum<Value>);
    case ReduceOperation::kMax:
      return combine<Element>(operands, out, maximum<Value>);
    case ReduceOperation::kBitAnd:
    case ReduceOperation::kBitOr:
    case ReduceOperation::kBitXor:
      break;
  }
  if constexpr (std::is_integral_v<Value>) {
    switch (operation) {
      case ReduceOperation::kBitAnd:
        return combine<Element>(operands, out, [](Value a, Value b) { return static_cast<Value>(a & b); });
      case ReduceOperation::kBitOr:
        return combine<Element>(operands, out, [](Value a, Value b) { return static_cast<Value>(a | b); });
      case ReduceOperation::kBitXor:
        return combine<Element>(operands, out, [](Value a, Value b) { return static_cast<Value>(a ^ b); });
      case ReduceOperation::kSum:
      case ReduceOperation::kMin:
      case ReduceOperation::kMax:
        break;
    }
  }
  WEFT_ASSERT(false);  // bitwise operations have no meaning here
}

}  // namespace

float float_of_half(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits} >> 15 << 31;
  const std::uint32_t exponent = bits >> 10 & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1F ? 0xFFU : exponent + 112;  // bias 127 in place of 15
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float float_of_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

std::uint16_t half_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFF'FFFFU;
  if (magnitude > 0x7F80'0000U) {
    return static_cast<std::uint16_t>(sign | 0x7E00U);
  }
  constexpr std::uint32_t kOverflow = 0x477F'F000U;  // 65520, half way from the largest to the next
  if (magnitude >= kOverflow) {
    return static_cast<std::uint16_t>(sign | 0x7C00U);
  }
  constexpr std::uint32_t kSmallestNormal = 0x3880'0000U;  // 2^-14
  if (magnitude < kSmallestNormal) {
    // In units of 2^-24: the sum with 2^23 of them leaves no room for a fraction, and is rounded to nearest even.
    const float units = std::ldexp(std::bit_cast<float>(magnitude), 24);
    const float rounded = (units + 8'388'608.0F) - 8'388'608.0F;
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(rounded));
  }
  const std::uint32_t rebiased = magnitude - (112U << 23);
  const std::uint32_t odd = rebiased >> 13 & 1U;
  return static_cast<std::uint16_t>(sign | (rebiased + 0xFFFU + odd) >> 13);
}

std::uint16_t bfloat16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFF'FFFFU) > 0x7F80'0000U) {
    return static_cast<std::uint16_t>(bits >> 16 | 0x40U);  // quiet, and not infinite
  }
  const std::uint32_t odd = bits >> 16 & 1U;
  return static_cast<std::uint16_t>((bits + 0x7FFFU + odd) >> 16);
}

void reduce_vectors(const Reduction& reduction, std::span<const std::span<const std::byte>> operands,
                    std::span<std::byte> out) {
  WEFT_ASSERT(!operands.empty());
  for (const std::span<const std::byte> operand : operands) {
    WEFT_ASSERT(operand.size() == out.size());
  }
  switch (reduction.data_type) {
    case DataType::kInt32:
      return reduce_as<Plain<std::int32_t>>(reduction.operation, operands, out);
    case DataType::kInt64:
      return reduce_as<Plain<std::int64_t>>(reduction.operation, operands, out);
    case DataType::kUint32:
      return reduce_as<Plain<std::uint32_t>>(reduction.operation, operands, out);
    case DataType::kUint64:
      return reduce_as<Plain<std::uint64_t>>(reduction.operation, operands, out);
    case DataType::kFloat16:
      return reduce_as<Half>(reduction.operation, operands, out);
    case DataType::kBfloat16:
      return reduce_as<Bfloat16>(reduction.operation, operands, out);
    case DataType::kFloat32:
      return reduce_as<Plain<float>>(reduction.operation, operands, out);
    case DataType::kFloat64:
      return reduce_as<Plain<double>>(reduction.operation, operands, out);
  }
}

}  // namespace weft::host
