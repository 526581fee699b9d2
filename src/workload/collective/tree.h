// Double binary trees: two trees over the same ranks, half of the data each, in which (nearly) every rank that is a
// leaf of one is an inner node of the other, so that all links carry about the same.
//
// All-reduce goes up a tree, adding, and down again; between groups the trees join one member of each, inside a group
// a chain leads to it, so that each pair of channels uses another rail. Broadcast and reduce put their root, or its
// group where scale-up links join groups, above both trees of the others. All are pipelined chunk by chunk. Source:
// Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009; NCCL.
#pragma once

#include <optional>
#include <vector>

#include "workload/collective/lane.h"

namespace weft::workload {

/// A node's place in a tree.
struct TreeNode {
  std::optional<std::uint32_t> parent{};
  std::vector<std::uint32_t> children{};
};

/// Which of the two trees.
enum class TreeHalf : std::uint8_t { kFirst, kSecond };

/// Node `node` of `count`, all in the order of a binary tree whose leaves are every second node; the second tree is the
/// first one mirrored (even counts) or moved on by one (odd counts).
[[nodiscard]] TreeNode tree_node(std::uint32_t node, std::uint32_t count, TreeHalf half);

void add_tree_all_reduce(const LaneContext& context, Lanes& lanes);
void add_tree_broadcast(const LaneContext& context, Lanes& lanes);
void add_tree_reduce(const LaneContext& context, Lanes& lanes);

}  // namespace weft::workload
