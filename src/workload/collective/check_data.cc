#include "workload/collective/check_data.h"

#include <algorithm>
#include <cstring>

#include "base/format_quantity.h"
#include "workload/collective/algorithms.h"
#include "workload/collective/extents.h"

namespace weft::workload {
namespace {

constexpr std::uint64_t kElement = 4;
constexpr std::uint64_t kPeriod = 97;  // of the input, so that sums stay small

std::int64_t input(std::uint64_t rank, std::uint64_t element) {
  return static_cast<std::int64_t>((rank + 1) * (element % kPeriod + 1));
}

void store(verbs::DataType type, std::byte* at, std::int64_t value) {
  if (type == verbs::DataType::kFloat32) {
    const auto number = static_cast<float>(value);
    std::memcpy(at, &number, sizeof number);
  } else {
    const auto number = static_cast<std::int32_t>(value);
    std::memcpy(at, &number, sizeof number);
  }
}

std::int64_t load(verbs::DataType type, const std::byte* at) {
  if (type == verbs::DataType::kFloat32) {
    float number = 0;
    std::memcpy(&number, at, sizeof number);
    return static_cast<std::int64_t>(number);
  }
  std::int32_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return number;
}

}  // namespace

std::uint64_t CheckData::owner_of(std::uint64_t element) const {
  const std::uint64_t each = shape_.elements / shape_.ranks;
  const std::uint64_t longer = shape_.elements % shape_.ranks;
  const std::uint64_t in_longer = longer * (each + 1);
  return element < in_longer ? element / (each + 1) : longer + (element - in_longer) / each;
}

bool CheckData::starts_with(std::uint32_t rank, std::uint64_t element) const {
  if (shape_.kind == CollectiveKind::kAllGather)
    return owner_of(element) == rank;
  return shape_.kind != CollectiveKind::kBroadcast || rank == shape_.root;
}

bool CheckData::has_result(std::uint32_t rank, std::uint64_t element) const {
  if (shape_.kind == CollectiveKind::kReduceScatter)
    return owner_of(element) == rank;
  return shape_.kind != CollectiveKind::kReduce || rank == shape_.root;
}

std::int64_t CheckData::expected(std::uint32_t rank, std::uint64_t element) const {
  const auto ranks = static_cast<std::int64_t>(shape_.ranks);
  const std::int64_t sum = input(0, element) * ranks * (ranks + 1) / 2;
  switch (shape_.kind) {
    case CollectiveKind::kAllReduce: {
      std::int64_t again = sum;
      for (std::uint32_t i = 1; i < shape_.iterations; ++i)
        again *= ranks;
      return again;
    }
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kReduce:
      return sum;
    case CollectiveKind::kAllGather:
      return input(owner_of(element), element);
    case CollectiveKind::kBroadcast:
      return input(shape_.root, element);
    case CollectiveKind::kAllToAll: {
      const std::uint64_t each = shape_.elements / shape_.ranks;
      return input(element / each, rank * each + element % each);
    }
    case CollectiveKind::kSend: {
      const std::uint32_t half = shape_.ranks / 2;
      return input(rank < 2 * half ? rank % half : rank, element);
    }
    case CollectiveKind::kBarrier:
    case CollectiveKind::kReceive:
      break;
  }
  return input(rank, element);
}

void CheckData::fill(std::uint32_t rank, std::span<std::byte> memory) const {
  for (std::uint64_t i = 0; i < shape_.elements; ++i)
    store(shape_.type, memory.data() + areas_.data + kElement * i, starts_with(rank, i) ? input(rank, i) : -1);
}

Result<void> CheckData::check(std::uint32_t rank, std::span<const std::byte> memory) const {
  const std::uint64_t area = shape_.kind == CollectiveKind::kAllToAll ? areas_.result : areas_.data;
  for (std::uint64_t i = 0; i < shape_.elements; ++i) {
    if (!has_result(rank, i))
      continue;
    const std::int64_t found = load(shape_.type, memory.data() + area + kElement * i);
    if (found != expected(rank, i))
      return fail("rank {}, element {}: {}, and it should be {}", rank, i, found, expected(rank, i));
  }
  return {};
}

Bytes memory_needed(const JobLayout& layout, const CollectiveOptions& options, Bytes size) {
  Communicator all{.name = "all"};
  for (std::uint32_t rank = 0; rank < layout.size(); ++rank)
    all.members.push_back(RankId(rank));
  const MemberLayout members(all, layout);
  const std::int64_t slots = slot_of(max_channels(members, options), 0) + 1;
  const Bytes buffers = options.buffer * (slots * static_cast<std::int64_t>(layout.size()));
  constexpr Bytes kAlignment = Bytes(1'024);
  return 4 * (std::max(buffers, size) + kAlignment);
}

}  // namespace weft::workload
