#include "subnet/partitions/partitions.h"

#include <fmt/format.h>

#include <optional>

#include "subnet/partitions/group_id.h"

namespace weft::subnet {
namespace {

/// OpenSM keeps partitions by their P_Keys as they stand in a MAD, read by a machine that stores the least significant
/// byte first (subnet.h).
std::uint16_t sweep_key(std::uint16_t p_key) { return __builtin_bswap16(p_key); }

/// By which OpenSM finds the partition again.
std::string known_name(const Partition& partition) {
  return partition.name.empty() ? fmt::format("{:04x}", partition.p_key) : partition.name;
}

/// Whether a group's GID has the P_Key of the partition, or one that stands for any.
bool has_key(const MulticastRule& group, std::uint16_t p_key) {
  constexpr GidWords kBroadcast = {0xFF12, 0x401B, 0xFFFF, 0, 0, 0, 0xFFFF, 0xFFFF};
  const std::optional<GidWords> gid = parse_gid(group.mgid);
  return !gid || !is_of_ip(*gid) || *gid == kBroadcast || (*gid)[2] == 0 || (*gid)[2] == (p_key | kFullMember);
}

class Assignment {
 public:
  explicit Assignment(const RoutingView& view) : view_(view) {
    for (std::size_t i = 0; i < view.end_ports.size(); ++i) {
      end_of_[view.end_ports[i].guid.value] = EndPortIndex(static_cast<std::uint32_t>(i));
    }
    append({.p_key = kDefaultPartition, .name = "Default"});
    add(made_.all.back(), {.kind = MemberKind::kAll});
    add(made_.all.back(), {.kind = MemberKind::kSelf, .membership = Membership::kFull});
  }

  Result<Partitions> take(const std::vector<PartitionRule>& rules) {
    for (const PartitionRule& rule : rules) {
      Result<std::size_t> found = partition_of(rule);
      if (!found) {
        return pass_on(found);
      }
      Partition& own = made_.all[*found];
      own.index0 |= rule.index0;
      own.ipoib |= rule.ipoib;
      for (const MemberRule& member : rule.members) {
        add(own, member);
      }
      for (const MulticastRule& group : rule.groups) {
        if (!has_key(group, own.p_key)) {
          made_.foreign.push_back(group);
        }
      }
    }
    made_.keys.resize(view_.end_ports.size());
    for (const Partition& partition : made_.all) {
      for (const auto& [end, membership] : partition.members) {
        made_.keys[end.value()].push_back(
            static_cast<std::uint16_t>(partition.p_key | (membership == Membership::kFull ? kFullMember : 0)));
      }
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> find(std::uint16_t p_key) const {
    const auto found = by_key_.find(p_key);
    return found == by_key_.end() ? std::nullopt : std::optional(found->second);
  }

  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Of one name, OpenSM finds the first in its order of P_Keys.
  void append(Partition partition) {
    const std::size_t index = made_.all.size();
    by_key_[partition.p_key] = index;
    const auto [known, is_new] = by_name_.try_emplace(known_name(partition), index);
    if (!is_new && sweep_key(partition.p_key) < sweep_key(made_.all[known->second].p_key)) {
      known->second = index;
    }
    made_.all.push_back(std::move(partition));
  }

  Result<std::size_t> partition_of(const PartitionRule& rule) {
    std::uint16_t p_key = rule.p_key;
    if (const std::optional<std::size_t> known = p_key != 0 ? find(p_key) : find(rule.name)) {
      return *known;
    }
    while (p_key == 0) {
      if (last_chosen_ + 1 >= kDefaultPartition) {
        return fail("no P_Key is left for partition '{}'; give one that another partition has, or fewer partitions",
                    rule.name);
      }
      ++last_chosen_;
      p_key = find(last_chosen_) ? std::uint16_t{0} : last_chosen_;
    }
    append({.p_key = p_key, .name = rule.name.substr(0, kKnownOfName)});
    return made_.all.size() - 1;
  }

  [[nodiscard]] bool takes(const EndPort& end, const MemberRule& member) const {
    switch (member.kind) {
      case MemberKind::kPort:
        return end.guid == member.port;
      case MemberKind::kAll:
        return true;
      case MemberKind::kAllAdapters:
        return end.type == NodeType::kChannelAdapter;
      case MemberKind::kAllSwitches:
        return end.type == NodeType::kSwitch;
      case MemberKind::kAllRouters:
        return end.type == NodeType::kRouter;
      case MemberKind::kSelf:
        break;
    }
    return view_.manager.is_valid() && end.guid == view_[view_.manager].guid;
  }

  void add(Partition& partition, const MemberRule& member) {
    if (member.kind == MemberKind::kPort) {
      const auto end = end_of_.find(member.port.value);
      if (end == end_of_.end()) {
        made_.unknown.push_back(member);
      } else {
        partition.members[end->second] = member.membership;
      }
      return;
    }
    for (std::size_t i = 0; i < view_.end_ports.size(); ++i) {
      if (takes(view_.end_ports[i], member)) {
        partition.members[EndPortIndex(static_cast<std::uint32_t>(i))] = member.membership;
      }
    }
  }

  const RoutingView& view_;
  std::map<std::uint64_t, EndPortIndex> end_of_;
  std::map<std::uint16_t, std::size_t> by_key_;
  std::map<std::string, std::size_t> by_name_;
  std::uint16_t last_chosen_ = 0;
  Partitions made_;
};

}  // namespace

Result<Partitions> assign_partitions(const RoutingView& view, const std::vector<PartitionRule>& rules) {
  return Assignment(view).take(rules);
}

std::vector<std::uint16_t> shared_keys(const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b) {
  std::vector<std::uint16_t> shared;
  for (const std::uint16_t key : a) {
    for (const std::uint16_t other : b) {
      const bool same = ((key ^ other) & ~kFullMember) == 0;
      if (same && ((key | other) & kFullMember) != 0) {
        shared.push_back(static_cast<std::uint16_t>(key & ~kFullMember));
      }
    }
  }
  return shared;
}

}  // namespace weft::subnet
