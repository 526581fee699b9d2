// The communicators of a job as one rank knows them, with what every rank computes alike for each: slots, and where in
// a rank's memory the buffers of its incoming edges lie.
//
// With a directory (communicator_directory.h) only those are kept that the rank is a member of.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "workload/collective/collective_options.h"
#include "workload/collective/collectives.h"
#include "workload/collective/communicator_directory.h"
#include "workload/collective/lane.h"
#include "workload/collective/member_layout.h"
#include "workload/collective/memory_areas.h"

namespace weft::workload {

struct CommunicatorEntry {
  const Communicator* definition = nullptr;
  std::optional<MemberIndex> self{};     // none: this rank is no member
  const MemberLayout* layout = nullptr;  // of members only
  std::uint32_t slots = 0;               // of an ordered pair of members
  std::uint64_t buffers = 0;             // where those of incoming edges begin

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(definition->members.size()); }
  [[nodiscard]] RankId rank(MemberIndex member) const { return definition->members[member.value()]; }
  /// Sends and receives between two members use this slot, collectives those below.
  [[nodiscard]] std::uint32_t pair_slot() const { return slots - 1; }
};

class CommunicatorTable {
 public:
  struct Options {
    RankId rank{};
    const JobLayout* layout = nullptr;
    CollectiveOptions collectives{};
    MemoryAreas areas{};
    const CommunicatorDirectory* directory = nullptr;  // must outlive the table
  };
  explicit CommunicatorTable(const Options& options);
  CommunicatorTable(const CommunicatorTable&) = delete;
  CommunicatorTable& operator=(const CommunicatorTable&) = delete;

  /// Errors: as Collectives::add, and too little memory for the buffers. With a directory: one that is not the next
  /// there.
  [[nodiscard]] Result<CommunicatorId> add(const Communicator& communicator);
  [[nodiscard]] const Communicator& definition(CommunicatorId id) const;
  /// With a directory only of communicators that this rank is a member of.
  [[nodiscard]] const CommunicatorEntry& at(CommunicatorId id) const;
  [[nodiscard]] bool is_member(CommunicatorId id) const;
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  [[nodiscard]] Result<CommunicatorId> find_next(const Communicator& communicator);
  [[nodiscard]] const CommunicatorEntry* find(CommunicatorId id) const;

  Options options_;
  std::uint64_t next_buffer_;
  std::size_t size_ = 0;                    // that were added
  std::vector<CommunicatorEntry> entries_;  // all, or with a directory the rank's own, in the order of ids
  std::vector<CommunicatorId> ids_;         // of these, with a directory
  // Without a directory.
  std::deque<Communicator> definitions_;
  std::deque<MemberLayout> layouts_;
  std::map<std::string, CommunicatorId, std::less<>> by_name_;
};

}  // namespace weft::workload
