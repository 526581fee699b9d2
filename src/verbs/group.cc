#include "verbs/group.h"

#include <algorithm>

namespace weft::verbs {

namespace {

bool contains(std::uint32_t set, std::uint32_t value) { return (set >> value & 1) != 0; }

bool is_floating_point(DataType type) {
  switch (type) {
    case DataType::kInt32:
    case DataType::kInt64:
    case DataType::kUint32:
    case DataType::kUint64:
      return false;
    case DataType::kFloat16:
    case DataType::kBfloat16:
    case DataType::kFloat32:
    case DataType::kFloat64:
      return true;
  }
  return false;
}

bool is_bitwise(ReduceOperation operation) {
  switch (operation) {
    case ReduceOperation::kSum:
    case ReduceOperation::kMin:
    case ReduceOperation::kMax:
      return false;
    case ReduceOperation::kBitAnd:
    case ReduceOperation::kBitOr:
    case ReduceOperation::kBitXor:
      return true;
  }
  return false;
}

Result<void> check_operation(const ReduceWr& request, const ReduceLimits& limits) {
  if (!contains(limits.data_types, static_cast<std::uint32_t>(request.data_type))) {
    return fail("REDUCE: the network does not reduce {}", to_string(request.data_type));
  }
  if (!contains(limits.operations, static_cast<std::uint32_t>(request.operation))) {
    return fail("REDUCE: the network has no operation {}", to_string(request.operation));
  }
  if (is_bitwise(request.operation) && is_floating_point(request.data_type)) {
    return fail("REDUCE: {} has no meaning for {}; use an integer type", to_string(request.operation),
                to_string(request.data_type));
  }
  return {};
}

}  // namespace

std::string_view to_string(DataType type) {
  switch (type) {
    case DataType::kInt32:
      return "int32";
    case DataType::kInt64:
      return "int64";
    case DataType::kUint32:
      return "uint32";
    case DataType::kUint64:
      return "uint64";
    case DataType::kFloat16:
      return "float16";
    case DataType::kBfloat16:
      return "bfloat16";
    case DataType::kFloat32:
      return "float32";
    case DataType::kFloat64:
      return "float64";
  }
  return "unknown type";
}

std::string_view to_string(ReduceOperation operation) {
  switch (operation) {
    case ReduceOperation::kSum:
      return "sum";
    case ReduceOperation::kMin:
      return "min";
    case ReduceOperation::kMax:
      return "max";
    case ReduceOperation::kBitAnd:
      return "bit-and";
    case ReduceOperation::kBitOr:
      return "bit-or";
    case ReduceOperation::kBitXor:
      return "bit-xor";
  }
  return "unknown operation";
}

Bytes size_of(DataType type) {
  switch (type) {
    case DataType::kFloat16:
    case DataType::kBfloat16:
      return Bytes(2);
    case DataType::kInt32:
    case DataType::kUint32:
    case DataType::kFloat32:
      return Bytes(4);
    case DataType::kInt64:
    case DataType::kUint64:
    case DataType::kFloat64:
      return Bytes(8);
  }
  return Bytes::zero();
}

Result<void> check_group(const GroupAttributes& group, const ReduceLimits& limits) {
  const std::size_t members = group.members.size();
  if (members < 2 || members > limits.max_members) {
    return fail("group of {} members; it must have 2 to {}", members, limits.max_members);
  }
  std::vector<EndpointId> sorted = group.members;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    return fail("group: endpoint {} is named twice", twice->value());
  }
  if (group.self.value() >= members) {
    return fail("group: own rank is {}; it must be 0 to {}", group.self.value(), members - 1);
  }
  if (group.max_reduce_wr == 0) {
    return fail("group: max_reduce_wr must be at least 1");
  }
  return {};
}

Result<void> check_reduce(const GroupAttributes& group, const ReduceWr& request, const ReduceLimits& limits) {
  if (auto checked = check_operation(request, limits); !checked) {
    return checked;
  }
  const Bytes size(request.source.length);
  const Bytes element = size_of(request.data_type);
  if (size == Bytes::zero() || size % element != Bytes::zero()) {
    return fail("REDUCE: {} bytes are not a whole number of {} elements of {} bytes, at least one", size.count(),
                to_string(request.data_type), element.count());
  }
  if (size > limits.max_size) {
    return fail("REDUCE: {} bytes; the network reduces at most {} at once", size.count(), limits.max_size.count());
  }
  if (request.broadcast_from.has_value() &&
      (request.root.has_value() || request.broadcast_from->value() >= group.members.size())) {
    return fail("REDUCE: a broadcast comes from one of {} members and goes to all; found from {}{}",
                group.members.size(), request.broadcast_from->value(), request.root ? ", with a root" : "");
  }
  if (request.root.has_value() && request.root->value() >= group.members.size()) {
    return fail("REDUCE: root is {}; it must be 0 to {}", request.root->value(), group.members.size() - 1);
  }
  const bool receives = !request.root.has_value() || *request.root == group.self;
  if (receives && request.destination.length != request.source.length) {
    return fail("REDUCE: destination has {} bytes, source {}; they must be equal", request.destination.length,
                request.source.length);
  }
  return {};
}

}  // namespace weft::verbs
