#include "workload/collective/network_cuts.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "workload/collective/tree.h"

namespace weft::workload {
namespace {

using Blocks = std::set<std::uint32_t>;

/// Counts what goes from one group to another by the blocks that it leaves.
class Crossings {
 public:
  explicit Crossings(std::span<const MemberUplinks> members) {
    for (const MemberUplinks& member : members) {
      if (member.group >= blocks_.size())
        blocks_.resize(member.group + 1);
      for (const SharedUplinks& uplinks : member.uplinks) {
        NetworkCut& cut = cuts_[uplinks.block];
        ++cut.members;
        cut.share = uplinks.share;
        if (blocks_[member.group].insert(uplinks.block).second)
          ++cut.groups;
      }
    }
    std::erase_if(cuts_, [&](const auto& one) { return one.second.members == std::ssize(members); });
    if (!cuts_.empty())
      count();
  }

  [[nodiscard]] const std::map<std::uint32_t, NetworkCut>& cuts() const { return cuts_; }

 private:
  void count() {
    const auto groups = static_cast<std::uint32_t>(blocks_.size());
    for (std::uint32_t group = 0; group < groups; ++group)
      leave(group, (group + 1) % groups, &NetworkCut::rings);
    for (const TreeHalf half : {TreeHalf::kFirst, TreeHalf::kSecond}) {
      for (std::uint32_t group = 0; group < groups; ++group) {
        if (const auto parent = tree_node(group, groups, half).parent) {
          leave(group, *parent, &NetworkCut::tree_edges);
          leave(*parent, group, &NetworkCut::tree_edges);
        }
      }
    }
  }

  void leave(std::uint32_t from, std::uint32_t to, std::int64_t NetworkCut::*crossed) {
    for (const std::uint32_t block : blocks_[from]) {
      const auto cut = cuts_.find(block);
      if (cut != cuts_.end() && !blocks_[to].contains(block))
        ++(cut->second.*crossed);
    }
  }

  std::vector<Blocks> blocks_;  // of each group
  std::map<std::uint32_t, NetworkCut> cuts_;
};

}  // namespace

std::vector<NetworkCut> cuts_of(std::span<const MemberUplinks> members) {
  const Crossings crossings(members);
  std::map<std::tuple<std::int64_t, std::int64_t, Rate>, NetworkCut> unlike;
  for (const auto& [block, cut] : crossings.cuts()) {
    const auto [place, is_new] = unlike.try_emplace({cut.members, cut.groups, cut.share}, cut);
    place->second.rings = std::max(place->second.rings, cut.rings);
    place->second.tree_edges = std::max(place->second.tree_edges, cut.tree_edges);
  }
  std::vector<NetworkCut> cuts;
  cuts.reserve(unlike.size());
  for (const auto& [key, cut] : unlike)
    cuts.push_back(cut);
  return cuts;
}

}  // namespace weft::workload
