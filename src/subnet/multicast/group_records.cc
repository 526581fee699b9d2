#include "subnet/multicast/group_records.h"

#include <algorithm>

namespace weft::subnet {
namespace {

using wire::MemberRecord;
namespace component = wire::member_component;

constexpr std::uint8_t kSendOnlyFull = 8;  // of JoinState
constexpr std::uint8_t kCounts = MemberRecord::kFullMember | kSendOnlyFull;
constexpr std::uint16_t kOfPartition = 0x7FFF;

// What OpenSM gives groups: 2048 bytes, 10 Gb/s, 4.096 us times two to the 18th.
constexpr std::uint8_t kMtu = 4;
constexpr std::uint8_t kRate = 3;
constexpr std::uint8_t kLife = 18;
constexpr std::uint32_t kIpQKey = 0xB1B;
constexpr std::uint64_t kBroadcastPrefix = 0xFF12'401B'FFFF'0000;
constexpr std::uint64_t kBroadcastId = 0xFFFF'FFFF;

void set_path(MemberRecord& record) {
  record.mtu_selector = record.rate_selector = record.life_selector = MemberRecord::kExactly;
  record.mtu = kMtu;
  record.rate = kRate;
  record.life = kLife;
}

/// The group's record with a port of its own.
MemberRecord with_port(const MemberRecord& group, const MemberRecord& port) {
  MemberRecord record = group;
  record.port_prefix = port.port_prefix;
  record.port_guid = port.port_guid;
  return record;
}

}  // namespace

GroupRecords::GroupRecords(std::size_t most) : most_(most) {
  Group broadcast{.is_permanent = true};
  broadcast.has = {.mgid_prefix = kBroadcastPrefix,
                   .mgid_id = kBroadcastId,
                   .q_key = kIpQKey,
                   .mlid = kFirstMulticastLid,
                   .p_key = 0xFFFF,
                   .scope = 2};
  set_path(broadcast.has);
  groups_.emplace(Mgid{kBroadcastPrefix, kBroadcastId}, broadcast);
}

bool GroupRecords::Group::has_full_member() const {
  return std::ranges::any_of(members, [](const auto& member) { return (member.second.join_state & kCounts) != 0; });
}

/// 0: none is left.
Lid GroupRecords::free_lid() const {
  for (std::size_t offset = 0; offset < most_ && offset <= kLastMulticastLid - kFirstMulticastLid; ++offset) {
    const auto lid = static_cast<Lid>(kFirstMulticastLid + offset);
    if (std::ranges::none_of(groups_, [&](const auto& group) { return group.second.has.mlid == lid; })) {
      return lid;
    }
  }
  return 0;
}

bool GroupRecords::agrees(const Request& request, const MemberRecord& group) {
  const MemberRecord& wanted = request.record;
  const auto differs = [&](std::uint64_t bit, bool is_other) { return (request.components & bit) != 0 && is_other; };
  return !(differs(component::kQKey, wanted.q_key != group.q_key) ||
           differs(component::kPKey, (wanted.p_key & kOfPartition) != (group.p_key & kOfPartition)) ||
           differs(component::kTrafficClass, wanted.traffic_class != group.traffic_class) ||
           differs(component::kServiceLevel, wanted.service_level != group.service_level) ||
           differs(component::kFlowLabel, wanted.flow_label != group.flow_label));
}

//= ibta-1.7 15.2.5.17
GroupRecords::Answer GroupRecords::join(const Request& request) {
  const MemberRecord& wanted = request.record;
  if ((request.components & component::kOfJoin) != component::kOfJoin) {
    return {.status = SaStatus::kFewComponents};
  }
  constexpr unsigned kTopByte = 56;
  if (!request.is_port || wanted.join_state == 0 || wanted.mgid_prefix >> kTopByte != 0xFF) {
    return {.status = SaStatus::kInvalid};
  }
  auto known = groups_.find({wanted.mgid_prefix, wanted.mgid_id});
  if (known == groups_.end()) {
    if ((request.components & component::kOfCreation) != component::kOfCreation) {
      return {.status = SaStatus::kFewComponents};
    }
    if ((wanted.join_state & kCounts) == 0) {
      return {.status = SaStatus::kInvalid};
    }
    Group group{.has = wanted};
    group.has.mlid = free_lid();
    if (group.has.mlid == 0) {
      return {.status = SaStatus::kNoResources};
    }
    group.has.port_prefix = group.has.port_guid = 0;
    group.has.join_state = group.has.proxy_join = 0;
    set_path(group.has);
    known = groups_.emplace(Mgid{wanted.mgid_prefix, wanted.mgid_id}, group).first;
  }
  Group& group = known->second;
  if (!agrees(request, group.has)) {
    return {.status = SaStatus::kInvalid};
  }
  const Guid port{wanted.port_guid};
  const auto present = group.members.find(port);
  const bool is_proxy = port != request.requester;
  if (present != group.members.end() && is_proxy && !present->second.is_proxy) {
    return {.status = SaStatus::kInvalid};  // only the port itself may change what it has joined itself
  }
  is_changed_ = is_changed_ || present == group.members.end();
  Member& member = group.members[port];
  member.is_proxy = present == group.members.end() ? is_proxy : member.is_proxy;
  member.join_state |= wanted.join_state;
  Answer answer{.record = with_port(group.has, wanted)};
  answer.record.join_state = member.join_state;
  answer.record.proxy_join = member.is_proxy ? 1 : 0;
  return answer;
}

//= ibta-1.7 15.2.5.17
GroupRecords::Answer GroupRecords::leave(const Request& request) {
  const MemberRecord& wanted = request.record;
  const auto known = groups_.find({wanted.mgid_prefix, wanted.mgid_id});
  if ((request.components & component::kOfJoin) != component::kOfJoin) {
    return {.status = SaStatus::kFewComponents};
  }
  if (known == groups_.end()) {
    return {.status = SaStatus::kInvalid};
  }
  Group& group = known->second;
  const auto member = group.members.find(Guid{wanted.port_guid});
  const bool may = member != group.members.end() && (member->second.is_proxy || request.requester == member->first);
  if (!may || wanted.join_state == 0 || (wanted.join_state & ~member->second.join_state) != 0) {
    return {.status = SaStatus::kInvalid};
  }
  Answer answer{.record = with_port(group.has, wanted)};
  member->second.join_state &= static_cast<std::uint8_t>(~wanted.join_state);
  answer.record.join_state = member->second.join_state;
  if (member->second.join_state == 0) {
    group.members.erase(member);
    is_changed_ = true;
  }
  if (!group.has_full_member() && !group.is_permanent) {
    groups_.erase(known);
    is_changed_ = true;
  }
  return answer;
}

GroupRecords::Answer GroupRecords::find(const Request& request) const {
  for (const auto& [mgid, group] : groups_) {
    const bool by_mgid = (request.components & component::kMgid) != 0;
    if (by_mgid && mgid != Mgid{request.record.mgid_prefix, request.record.mgid_id}) {
      continue;
    }
    for (const auto& [port, member] : group.members) {
      if ((request.components & component::kPortGid) != 0 && port.value != request.record.port_guid) {
        continue;
      }
      Answer answer{.record = group.has};
      answer.record.port_prefix = request.record.port_prefix;
      answer.record.port_guid = port.value;
      answer.record.join_state = member.join_state;
      answer.record.proxy_join = member.is_proxy ? 1 : 0;
      return answer;
    }
  }
  return {.status = SaStatus::kNoRecords};
}

void GroupRecords::keep_ports(const std::vector<Guid>& present) {
  for (auto group = groups_.begin(); group != groups_.end();) {
    const std::size_t gone = std::erase_if(group->second.members, [&](const auto& member) {
      return std::ranges::find(present, member.first) == present.end();
    });
    is_changed_ = is_changed_ || gone > 0;
    const bool is_over = gone > 0 && !group->second.has_full_member() && !group->second.is_permanent;
    group = is_over ? groups_.erase(group) : std::next(group);
  }
}

std::vector<MulticastGroup> GroupRecords::groups(const RoutingView& view) const {
  std::vector<MulticastGroup> made;
  for (const auto& [mgid, group] : groups_) {
    MulticastGroup each{.lid = group.has.mlid, .members = {}};
    for (std::size_t i = 0; i < view.end_ports.size(); ++i) {
      if (group.members.contains(view.end_ports[i].guid)) {
        each.members.push_back(EndPortIndex(static_cast<std::uint32_t>(i)));
      }
    }
    made.push_back(std::move(each));
  }
  std::ranges::sort(made, {}, &MulticastGroup::lid);
  return made;
}

}  // namespace weft::subnet
