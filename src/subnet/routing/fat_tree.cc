#include "subnet/routing/fat_tree.h"

#include <algorithm>
#include <deque>
#include <set>

namespace weft::subnet {
namespace {

constexpr std::uint32_t kNoRank = ~std::uint32_t{0};
constexpr std::uint8_t kNoPlace = 255;

class TreeBuilder {
 public:
  explicit TreeBuilder(const RoutingView& view) : view_(view) {
    tree_.switches.resize(view.switches.size());
    for (TreeSwitch& each : tree_.switches) {
      each.index.fill(kNoPlace);
    }
  }

  Result<FatTree> build() {
    for (Result<void> (TreeBuilder::*step)() :
         {&TreeBuilder::check_parts, &TreeBuilder::rank, &TreeBuilder::mark_leaves}) {
      if (Result<void> done = (this->*step)(); !done) {
        return pass_on(done);
      }
    }
    add_groups();
    assign_indices();
    if (Result<void> listed = list_leaves(); !listed) {
      return pass_on(listed);
    }
    if (Result<void> same = compare_ranks(); !same) {
      return pass_on(same);
    }
    return std::move(tree_);
  }

 private:
  [[nodiscard]] bool is_adapter(const SwitchPort& port) const {
    return port.to_end_port.is_valid() && view_[port.to_end_port].type == NodeType::kChannelAdapter;
  }
  [[nodiscard]] std::string named(std::size_t at) const {
    return fmt::format("the switch with GUID 0x{:016x}", view_.switches[at].guid.value);
  }

  Result<void> check_parts() {
    if (view_.lmc > 0) {
      return fail("ftree routes an LMC of 0 alone");
    }
    std::set<Guid> adapters;
    for (const EndPort& end : view_.end_ports) {
      if (end.type == NodeType::kChannelAdapter) {
        adapters.insert(end.node_guid);
      }
    }
    if (view_.switches.size() < 2 || adapters.size() < 2) {
      return fail("{} switches and {} adapters are no fat-tree; it has two of each", view_.switches.size(),
                  adapters.size());
    }
    return {};
  }

  /// Hops from the switches of rank 0; the highest.
  std::uint32_t rank_from_zero() {
    std::deque<SwitchIndex> open;
    for (std::size_t i = 0; i < tree_.switches.size(); ++i) {
      if (tree_.switches[i].rank == 0) {
        open.push_back(view_.switch_at(i));
      } else {
        tree_.switches[i].rank = kNoRank;
      }
    }
    std::uint32_t highest = 0;
    while (!open.empty()) {
      const SwitchIndex at = open.front();
      open.pop_front();
      for (const SwitchPort& port : view_[at].ports) {
        if (port.to_switch.is_valid() && tree_[port.to_switch].rank == kNoRank) {
          highest = tree_[at].rank + 1;
          tree_[port.to_switch].rank = highest;
          open.push_back(port.to_switch);
        }
      }
    }
    return highest;
  }

  /// The roots are what is farthest from adapters; ranks then count from the roots.
  Result<void> rank() {
    for (std::size_t i = 0; i < tree_.switches.size(); ++i) {
      const std::vector<SwitchPort>& ports = view_.switches[i].ports;
      if (std::ranges::any_of(ports, [&](const SwitchPort& port) { return is_adapter(port); })) {
        tree_.switches[i].rank = 0;
      }
    }
    const std::uint32_t farthest = rank_from_zero();
    for (TreeSwitch& each : tree_.switches) {
      each.rank = farthest - each.rank;
    }
    tree_.leaf_rank = rank_from_zero();
    if (tree_.leaf_rank < 1 || tree_.leaf_rank >= kMostTreeRanks) {
      return fail("a fat-tree has 2 to {} ranks of switches, not {}", kMostTreeRanks, tree_.leaf_rank + 1);
    }
    return {};
  }

  Result<void> mark_leaves() {
    for (std::size_t i = 0; i < tree_.switches.size(); ++i) {
      const std::vector<SwitchPort>& ports = view_.switches[i].ports;
      if (std::ranges::none_of(ports, [&](const SwitchPort& port) { return is_adapter(port); })) {
        continue;
      }
      if (tree_.switches[i].rank != tree_.leaf_rank) {
        return fail("{} has adapters at rank {}, leaves are at rank {}", named(i), tree_.switches[i].rank,
                    tree_.leaf_rank);
      }
      tree_.switches[i].is_leaf = true;
    }
    return {};
  }

  void add_groups() {
    for (std::size_t i = 0; i < tree_.switches.size(); ++i) {
      const std::vector<SwitchPort>& ports = view_.switches[i].ports;
      TreeSwitch& at = tree_.switches[i];
      for (std::size_t port = 1; port < ports.size(); ++port) {
        const TreePort cable{.port = static_cast<PortNumber>(port), .remote_port = ports[port].peer_port};
        if (is_adapter(ports[port])) {
          at.down.push_back(std::make_unique<TreeGroup>(
              TreeGroup{.to_switch = {}, .to_end_port = ports[port].to_end_port, .ports = {cable}}));
        } else if (ports[port].to_switch.is_valid() && ports[port].to_switch != view_.switch_at(i)) {
          const std::uint32_t rank = tree_[ports[port].to_switch].rank;
          add_cable(at.rank > rank ? at.up : (at.rank == rank ? at.level : at.down), ports[port].to_switch, cable);
        }
      }
    }
  }

