#include "workload/collective/groups.h"

#include <algorithm>

#include "verbs/group_reservation.h"

namespace weft::workload {

std::uint32_t reductions_in_flight(const CollectiveOptions& options, Bytes piece) {
  constexpr std::int64_t kMost = 4'096;
  const std::int64_t bytes = options.in_flight * options.chunk.count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes / piece.count(), options.in_flight, kMost));
}

Bytes reduction_piece(const CollectiveOptions& options, const verbs::ReduceLimits& limits) {
  const std::int64_t element = options.element.count();
  return std::min(options.chunk, std::max(limits.max_size / element * element, options.element));
}

std::vector<MemberIndex> GroupTable::members_of(const GroupName& name) const {
  const CommunicatorEntry& entry = communicators_.at(name.communicator);
  if (name.extent == GroupExtent::kDomain)
    return entry.layout->group(entry.layout->group_of(*entry.self));
  std::vector<MemberIndex> all;
  for (std::uint32_t i = 0; i < entry.size(); ++i)
    all.push_back(MemberIndex(i));
  return all;
}

std::uint16_t GroupTable::rail_of(const RankSite& site, const GroupName& name, bool scale_up) const {
  if (scale_up)
    return *site.scale_up;
  const MemberLayout& layout = *communicators_.at(name.communicator).layout;
  return site.rails[layout.rail_of(name.channel) % site.rails.size()];
}

GroupTable::GroupRail GroupTable::group_rail_of(const GroupName& name) const {
  const CommunicatorEntry& entry = communicators_.at(name.communicator);
  const RankSite& site = (*communicators_.options().layout)[communicators_.options().rank.value()];
  const bool one_domain = entry.layout->groups() == 1 || name.extent == GroupExtent::kDomain;
  const bool scale_up = one_domain && entry.layout->has_scale_up();
  return {.rail = rail_of(site, name, scale_up), .scale_up = scale_up};
}

Result<verbs::ReduceLimits> GroupTable::limits(const GroupName& name) const {
  const GroupRail group_rail = group_rail_of(name);
  const verbs::Rail& rail = messenger_.ports().machine().rails()[group_rail.rail];
  if (rail.groups == nullptr)
    return fail("communicator '{}': no switch of its {} reduces", communicators_.definition(name.communicator).name,
                group_rail.scale_up ? "scale-up domain" : "network");
  return rail.groups->query_reduce();
}

Result<std::vector<EndpointId>> GroupTable::endpoints_of(const GroupName& name, bool scale_up) const {
  const CommunicatorEntry& entry = communicators_.at(name.communicator);
  std::vector<EndpointId> endpoints;
  for (const MemberIndex member : members_of(name)) {
    const RankId rank = entry.rank(member);
    auto endpoint =
        messenger_.endpoint_of(rank, rail_of((*communicators_.options().layout)[rank.value()], name, scale_up));
    if (!endpoint)
      return pass_on(endpoint);
    endpoints.push_back(*endpoint);
  }
  return endpoints;
}

Result<void> GroupTable::reserve(CommunicatorId communicator, std::uint32_t channels) const {
  if (const auto known = reserved_.find(communicator); known != reserved_.end())
    return known->second;
  verbs::GroupReservation reservation{.owner = std::uint64_t{job_.value()} << 32U | communicator.value()};
  verbs::GroupProvider* provider = nullptr;
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    const GroupName name{communicator, GroupExtent::kCommunicator, channel};
    if (auto able = limits(name); !able)
      return pass_on(able);
    const GroupRail group_rail = group_rail_of(name);
    auto endpoints = endpoints_of(name, group_rail.scale_up);
    if (!endpoints)
      return {};  // of ranks that are still to be made, the last of which asks again
    provider = messenger_.ports().machine().rails()[group_rail.rail].groups;
    reservation.groups.push_back(*std::move(endpoints));
  }
  auto* const keeps = dynamic_cast<verbs::GroupReservations*>(provider);
  Result<void> answer = keeps == nullptr ? Result<void>() : keeps->reserve_groups(reservation);
  return reserved_.emplace(communicator, std::move(answer)).first->second;
}

Result<ReducingGroup> GroupTable::find(const GroupName& name) {
  if (const auto known = groups_.find(name); known != groups_.end())
    return known->second;
  auto right = limits(name);
  if (!right)
    return pass_on(right);
  const GroupRail group_rail = group_rail_of(name);
  const CommunicatorEntry& entry = communicators_.at(name.communicator);
  const RailPort& port = messenger_.ports().rails()[group_rail.rail];
  const CollectiveOptions& options = communicators_.options().collectives;
  verbs::GroupAttributes attributes{
      .pd = port.pd, .cq = port.cq, .max_reduce_wr = reductions_in_flight(options, reduction_piece(options, *right))};
  const std::vector<MemberIndex> members = members_of(name);
  const auto self = std::ranges::find(members, *entry.self);
  attributes.self = verbs::GroupRank(static_cast<std::uint32_t>(self - members.begin()));
  auto endpoints = endpoints_of(name, group_rail.scale_up);
  if (!endpoints)
    return pass_on(endpoints);
  attributes.members = *std::move(endpoints);
  verbs::GroupProvider* const provider = messenger_.ports().machine().rails()[group_rail.rail].groups;
  auto handle = provider->create_group(attributes);
  if (!handle)
    return pass_on(handle);
  const ReducingGroup made{.provider = provider, .handle = *handle, .key = port.key, .scale_up = group_rail.scale_up};
  groups_.emplace(name, made);
  return made;
}

}  // namespace weft::workload
