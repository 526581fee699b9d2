#include "workload/collective/member_layout.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/assert.h"
#include "workload/collective/collective_options.h"

namespace weft::workload {

MemberLayout::MemberLayout(const Communicator& communicator, const JobLayout& layout) {
  std::map<std::pair<bool, std::uint32_t>, std::uint32_t> known;
  std::size_t rails = std::numeric_limits<std::size_t>::max();
  for (std::uint32_t i = 0; i < communicator.members.size(); ++i) {
    const RankSite& site = layout[communicator.members[i].value()];
    const bool scale_up = site.domain.has_value() && site.scale_up.has_value();
    const auto [group, is_new] = known.try_emplace({scale_up, scale_up ? *site.domain : site.host}, groups());
    if (is_new)
      groups_.emplace_back();
    std::vector<MemberIndex>& members = groups_[group->second];
    places_.push_back(
        {.group = group->second, .local = static_cast<std::uint32_t>(members.size()), .scale_up = scale_up});
    members.push_back(MemberIndex(i));
    parts_.push_back(site.parts);
    std::vector<std::uint32_t>& relayed = relayed_parts_.emplace_back();
    for (const RankSite::Relay& relay : site.relays)
      relayed.push_back(relay.part);
    scale_up_ = scale_up_ && scale_up;
    rails = std::min(rails, site.rails.size());
  }
  rails_ = static_cast<std::uint32_t>(std::max<std::size_t>(rails, 1));
  std::uint32_t positions = 0;
  for (const std::vector<MemberIndex>& members : groups_) {
    first_position_.push_back(positions);
    const auto count = static_cast<std::uint32_t>(members.size());
    positions += count;
    largest_ = std::max(largest_, count);
    smallest_ = smallest_ == 0 ? count : std::min(smallest_, count);
  }
  reach_ = found_reach();
  std::vector<MemberUplinks> uplinks;
  uplinks.reserve(size());
  for (std::uint32_t i = 0; i < size(); ++i)
    uplinks.push_back({.group = places_[i].group, .uplinks = layout[communicator.members[i].value()].uplinks});
  cuts_ = cuts_of(uplinks);
}

Reach MemberLayout::found_reach() const {
  const bool alone = groups() == 1 && scale_up_;
  if (alone || std::all_of(parts_.begin(), parts_.end(), [this](const auto& parts) { return parts == parts_[0]; }))
    return Reach::kAnyTwo;
  if (!is_regular() || !scale_up_)
    return Reach::kNotAll;
  for (std::uint32_t member = 0; member < size(); ++member) {
    if (parts_[member] != parts_[groups_[0][places_[member].local].value()])
      return Reach::kNotAll;
  }
  return Reach::kSamePlaces;
}

bool MemberLayout::reaches(MemberIndex a, MemberIndex b) const {
  const std::vector<std::uint32_t>& relayed = relayed_parts_[a.value()];
  return over_scale_up(a, b) || parts_[a.value()] == parts_[b.value()] ||
         (!relayed.empty() && std::ranges::all_of(parts_[b.value()], [&](std::uint32_t part) {
           return std::ranges::find(relayed, part) != relayed.end() ||
                  std::ranges::find(parts_[a.value()], part) != parts_[a.value()].end();
         }));
}

bool MemberLayout::over_scale_up(MemberIndex a, MemberIndex b) const {
  const Place& one = places_[a.value()];
  const Place& other = places_[b.value()];
  return one.group == other.group && one.scale_up && other.scale_up;
}

std::uint32_t MemberLayout::default_channels() const {
  if (groups() == 1 && scale_up_)
    return 1;
  return std::min(kMaxChannels, scale_up_ ? largest_ * rails_ : rails_);
}

std::uint32_t MemberLayout::rail_channel(std::uint32_t index) const {
  const std::uint32_t all = default_channels();
  if (all != largest_ * rails_)
    return index;
  const std::uint32_t turn = index % all;
  return index - turn + turn % rails_ * largest_ + turn / rails_;
}

std::uint32_t MemberLayout::paired_channel(std::uint32_t index) const {
  const std::uint32_t all = default_channels();
  const std::uint32_t turn = index % (2 * all);
  return index - turn + turn % 2 * all + turn / 2;
}

MemberIndex MemberLayout::at(std::uint32_t channel, std::uint32_t position) const {
  const auto after = std::upper_bound(first_position_.begin(), first_position_.end(), position);
  const auto group = static_cast<std::uint32_t>(after - first_position_.begin()) - 1;
  const std::vector<MemberIndex>& members = groups_[group];
  const auto count = static_cast<std::uint32_t>(members.size());
  const std::uint32_t step = position - first_position_[group];
  return members[(group % 2 == 0 ? channel + step : channel + count - 1 - step) % count];
}

std::uint32_t MemberLayout::position(std::uint32_t channel, MemberIndex member) const {
  const Place& place = places_[member.value()];
  const auto count = static_cast<std::uint32_t>(groups_[place.group].size());
  const std::uint32_t turned = (place.local + count - channel % count) % count;
  return first_position_[place.group] + (place.group % 2 == 0 ? turned : count - 1 - turned);
}

}  // namespace weft::workload
