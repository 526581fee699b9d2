#include "subnet/partitions/partitions.h"

#include <algorithm>
#include <optional>

namespace weft::subnet {
namespace {

/// OpenSM keeps partitions by their P_Keys as they stand in a MAD, read by a machine that stores the least significant
/// byte first (subnet.h).
std::uint16_t sweep_key(std::uint16_t p_key) { return __builtin_bswap16(p_key); }

class Assignment {
 public:
  explicit Assignment(const RoutingView& view) : view_(view) {
    for (std::size_t i = 0; i < view.end_ports.size(); ++i) {
      end_of_[view.end_ports[i].guid.value] = EndPortIndex(static_cast<std::uint32_t>(i));
    }
    made_.all.push_back({.p_key = kDefaultPartition, .name = "Default"});
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
    const auto found = std::ranges::find(made_.all, p_key, &Partition::p_key);
    return found == made_.all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - made_.all.begin()));
  }

  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < made_.all.size() && !name.empty(); ++i) {
      if (made_.all[i].name == name && (!first || sweep_key(made_.all[i].p_key) < sweep_key(made_.all[*first].p_key))) {
        first = i;
      }
    }
    return first;
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
    made_.all.push_back({.p_key = p_key, .name = rule.name});
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
