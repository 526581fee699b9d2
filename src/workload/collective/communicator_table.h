// The communicators of a job, with what every rank computes alike for each: slots, and where in a rank's memory the
// buffers of its incoming edges lie.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "workload/collective/collective_options.h"
#include "workload/collective/collectives.h"
#include "workload/collective/lane.h"
#include "workload/collective/member_layout.h"

namespace weft::workload {

/// Where a rank keeps what, as offsets in its memory. The same for all ranks.
struct MemoryAreas {
  std::uint64_t data = 0;
  std::uint64_t result = 0;
  std::uint64_t staging = 0;
  std::uint64_t buffers = 0;  // of edges; to the end
  std::uint64_t end = 0;

  /// Quarters.
  [[nodiscard]] static MemoryAreas of(Bytes memory);
  [[nodiscard]] std::uint64_t offset(BufferKind kind) const;
  /// The largest buffer of an operation.
  [[nodiscard]] std::uint64_t room() const;
};

struct CommunicatorEntry {
  Communicator definition{};
  std::optional<MemberIndex> self{};       // none: this rank is no member
  std::unique_ptr<MemberLayout> layout{};  // of members only
  std::uint32_t slots = 0;                 // of an ordered pair of members
  std::uint64_t buffers = 0;               // where those of incoming edges begin

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(definition.members.size()); }
  [[nodiscard]] RankId rank(MemberIndex member) const { return definition.members[member.value()]; }
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
  };
  explicit CommunicatorTable(const Options& options) : options_(options), next_buffer_(options.areas.buffers) {}

  /// Errors: as Collectives::add, and too little memory for the buffers.
  [[nodiscard]] Result<CommunicatorId> add(const Communicator& communicator);
  [[nodiscard]] const CommunicatorEntry& at(CommunicatorId id) const { return entries_[id.value()]; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  [[nodiscard]] Result<void> check(const Communicator& communicator) const;

  Options options_;
  std::uint64_t next_buffer_;
  std::vector<CommunicatorEntry> entries_;
  std::map<std::string, CommunicatorId, std::less<>> by_name_;
};

}  // namespace weft::workload
