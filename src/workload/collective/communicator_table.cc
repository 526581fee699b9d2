#include "workload/collective/communicator_table.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::workload {

CommunicatorTable::CommunicatorTable(const Options& options) : options_(options), next_buffer_(options.areas.buffers) {
  if (options_.directory == nullptr)
    return;
  for (const CommunicatorDirectory::Membership& own : options_.directory->of(options_.rank)) {
    const CommunicatorDirectory::Entry& entry = options_.directory->at(own.communicator);
    ids_.push_back(own.communicator);
    entries_.push_back({.definition = entry.definition,
                        .self = own.self,
                        .layout = entry.layout,
                        .slots = entry.slots,
                        .buffers = entry.buffers});
  }
}

// Programs add what the directory has; with the very same objects there is nothing to compare.
Result<CommunicatorId> CommunicatorTable::find_next(const Communicator& communicator) {
  if (size_ == options_.directory->size())
    return fail("communicator '{}': the job has {} communicators, without it", communicator.name, size_);
  const CommunicatorId id(static_cast<std::uint32_t>(size_));
  const Communicator& known = *options_.directory->at(id).definition;
  if (&known != &communicator && (known.name != communicator.name || known.members != communicator.members))
    return fail("communicator '{}' where the job has '{}'", communicator.name, known.name);
  ++size_;
  return id;
}

Result<CommunicatorId> CommunicatorTable::add(const Communicator& communicator) {
  if (options_.directory != nullptr)
    return find_next(communicator);
  if (by_name_.contains(communicator.name))
    return fail("two communicators are named '{}'", communicator.name);
  if (auto right = check_members(communicator, options_.layout->size()); !right)
    return pass_on(right);
  const auto self = std::find(communicator.members.begin(), communicator.members.end(), options_.rank);
  MemberLayout layout(communicator, *options_.layout);
  const BufferNeeds needs = buffer_needs(layout, options_.collectives);
  if (needs.bytes > options_.areas.end - next_buffer_)
    return no_room_for(communicator, needs.bytes, options_.areas.end - next_buffer_);
  CommunicatorEntry entry{
      .definition = &definitions_.emplace_back(communicator), .slots = needs.slots, .buffers = next_buffer_};
  next_buffer_ += needs.bytes;
  if (self != communicator.members.end()) {
    entry.self = MemberIndex(static_cast<std::uint32_t>(self - communicator.members.begin()));
    entry.layout = &layouts_.emplace_back(std::move(layout));
  }
  const CommunicatorId id(static_cast<std::uint32_t>(size_++));
  by_name_.emplace(communicator.name, id);
  entries_.push_back(entry);
  return id;
}

const CommunicatorEntry* CommunicatorTable::find(CommunicatorId id) const {
  if (options_.directory == nullptr)
    return id.value() < entries_.size() ? &entries_[id.value()] : nullptr;
  const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
  return found != ids_.end() && *found == id ? &entries_[static_cast<std::size_t>(found - ids_.begin())] : nullptr;
}

bool CommunicatorTable::is_member(CommunicatorId id) const {
  const CommunicatorEntry* const entry = find(id);
  return entry != nullptr && entry->self.has_value();
}

const Communicator& CommunicatorTable::definition(CommunicatorId id) const {
  return options_.directory != nullptr ? *options_.directory->at(id).definition : *at(id).definition;
}

const CommunicatorEntry& CommunicatorTable::at(CommunicatorId id) const {
  const CommunicatorEntry* const entry = find(id);
  WEFT_ASSERT(entry != nullptr);
  return *entry;
}

}  // namespace weft::workload
