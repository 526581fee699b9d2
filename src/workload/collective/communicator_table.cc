#include "workload/collective/communicator_table.h"

#include <algorithm>

#include "base/format_quantity.h"
#include "workload/collective/algorithms.h"

namespace weft::workload {

MemoryAreas MemoryAreas::of(Bytes memory) {
  const std::uint64_t all = static_cast<std::uint64_t>(memory.count());
  const std::uint64_t quarter = all / 4 / 64 * 64;
  return {.data = 0, .result = quarter, .staging = 2 * quarter, .buffers = 3 * quarter, .end = all};
}

std::uint64_t MemoryAreas::offset(BufferKind kind) const {
  switch (kind) {
    case BufferKind::kData:
      return data;
    case BufferKind::kResult:
      return result;
    case BufferKind::kStaging:
      break;
  }
  return staging;
}

std::uint64_t MemoryAreas::room() const { return std::min({result - data, staging - result, buffers - staging}); }

Result<void> CommunicatorTable::check(const Communicator& communicator) const {
  if (communicator.members.empty())
    return fail("communicator '{}' has no member", communicator.name);
  if (by_name_.contains(communicator.name))
    return fail("two communicators are named '{}'", communicator.name);
  std::vector<RankId> sorted = communicator.members;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    return fail("communicator '{}' has rank {} twice", communicator.name, twice->value());
  if (sorted.back().value() >= options_.layout->size())
    return fail("communicator '{}': no rank {}; the job has {} ranks", communicator.name, sorted.back().value(),
                options_.layout->size());
  return {};
}

Result<CommunicatorId> CommunicatorTable::add(const Communicator& communicator) {
  if (auto right = check(communicator); !right)
    return pass_on(right);
  CommunicatorEntry entry{.definition = communicator};
  const auto self = std::find(communicator.members.begin(), communicator.members.end(), options_.rank);
  entry.layout = std::make_unique<MemberLayout>(communicator, *options_.layout);
  entry.slots = slot_of(max_channels(*entry.layout, options_.collectives), 0) + 1;
  entry.buffers = next_buffer_;
  const auto each = static_cast<std::uint64_t>(options_.collectives.buffer.count());
  const std::uint64_t needed = entry.size() * std::uint64_t{entry.slots} * each;
  if (needed > options_.areas.end - next_buffer_)
    return fail("communicator '{}' of {} ranks: its buffers need {}, and the rank's memory has {} left",
                communicator.name, entry.size(), Bytes(static_cast<std::int64_t>(needed)),
                Bytes(static_cast<std::int64_t>(options_.areas.end - next_buffer_)));
  next_buffer_ += needed;
  if (self != communicator.members.end())
    entry.self = MemberIndex(static_cast<std::uint32_t>(self - communicator.members.begin()));
  else
    entry.layout.reset();
  const CommunicatorId id(static_cast<std::uint32_t>(entries_.size()));
  by_name_.emplace(communicator.name, id);
  entries_.push_back(std::move(entry));
  return id;
}

}  // namespace weft::workload
