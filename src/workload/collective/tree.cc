#include "workload/collective/tree.h"

#include <algorithm>
#include <bit>

namespace weft::workload {
namespace {

/// Among nodes 0 to count - 1 in order: a node's height is the number of its trailing zeros, node 0 is above all.
TreeNode first_tree(std::uint32_t node, std::uint32_t count) {
  TreeNode made;
  if (node == 0) {
    if (count > 1)
      made.children.push_back(std::bit_floor(count - 1));
    return made;
  }
  const std::uint32_t height = std::uint32_t{1} << std::countr_zero(node);
  const std::uint32_t right_parent = node - height;
  const std::uint32_t left_parent = (node ^ height) | (height << 1);
  made.parent = left_parent < count ? left_parent : right_parent;
  if (height == 1)
    return made;
  made.children.push_back(node - height / 2);
  // Where the right child would lie beyond the end, the tallest node of what is left there takes its place.
  std::uint32_t half = height / 2;
  while (half > 0 && node + half >= count)
    half /= 2;
  if (half > 0)
    made.children.push_back(node + half);
  return made;
}

/// A rank in one channel's tree.
struct TreeView {
  LaneContext context;
  std::uint32_t channel = 0;
  std::optional<MemberIndex> parent{};
  std::vector<MemberIndex> children{};

