// The groups of reducing networks that a rank belongs to: made at first use, one per communicator, extent and channel.
//
// Members of one scale-up domain use its switch if that reduces; else all members use the rails of the channel.
#pragma once

#include <compare>
#include <map>

#include "verbs/group.h"
#include "workload/collective/communicator_table.h"
#include "workload/messenger.h"

namespace weft::workload {

/// Who takes part: all members, or those of the rank's own scale-up domain.
enum class GroupExtent : std::uint8_t { kCommunicator, kDomain };

struct GroupName {
  CommunicatorId communicator{};
  GroupExtent extent = GroupExtent::kCommunicator;
  std::uint32_t channel = 0;
  friend auto operator<=>(const GroupName&, const GroupName&) = default;
};

/// Requests of a group under way at once: as many bytes as chunks in flight are.
[[nodiscard]] std::uint32_t reductions_in_flight(const CollectiveOptions& options, Bytes piece);
/// The largest request for a reducer with these limits.
[[nodiscard]] Bytes reduction_piece(const CollectiveOptions& options, const verbs::ReduceLimits& limits);

struct ReducingGroup {
  verbs::GroupProvider* provider = nullptr;
  verbs::GroupHandle handle{};
  std::uint32_t key = 0;  // of the rank's memory on that rail
  bool scale_up = false;
};

class GroupTable {
 public:
  GroupTable(Messenger& messenger, const CommunicatorTable& communicators, JobId job)
      : messenger_(messenger), communicators_(communicators), job_(job) {}

  /// What the members' reducer can do. Errors: nothing on their rails reduces.
  [[nodiscard]] Result<verbs::ReduceLimits> limits(const GroupName& name) const;
  /// Keeps room in the reducers for the groups of all members over so many channels, for the communicator's lifetime.
  /// Every member gets the same answer; nothing is kept, and nothing wrong, while ranks are missing that are still to
  /// be made. Errors: as limits, no room in some reducer.
  [[nodiscard]] Result<void> reserve(CommunicatorId communicator, std::uint32_t channels) const;
  /// Errors: as limits, and what the provider refuses.
  [[nodiscard]] Result<ReducingGroup> find(const GroupName& name);

 private:
  struct GroupRail {
    std::uint16_t rail = 0;
    bool scale_up = false;
  };
  [[nodiscard]] GroupRail group_rail_of(const GroupName& name) const;
  [[nodiscard]] std::vector<MemberIndex> members_of(const GroupName& name) const;
  [[nodiscard]] Result<std::vector<EndpointId>> endpoints_of(const GroupName& name, bool scale_up) const;
  [[nodiscard]] std::uint16_t rail_of(const RankSite& site, const GroupName& name, bool scale_up) const;

  Messenger& messenger_;
  const CommunicatorTable& communicators_;
  JobId job_;
  std::map<GroupName, ReducingGroup> groups_;
  mutable std::map<CommunicatorId, Result<void>> reserved_;  // what was answered, which does not change
};

}  // namespace weft::workload
