// The members of a communicator as algorithms see them: groups that share a host or a scale-up domain, and the orders
// of rings through them.
//
// Members of one scale-up domain are a group; those without one are grouped by host. Groups stand in the order of
// their first members, members within a group in that of the communicator.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/collective/collectives.h"
#include "workload/collective/network_cuts.h"

namespace weft::workload {

/// Which members reach each other: any two; over the network those with the same place in their groups, and all in a
/// group over scale-up links; or not even these.
enum class Reach : std::uint8_t { kAnyTwo, kSamePlaces, kNotAll };

class MemberLayout {
 public:
  /// Ranks of the communicator lie inside the layout.
  MemberLayout(const Communicator& communicator, const JobLayout& layout);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
  [[nodiscard]] std::uint32_t groups() const { return static_cast<std::uint32_t>(groups_.size()); }
  [[nodiscard]] std::uint32_t group_of(MemberIndex member) const { return places_[member.value()].group; }
  [[nodiscard]] std::uint32_t local_of(MemberIndex member) const { return places_[member.value()].local; }
  [[nodiscard]] const std::vector<MemberIndex>& group(std::uint32_t index) const { return groups_[index]; }
  [[nodiscard]] std::uint32_t largest_group() const { return largest_; }
  [[nodiscard]] std::uint32_t smallest_group() const { return smallest_; }
  /// Every group has as many members as the largest.
  [[nodiscard]] bool is_regular() const { return smallest_ == largest_; }
  /// Both are in one domain and have a rail inside it.
  [[nodiscard]] bool over_scale_up(MemberIndex a, MemberIndex b) const;
  /// Any two members of a group reach each other over scale-up links.
  [[nodiscard]] bool has_scale_up() const { return scale_up_; }
  /// Rails towards other hosts that each member has (the fewest of any).
  [[nodiscard]] std::uint32_t rails() const { return rails_; }
  /// Channels that use every rail once: a group's members times their rails where scale-up links join the group, else
  /// the rails of one member.
  [[nodiscard]] std::uint32_t default_channels() const;

  /// What members share in an oversubscribed network.
  [[nodiscard]] const std::vector<NetworkCut>& cuts() const { return cuts_; }

  /// Over networks that are not joined.
  [[nodiscard]] Reach reach() const { return reach_; }
  /// Whether what `a` sends gets to `b`, over scale-up links, the network, or both (workload/relay_rails.h).
  [[nodiscard]] bool reaches(MemberIndex a, MemberIndex b) const;
  /// A ring's way from its last group to its first keeps to one rail.
  [[nodiscard]] bool rings_close() const { return groups() % 2 == 0 || groups() == 1 || largest_ == 1; }

  /// Which of its rails a member uses for a channel, of `rails` that it has: the next one once every member of a group
  /// has had a ring that leaves by it.
  [[nodiscard]] std::uint32_t rail_of(std::uint32_t channel) const { return scale_up_ ? channel / largest_ : channel; }
  /// Of exchanges in which every member uses its own rails: the channel to take as the `index`-th, so that they follow
  /// one another over the rails. Another for every index, and less than max_channels.
  [[nodiscard]] std::uint32_t rail_channel(std::uint32_t index) const;
  /// The same for rings and trees in pairs of which both go over one rail.
  [[nodiscard]] std::uint32_t paired_channel(std::uint32_t index) const;

  /// The ring of a channel: group after group. It enters a group at its member number `channel` and goes round; every
  /// second group is gone through backwards, so that a ring leaves a host by the same rail by which it enters the next.
  [[nodiscard]] MemberIndex at(std::uint32_t channel, std::uint32_t position) const;
  [[nodiscard]] std::uint32_t position(std::uint32_t channel, MemberIndex member) const;

 private:
  struct Place {
    std::uint32_t group = 0;
    std::uint32_t local = 0;
    bool scale_up = false;
  };
  [[nodiscard]] Reach found_reach() const;

  std::vector<std::vector<std::uint32_t>> parts_;          // by member
  std::vector<std::vector<std::uint32_t>> relayed_parts_;  // by member: that it has a relay to
  std::vector<Place> places_;                              // by member
  std::vector<std::vector<MemberIndex>> groups_;
  std::vector<std::uint32_t> first_position_;  // of each group, in a ring
  std::vector<NetworkCut> cuts_;
  std::uint32_t largest_ = 0;
  std::uint32_t smallest_ = 0;
  std::uint32_t rails_ = 1;
  bool scale_up_ = true;
  Reach reach_ = Reach::kAnyTwo;
};

}  // namespace weft::workload
