// Groups of ranks and the REDUCE request: reduction done by the network, not by the ranks.
//
// Every member posts the same sequence of requests; the n-th request of each belongs to the n-th reduction of the
// group. The network combines the members' vectors and gives the result to all, or to the root alone; or it gives one
// member's vector to all. A provider that has no reducer refuses the group when it is created; the reducers stand at
// endpoints, switches parse nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/result.h"
#include "verbs/handles.h"
#include "verbs/work_request.h"

namespace weft::verbs {

using GroupHandle = Id<struct GroupTag>;
/// A member's place in its group, counted from 0.
using GroupRank = Id<struct GroupRankTag>;

enum class DataType : std::uint8_t { kInt32, kInt64, kUint32, kUint64, kFloat16, kBfloat16, kFloat32, kFloat64 };
[[nodiscard]] std::string_view to_string(DataType type);
/// Bytes of one element.
[[nodiscard]] Bytes size_of(DataType type);

/// Floating-point sums are made in the order of ranks along the aggregation tree, so that a run repeats exactly.
enum class ReduceOperation : std::uint8_t { kSum, kMin, kMax, kBitAnd, kBitOr, kBitXor };
[[nodiscard]] std::string_view to_string(ReduceOperation operation);

/// A group as one of its members creates it. All members name the same endpoints in the same order.
struct GroupAttributes {
  PdHandle pd{};
  CqHandle cq{};  // where REDUCE requests complete, as WcOpcode::kReduce
  std::vector<EndpointId> members{};
  GroupRank self{};
  std::uint32_t max_reduce_wr = 16;  // requests outstanding
};

/// One member's part of one reduction. Source and destination may be the same memory.
struct ReduceWr {
  std::uint64_t wr_id = 0;
  Sge source{};       // readable locally
  Sge destination{};  // writable locally; only used where the result goes
  DataType data_type = DataType::kFloat32;
  ReduceOperation operation = ReduceOperation::kSum;
  std::optional<GroupRank> root{};  // none: every member gets the result
  /// Nothing is combined: this member's vector goes to every member as it is. The others bring none; their source is
  /// not used, but says how long the vector is. Not with a root.
  std::optional<GroupRank> broadcast_from{};
};

/// What the network's reducers can do (`max_size` per request; sets as bits `1 << value`).
struct ReduceLimits {
  Bytes max_size{};
  std::uint32_t data_types = 0;
  std::uint32_t operations = 0;
  std::uint32_t max_members = 0;
};

/// Errors: fewer than 2 or too many members, an endpoint twice, `self` outside the group, no room for a request.
[[nodiscard]] Result<void> check_group(const GroupAttributes& group, const ReduceLimits& limits);
/// Errors: no or a broken number of elements, lengths that differ, a root outside the group, a type, operation or
/// size beyond the limits, bitwise operations on floating-point numbers.
[[nodiscard]] Result<void> check_reduce(const GroupAttributes& group, const ReduceWr& request,
                                        const ReduceLimits& limits);

/// The verbs of groups; a device that can reduce implements it beside Provider.
class GroupProvider {
 public:
  virtual ~GroupProvider() = default;

  [[nodiscard]] virtual ReduceLimits query_reduce() const = 0;
  /// Errors: as check_group, an unknown handle, no aggregation tree over these members.
  [[nodiscard]] virtual Result<GroupHandle> create_group(const GroupAttributes& attributes) = 0;
  [[nodiscard]] virtual Result<void> destroy_group(GroupHandle group) = 0;
  /// Completes once this member's part is done: the result is there, or, beside a root, the source may be reused.
  [[nodiscard]] virtual Result<void> post_reduce(GroupHandle group, const ReduceWr& request) = 0;
};

}  // namespace weft::verbs
