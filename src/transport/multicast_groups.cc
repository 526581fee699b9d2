#include "transport/multicast_groups.h"

#include <algorithm>

#include "wire/multicast.h"

namespace weft::transport {

Result<void> MulticastGroups::attach(Qpn qpn, const verbs::MulticastGroup& group) {
  const wire::Gid gid{group.gid};
  if (!wire::is_multicast(gid)) {
    return fail("attach_mcast: {} is no GID of a multicast group; it must begin with ff", wire::to_string(gid));
  }
  if (!wire::is_multicast_lid(group.lid)) {
    return fail("attach_mcast: {:#x} is no LID of a multicast group; it must be {:#x} to {:#x}", group.lid,
                wire::kFirstMulticastLid, wire::kLastMulticastLid);
  }
  const auto found = groups_.find(group.lid);
  if (found == groups_.end()) {
    if (groups_.size() >= limits_.groups) {
      return fail("attach_mcast: queue pairs are attached to {} groups, the device's limit", groups_.size());
    }
    groups_.emplace(group.lid, Group{.name = group, .queue_pairs = {qpn}});
    return {};
  }
  if (found->second.name != group) {
    return fail("attach_mcast: LID {:#x} is attached as group {}, and cannot be {} as well", group.lid,
                wire::to_string(wire::Gid{found->second.name.gid}), wire::to_string(gid));
  }
  std::vector<Qpn>& members = found->second.queue_pairs;
  if (std::ranges::find(members, qpn) != members.end()) {
    return {};
  }
  if (members.size() >= limits_.queue_pairs) {
    return fail("attach_mcast: group {} has {} queue pairs, the device's limit", wire::to_string(gid), members.size());
  }
  members.push_back(qpn);
  return {};
}

Result<void> MulticastGroups::detach(Qpn qpn, const verbs::MulticastGroup& group) {
  const auto found = groups_.find(group.lid);
  if (found == groups_.end() || found->second.name != group || std::erase(found->second.queue_pairs, qpn) == 0) {
    return fail("detach_mcast: queue pair {:#x} is not attached to group {} with LID {:#x}", qpn.value(),
                wire::to_string(wire::Gid{group.gid}), group.lid);
  }
  if (found->second.queue_pairs.empty()) {
    groups_.erase(found);
  }
  return {};
}

bool MulticastGroups::is_attached(Qpn qpn) const {
  return std::ranges::any_of(groups_, [&](const auto& group) {
    return std::ranges::find(group.second.queue_pairs, qpn) != group.second.queue_pairs.end();
  });
}

std::span<const Qpn> MulticastGroups::attached(std::uint16_t lid) const {
  const auto found = groups_.find(lid);
  return found == groups_.end() ? std::span<const Qpn>() : found->second.queue_pairs;
}

std::size_t MulticastGroups::heap_bytes() const {
  std::size_t bytes = groups_.size() * sizeof(Group);
  for (const auto& [lid, group] : groups_) {
    bytes += group.queue_pairs.capacity() * sizeof(Qpn);
  }
  return bytes;
}

}  // namespace weft::transport