  [[nodiscard]] Extent share() const { return context.chunker().part(context.whole(), channel, context.channels); }
  [[nodiscard]] std::uint64_t chunks() const { return context.chunker().chunks(share()); }
  [[nodiscard]] Extent chunk(std::uint64_t index) const { return context.chunker().chunk(share(), index); }
  [[nodiscard]] std::uint32_t slot(std::uint32_t phase) const {
    return slot_of(context.layout->paired_channel(channel), phase);
  }
};

/// What comes from one peer; slot 0 goes up, slot 1 down. A chunk is taken once `fellows` have dealt with the one
/// before: the other children's lanes and those that send on. So none of them runs ahead by more than its buffer has
/// room for, and takes a link's time from those that all wait for.
Lane tree_receive(TreeView view, MemberIndex peer, Action::Kind kind, std::vector<std::uint32_t> fellows) {
  for (std::uint64_t chunk = 0; chunk < view.chunks(); ++chunk) {
    Action action{.kind = kind,
                  .slot = view.slot(kind == Action::Kind::kReduce ? 0 : 1),
                  .peer = peer,
                  .extent = view.chunk(chunk),
                  .mark = chunk + 1};
    WEFT_ASSERT(fellows.size() <= action.after.size());
    for (std::size_t i = 0; i < fellows.size(); ++i)
      action.after[i] = {fellows[i], chunk};
    co_yield action;
  }
}

enum class Direction : std::uint8_t { kUp, kDown };

/// What goes to one peer once these lanes have dealt with the chunk.
Lane tree_send(TreeView view, MemberIndex peer, Direction direction, std::vector<std::uint32_t> sources) {
  for (std::uint64_t chunk = 0; chunk < view.chunks(); ++chunk) {
    Action action{.kind = Action::Kind::kSend,
                  .slot = view.slot(direction == Direction::kUp ? 0 : 1),
                  .peer = peer,
                  .extent = view.chunk(chunk),
                  .mark = chunk + 1};
    WEFT_ASSERT(sources.size() <= action.after.size());
    for (std::size_t i = 0; i < sources.size(); ++i)
      action.after[i] = {sources[i], chunk + 1};
    co_yield action;
  }
}

/// The lanes in which the children's chunks are added. Behind them follow as many that send on: one to the parent, or
/// `down` of the root, which the caller adds.
std::vector<std::uint32_t> add_up(const TreeView& view, std::size_t down, Lanes& lanes) {
  const std::uint32_t first = lanes.next();
  const std::size_t all = view.children.size() + (view.parent ? 1 : down);
  std::vector<std::uint32_t> added;
  for (const MemberIndex child : view.children)
    added.push_back(lanes.add(tree_receive(view, child, Action::Kind::kReduce, lanes.next_to(first, all))));
  if (view.parent)
    lanes.add(tree_send(view, *view.parent, Direction::kUp, added));
  return added;
}

/// `ready`: the lanes after which the root's chunks may go down.
void add_down(const TreeView& view, const std::vector<std::uint32_t>& ready, Lanes& lanes) {
  std::vector<std::uint32_t> come = ready;
  if (view.parent) {
    come = {lanes.add(tree_receive(view, *view.parent, Action::Kind::kReceive,
                                   lanes.next_to(lanes.next(), view.children.size() + 1)))};
  }
  for (const MemberIndex child : view.children)
    lanes.add(tree_send(view, child, Direction::kDown, come));
}

TreeHalf half_of(std::uint32_t channel) { return channel % 2 == 0 ? TreeHalf::kFirst : TreeHalf::kSecond; }

/// The root's children: nodes without a parent.
std::vector<std::uint32_t> tops_of(std::uint32_t count, TreeHalf half) {
  std::vector<std::uint32_t> tops;
  for (std::uint32_t node = 0; node < count; ++node) {
    if (!tree_node(node, count, half).parent)
      tops.push_back(node);
  }
  return tops;
}

/// Through a group from its head, whose rail carries what goes to other groups. It turns with the pair of channels, so
/// that all rails of a group carry the same.
std::vector<MemberIndex> chain_of(const MemberLayout& layout, std::uint32_t group, std::uint32_t channel) {
  std::vector<MemberIndex> chain = layout.group(group);
  std::rotate(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(channel / 2 % chain.size()), chain.end());
  return chain;
}

MemberIndex head_of(const MemberLayout& layout, std::uint32_t group, std::uint32_t channel) {
  const std::vector<MemberIndex>& members = layout.group(group);
  return members[channel / 2 % members.size()];
}

/// Between its neighbours in a chain of which it is a member.
TreeView view_in_chain(const LaneContext& context, std::uint32_t channel, const std::vector<MemberIndex>& chain) {
  TreeView view{.context = context, .channel = channel};
  const auto place = std::ranges::find(chain, context.self);
  if (place != chain.begin())
    view.parent = *(place - 1);
  if (place + 1 != chain.end())
    view.children.push_back(*(place + 1));
  return view;
}

/// The tree joins the groups' heads; a chain leads through the group to its head.
TreeView all_reduce_view(const LaneContext& context, std::uint32_t channel) {
  const MemberLayout& layout = *context.layout;
  const std::uint32_t group = layout.group_of(context.self);
  TreeView view = view_in_chain(context, channel, chain_of(layout, group, channel));
  if (context.self == head_of(layout, group, channel)) {
    const TreeNode node = tree_node(group, layout.groups(), half_of(channel));
    if (node.parent)
      view.parent = head_of(layout, *node.parent, channel);
    for (const std::uint32_t child : node.children)
      view.children.push_back(head_of(layout, child, channel));
  }
  return view;
}

/// The root stands above the tree of all others, who are numbered from the one behind it in the ring's order.
TreeView flat_rooted_view(const LaneContext& context, std::uint32_t channel) {
  const std::uint32_t ranks = context.size();
  const std::uint32_t root = context.layout->position(0, context.request.root);
  const auto at = [&](std::uint32_t node) { return context.layout->at(0, (root + 1 + node) % ranks); };
  const std::uint32_t node = (context.layout->position(0, context.self) + 2 * ranks - root - 1) % ranks;
  TreeView view{.context = context, .channel = channel};
  if (node == ranks - 1) {
    for (const std::uint32_t top : tops_of(ranks - 1, half_of(channel)))
      view.children.push_back(at(top));
    return view;
  }
  const TreeNode place = tree_node(node, ranks - 1, half_of(channel));
  view.parent = place.parent ? at(*place.parent) : context.request.root;
  for (const std::uint32_t child : place.children)
    view.children.push_back(at(child));
  return view;
}

/// The root's group stands above the tree of all others, which are numbered from the one behind it: its chain begins
/// with the root, and behind it comes the head.
TreeView rooted_view(const LaneContext& context, std::uint32_t channel) {
  const MemberLayout& layout = *context.layout;
  if (!layout.has_scale_up() || layout.groups() == 1 || layout.largest_group() == 1)
    return flat_rooted_view(context, channel);
  const std::uint32_t group = layout.group_of(context.self);
  const std::uint32_t root = layout.group_of(context.request.root);
  std::vector<MemberIndex> chain = chain_of(layout, group, channel);
  if (group == root) {
    const auto place = std::ranges::find(chain, context.request.root);
    std::rotate(chain.begin(), place, place + 1);
  }
  TreeView view = view_in_chain(context, channel, chain);
  if (context.self != head_of(layout, group, channel))
    return view;
  const std::uint32_t others = layout.groups() - 1;
  const auto head = [&](std::uint32_t node) { return head_of(layout, (root + 1 + node) % layout.groups(), channel); };
  if (group == root) {
    for (const std::uint32_t top : tops_of(others, half_of(channel)))
      view.children.push_back(head(top));
    return view;
  }
  const TreeNode place = tree_node((group + layout.groups() - root - 1) % layout.groups(), others, half_of(channel));
  view.parent = head_of(layout, root, channel);
  if (place.parent)
    view.parent = head(*place.parent);
  for (const std::uint32_t child : place.children)
    view.children.push_back(head(child));
  return view;
}

}  // namespace

TreeNode tree_node(std::uint32_t node, std::uint32_t count, TreeHalf half) {
  WEFT_ASSERT(node < count);
  if (half == TreeHalf::kFirst)
    return first_tree(node, count);
  const bool mirrored = count % 2 == 0;
  const auto other = [&](std::uint32_t of) { return mirrored ? count - 1 - of : (of + 1) % count; };
  TreeNode made = first_tree(mirrored ? other(node) : (node + count - 1) % count, count);
  if (made.parent)
    made.parent = other(*made.parent);
  for (std::uint32_t& child : made.children)
    child = other(child);
  return made;
}

void add_tree_all_reduce(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    const TreeView view = all_reduce_view(context, channel);
    add_down(view, add_up(view, view.children.size(), lanes), lanes);
  }
}

void add_tree_broadcast(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel)
    add_down(rooted_view(context, channel), {}, lanes);
}

void add_tree_reduce(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel)
    add_up(rooted_view(context, channel), 0, lanes);
}

}  // namespace weft::workload