  static void add_cable(TreeGroups& groups, SwitchIndex to, const TreePort& cable) {
    const auto known = std::ranges::find_if(groups, [&](const auto& group) { return group->to_switch == to; });
    if (known != groups.end()) {
      (*known)->ports.push_back(cable);
    } else {
      groups.push_back(std::make_unique<TreeGroup>(TreeGroup{.to_switch = to, .to_end_port = {}, .ports = {cable}}));
    }
  }

  void assign_indices() {
    const auto first = std::ranges::find(tree_.switches, true, &TreeSwitch::is_leaf);
    for (std::size_t place = 1; place <= tree_.leaf_rank; ++place) {
      first->index[place] = 0;
    }
    first->index[0] = static_cast<std::uint8_t>(first->rank);
    taken_.insert(first->index);
    std::deque<SwitchIndex> open{view_.switch_at(static_cast<std::size_t>(first - tree_.switches.begin()))};
    while (!open.empty()) {
      TreeSwitch& at = tree_[open.front()];
      open.pop_front();
      if (at.rank < tree_.leaf_rank) {
        assign_neighbours(at.index, at.down, at.rank + 1, open);
      }
      if (at.rank != 0) {
        assign_neighbours(at.index, at.up, at.rank - 1, open);
      }
    }
  }

  void assign_neighbours(const TreeIndex& from, TreeGroups& groups, std::uint32_t rank, std::deque<SwitchIndex>& open) {
    for (const std::unique_ptr<TreeGroup>& group : groups) {
      TreeSwitch& to = tree_[group->to_switch];
      if (to.index[0] == kNoPlace) {
        TreeIndex index = from;
        index[0] = static_cast<std::uint8_t>(rank);
        std::uint8_t& place = index[std::max(rank, static_cast<std::uint32_t>(from[0]))];
        for (place = 0; place < kNoPlace && taken_.contains(index);) {
          ++place;
        }
        to.index = index;
        taken_.insert(index);
        open.push_back(group->to_switch);
      }
    }
    std::ranges::stable_sort(groups, {}, [&](const auto& group) { return tree_[group->to_switch].index; });
  }

  Result<void> list_leaves() {
    for (std::size_t i = 0; i < tree_.switches.size(); ++i) {
      if (tree_.switches[i].rank == tree_.leaf_rank) {
        tree_.leaves.push_back(view_.switch_at(i));
      }
    }
    std::ranges::stable_sort(tree_.leaves, {}, [&](SwitchIndex at) { return tree_[at].index; });
    const auto is_leaf = [&](SwitchIndex at) { return tree_[at].is_leaf; };
    const auto last = std::ranges::find_if(tree_.leaves.rbegin(), tree_.leaves.rend(), is_leaf).base();
    tree_.leaves.erase(last, tree_.leaves.end());
    tree_.leaves.erase(tree_.leaves.begin(), std::ranges::find_if(tree_.leaves, is_leaf));
    if (tree_.leaves.size() < 2) {
      return fail("a fat-tree has adapters at two leaves at least");
    }
    for (const SwitchIndex at : tree_.leaves) {
      const auto adapters =
          std::ranges::count_if(tree_[at].down, [](const auto& group) { return group->to_end_port.is_valid(); });
      tree_.adapters_per_leaf = std::max(tree_.adapters_per_leaf, static_cast<std::size_t>(adapters));
    }
    return {};
  }

  /// Switches of a rank have equally many neighbours up and, but for adapters, down, over equally many cables.
  Result<void> compare_ranks() const {
    std::vector<const TreeSwitch*> first(tree_.leaf_rank + 1, nullptr);
    for (std::size_t i = 0; i < tree_.switches.size(); ++i) {
      const TreeSwitch& at = tree_.switches[i];
      const TreeSwitch*& reference = first[at.rank];
      if (reference == nullptr) {
        reference = &at;
        continue;
      }
      const bool inner = at.rank != tree_.leaf_rank;
      if (at.up.size() != reference->up.size() || (inner && at.down.size() != reference->down.size())) {
        return fail("{} has {} neighbours up and {} down, another of rank {} has {} and {}", named(i), at.up.size(),
                    at.down.size(), at.rank, reference->up.size(), reference->down.size());
      }
      const auto other_cables = [](const auto& group, const auto& known) {
        return group->ports.size() != known->ports.size();
      };
      const bool up_differs =
          std::ranges::any_of(at.up, [&](const auto& group) { return other_cables(group, reference->up.front()); });
      if (up_differs || (inner && !at.down.empty() && other_cables(at.down.front(), reference->down.front()))) {
        return fail("{} has other numbers of parallel cables than another of rank {}", named(i), at.rank);
      }
    }
    return {};
  }

  const RoutingView& view_;
  FatTree tree_;
  std::set<TreeIndex> taken_;
};

}  // namespace

Result<FatTree> make_fat_tree(const RoutingView& view) { return TreeBuilder(view).build(); }

}  // namespace weft::subnet
