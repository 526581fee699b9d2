#include "workload/collective/combine.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>

#include "base/assert.h"

namespace weft::workload {
namespace {

template <class T>
T apply(verbs::ReduceOperation operation, T a, T b) {
  if constexpr (std::integral<T>) {
    // Sums wrap, as they do on every reducer; unsigned arithmetic says so.
    using Unsigned = std::make_unsigned_t<T>;
    switch (operation) {
      case verbs::ReduceOperation::kBitAnd:
        return static_cast<T>(a & b);
      case verbs::ReduceOperation::kBitOr:
        return static_cast<T>(a | b);
      case verbs::ReduceOperation::kBitXor:
        return static_cast<T>(a ^ b);
      case verbs::ReduceOperation::kSum:
        return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
      case verbs::ReduceOperation::kMin:
        return std::min(a, b);
      case verbs::ReduceOperation::kMax:
        break;
    }
    return std::max(a, b);
  } else {
    WEFT_ASSERT(operation <= verbs::ReduceOperation::kMax);
    if (operation == verbs::ReduceOperation::kSum)
      return a + b;
    return operation == verbs::ReduceOperation::kMin ? std::min(a, b) : std::max(a, b);
  }
}

template <class T>
void combine_as(verbs::ReduceOperation operation, const CombineOperands& operands) {
  for (std::size_t at = 0; at + sizeof(T) <= operands.target.size(); at += sizeof(T)) {
    T a{};
    T b{};
    std::memcpy(&a, operands.target.data() + at, sizeof(T));
    std::memcpy(&b, operands.source.data() + at, sizeof(T));
    const T sum = apply(operation, a, b);
    std::memcpy(operands.target.data() + at, &sum, sizeof(T));
  }
}

}  // namespace

bool can_combine(verbs::DataType type) {
  return type != verbs::DataType::kFloat16 && type != verbs::DataType::kBfloat16;
}

void combine(verbs::DataType type, verbs::ReduceOperation operation, const CombineOperands& operands) {
  WEFT_ASSERT(operands.target.size() == operands.source.size());
  switch (type) {
    case verbs::DataType::kInt32:
      return combine_as<std::int32_t>(operation, operands);
    case verbs::DataType::kInt64:
      return combine_as<std::int64_t>(operation, operands);
    case verbs::DataType::kUint32:
      return combine_as<std::uint32_t>(operation, operands);
    case verbs::DataType::kUint64:
      return combine_as<std::uint64_t>(operation, operands);
    case verbs::DataType::kFloat32:
      return combine_as<float>(operation, operands);
    case verbs::DataType::kFloat64:
      return combine_as<double>(operation, operands);
    case verbs::DataType::kFloat16:
    case verbs::DataType::kBfloat16:
      break;
  }
  WEFT_ASSERT(false);
}

}  // namespace weft::workload
