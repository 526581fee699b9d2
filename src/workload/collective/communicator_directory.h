// All communicators of a job with what their members compute alike, made once for all ranks of a process.
//
// A rank that adds communicators one by one keeps an entry for each, its own or not: with n ranks and as many
// communicators that is n^2 entries. With a directory each rank keeps those alone that it is a member of. Buffers of
// communicators without a common member may lie at the same place of their ranks' memories.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "workload/collective/collective_options.h"
#include "workload/collective/collectives.h"
#include "workload/collective/member_layout.h"
#include "workload/collective/memory_areas.h"

namespace weft::workload {

class CommunicatorDirectory {
 public:
  struct Options {
    const JobLayout* layout = nullptr;  // both must outlive the directory
    std::span<const Communicator> communicators{};
    CollectiveOptions collectives{};
    MemoryAreas areas{};
  };
  /// Errors: as Collectives::add, and too little memory for the buffers of one rank.
  [[nodiscard]] static Result<CommunicatorDirectory> make(const Options& options);

  struct Entry {
    const Communicator* definition = nullptr;
    const MemberLayout* layout = nullptr;
    std::uint32_t slots = 0;    // of an ordered pair of members
    std::uint64_t buffers = 0;  // where those of incoming edges begin
  };
  /// In the order of the communicators, which is that of their ids.
  [[nodiscard]] const Entry& at(CommunicatorId id) const { return entries_[id.value()]; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  struct Membership {
    CommunicatorId communicator{};
    MemberIndex self{};
  };
  /// In the order of ids.
  [[nodiscard]] std::span<const Membership> of(RankId rank) const { return memberships_[rank.value()]; }

 private:
  CommunicatorDirectory() = default;

  std::vector<Entry> entries_;
  std::deque<MemberLayout> layouts_;
  std::vector<std::vector<Membership>> memberships_;  // by rank
};

/// Of one communicator's members: slots of an ordered pair, and the bytes of all buffers of a member.
struct BufferNeeds {
  std::uint32_t slots = 0;
  std::uint64_t bytes = 0;
};
[[nodiscard]] BufferNeeds buffer_needs(const MemberLayout& layout, const CollectiveOptions& options);
/// Errors: no member, one twice, or one that the job does not have.
[[nodiscard]] Result<void> check_members(const Communicator& communicator, std::size_t ranks);
[[nodiscard]] tl::unexpected<Error> no_room_for(const Communicator& communicator, std::uint64_t needed,
                                                std::uint64_t left);

}  // namespace weft::workload
