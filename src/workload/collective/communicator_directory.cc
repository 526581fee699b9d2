#include "workload/collective/communicator_directory.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/format_quantity.h"
#include "workload/collective/algorithms.h"

namespace weft::workload {

BufferNeeds buffer_needs(const MemberLayout& layout, const CollectiveOptions& options) {
  const std::uint32_t slots = slot_of(max_channels(layout, options), 0) + 1;
  return {.slots = slots,
          .bytes = std::uint64_t{layout.size()} * slots * static_cast<std::uint64_t>(options.buffer.count())};
}

Result<void> check_members(const Communicator& communicator, std::size_t ranks) {
  if (communicator.members.empty())
    return fail("communicator '{}' has no member", communicator.name);
  std::vector<RankId> sorted = communicator.members;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    return fail("communicator '{}' has rank {} twice", communicator.name, twice->value());
  if (sorted.back().value() >= ranks)
    return fail("communicator '{}': no rank {}; the job has {} ranks", communicator.name, sorted.back().value(), ranks);
  return {};
}

tl::unexpected<Error> no_room_for(const Communicator& communicator, std::uint64_t needed, std::uint64_t left) {
  return fail("communicator '{}' of {} ranks: its buffers need {}, and the rank's memory has {} left",
              communicator.name, communicator.members.size(), Bytes(static_cast<std::int64_t>(needed)),
              Bytes(static_cast<std::int64_t>(left)));
}

Result<CommunicatorDirectory> CommunicatorDirectory::make(const Options& options) {
  CommunicatorDirectory made;
  const std::size_t ranks = options.layout->size();
  made.memberships_.resize(ranks);
  std::vector<std::uint64_t> next_buffer(ranks, options.areas.buffers);
  std::set<std::string_view> names;
  for (const Communicator& communicator : options.communicators) {
    if (!names.insert(communicator.name).second)
      return fail("two communicators are named '{}'", communicator.name);
    if (auto right = check_members(communicator, ranks); !right)
      return pass_on(right);
    const CommunicatorId id(static_cast<std::uint32_t>(made.entries_.size()));
    const MemberLayout& layout = made.layouts_.emplace_back(communicator, *options.layout);
    const BufferNeeds needs = buffer_needs(layout, options.collectives);
    std::uint64_t begin = 0;
    for (std::uint32_t i = 0; i < communicator.members.size(); ++i) {
      const RankId rank = communicator.members[i];
      begin = std::max(begin, next_buffer[rank.value()]);
      made.memberships_[rank.value()].push_back({.communicator = id, .self = MemberIndex(i)});
    }
    if (needs.bytes > options.areas.end - begin)
      return no_room_for(communicator, needs.bytes, options.areas.end - begin);
    for (const RankId rank : communicator.members)
      next_buffer[rank.value()] = begin + needs.bytes;
    made.entries_.push_back({.definition = &communicator, .layout = &layout, .slots = needs.slots, .buffers = begin});
  }
  return made;
}

}  // namespace weft::workload
