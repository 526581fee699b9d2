#include "workload/collective/nvls_tree.h"

#include <array>
#include <vector>

#include "workload/collective/tree.h"

namespace weft::workload {
namespace {

constexpr std::uint32_t kDomain = 0;  // slots, also of groups
constexpr std::uint32_t kUp = 1;
constexpr std::uint32_t kDown = 2;

/// One channel as one rank sees it. Trees carry chunks as the options have them, the domain's switch pieces of these as
/// large as it takes.
struct NvlsView {
  LaneContext context;
  std::uint32_t channel = 0;
  TreeNode node{};
  // Lanes that others wait for.
  std::uint32_t reduced = 0;
  std::vector<std::uint32_t> added{};  // by child
  std::uint32_t received = 0;

  [[nodiscard]] const MemberLayout& layout() const { return *context.layout; }
  [[nodiscard]] std::uint32_t locals() const { return layout().largest_group(); }
  [[nodiscard]] std::uint32_t group() const { return layout().group_of(context.self); }
  [[nodiscard]] std::uint32_t local() const { return layout().local_of(context.self); }
  [[nodiscard]] MemberIndex neighbour(std::uint32_t owner) const { return layout().group(group())[owner]; }
  [[nodiscard]] MemberIndex peer(std::uint32_t group_there) const { return layout().group(group_there)[local()]; }

  /// Of both trees' edges over one of the member's rails, and over the next.
  [[nodiscard]] std::uint32_t slot(std::uint32_t phase) const {
    return slot_of(layout().paired_channel(2 * layout().rail_channel(channel / 2) + channel % 2), phase);
  }

  [[nodiscard]] Chunker pieces() const { return context.chunker(); }
  [[nodiscard]] Chunker chunker() const { return context.edge_chunker(); }
  [[nodiscard]] Extent share(std::uint32_t owner) const {
    return chunker().part(chunker().part(context.whole(), owner, locals()), channel, context.channels);
  }
  /// Of the longest share.
  [[nodiscard]] std::uint64_t chunks() const { return chunker().chunks(share(0)); }
  [[nodiscard]] std::uint64_t own_chunks() const { return chunker().chunks(share(local())); }
  [[nodiscard]] Extent own_chunk(std::uint64_t index) const { return chunker().chunk(share(local()), index); }

  [[nodiscard]] Dependency domain_sum(std::uint64_t chunk) const {
    return {.lane = reduced, .mark = locals() > 1 ? chunk + 1 : 0};
  }
  /// What the sum over the own domain and those below waits for.
  [[nodiscard]] std::array<Dependency, 3> summed(std::uint64_t chunk) const {
    std::array<Dependency, 3> after{domain_sum(chunk)};
    for (std::size_t i = 0; i < added.size(); ++i)
      after[i + 1] = {added[i], chunk + 1};
    return after;
  }
  /// What the sum of all waits for.
  [[nodiscard]] std::array<Dependency, 3> complete(std::uint64_t chunk) const {
    return node.parent ? std::array<Dependency, 3>{Dependency{received, chunk + 1}} : summed(chunk);
  }
};

/// Calls `visit(owner, piece, is_last)` for the pieces of one chunk of every owner's share.
template <class Visit>
void for_pieces(const NvlsView& view, std::uint64_t chunk, const Visit& visit) {
  for (std::uint32_t owner = 0; owner < view.locals(); ++owner) {
    const Extent share = view.share(owner);
    if (chunk >= view.chunker().chunks(share))
      continue;
    const Extent all = view.chunker().chunk(share, chunk);
    const std::uint64_t count = view.pieces().chunks(all);
    for (std::uint64_t i = 0; i < count; ++i)
      visit(owner, view.pieces().chunk(all, i), i + 1 == count);
  }
}

// Every member asks for the same in the same order.
Lane domain_reduce(NvlsView view) {
  for (std::uint64_t chunk = 0; chunk < view.chunks(); ++chunk) {
    std::vector<Action> actions;
    for_pieces(view, chunk, [&](std::uint32_t owner, const Extent& piece, bool is_last) {
      actions.push_back({.kind = Action::Kind::kReduceInNetwork,
                         .slot = slot_of(view.channel, kDomain),
                         .peer = view.neighbour(owner),
                         .extent = piece,
                         .mark = owner == view.local() && is_last ? chunk + 1 : 0});
    });
    for (const Action& action : actions)
      co_yield action;
  }
}

// In a group of its own, behind those of the reductions: here owners bring what comes back from their trees.
Lane domain_share(NvlsView view) {
  for (std::uint64_t chunk = 0; chunk < view.chunks(); ++chunk) {
    std::vector<Action> actions;
    for_pieces(view, chunk, [&](std::uint32_t owner, const Extent& piece, bool) {
      actions.push_back({.kind = Action::Kind::kShareInNetwork,
                         .slot = slot_of(view.context.channels + view.channel, kDomain),
                         .peer = view.neighbour(owner),
                         .extent = piece,
                         .after = owner == view.local() ? view.complete(chunk) : std::array<Dependency, 3>{}});
    });
    for (const Action& action : actions)
      co_yield action;
  }
}

/// What comes from one peer. As in other trees (workload/collective/tree.cc), a chunk is taken once `fellows` have
/// dealt with the one before. A child's is added, which has to come after the domain's sum: that replaces what is
/// there.
Lane tree_receive(NvlsView view, MemberIndex peer, Action::Kind kind, std::vector<std::uint32_t> fellows) {
  const bool adds = kind == Action::Kind::kReduce;
  for (std::uint64_t chunk = 0; chunk < view.own_chunks(); ++chunk) {
    Action action{.kind = kind,
                  .slot = view.slot(adds ? kUp : kDown),
                  .peer = peer,
                  .extent = view.own_chunk(chunk),
                  .mark = chunk + 1,
                  .after = {adds ? view.domain_sum(chunk) : Dependency{}}};
    WEFT_ASSERT(fellows.size() < action.after.size());
    for (std::size_t i = 0; i < fellows.size(); ++i)
      action.after[i + 1] = {fellows[i], chunk};
    co_yield action;
  }
}

Lane send_up(NvlsView view) {
  for (std::uint64_t chunk = 0; chunk < view.own_chunks(); ++chunk)
    co_yield {.kind = Action::Kind::kSend,
              .slot = view.slot(kUp),
              .peer = view.peer(*view.node.parent),
              .extent = view.own_chunk(chunk),
              .mark = chunk + 1,
              .after = view.summed(chunk)};
}

Lane send_down(NvlsView view, MemberIndex child) {
  for (std::uint64_t chunk = 0; chunk < view.own_chunks(); ++chunk)
    co_yield {.kind = Action::Kind::kSend,
              .slot = view.slot(kDown),
              .peer = child,
              .extent = view.own_chunk(chunk),
              .mark = chunk + 1,
              .after = view.complete(chunk)};
}

}  // namespace

void add_nvls_tree_all_reduce(const LaneContext& context, Lanes& lanes) {
  const MemberLayout& layout = *context.layout;
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    const TreeHalf half = channel % 2 == 0 ? TreeHalf::kFirst : TreeHalf::kSecond;
    NvlsView view{.context = context,
                  .channel = channel,
                  .node = tree_node(layout.group_of(context.self), layout.groups(), half)};
    // Each lane knows of earlier ones alone.
    if (view.locals() > 1)
      view.reduced = lanes.add(domain_reduce(view));
    const std::vector<std::uint32_t>& children = view.node.children;
    const std::uint32_t up = lanes.next();
    const std::size_t count = children.size() + (view.node.parent ? 1 : children.size());
    for (const std::uint32_t child : children)
      view.added.push_back(
          lanes.add(tree_receive(view, view.peer(child), Action::Kind::kReduce, lanes.next_to(up, count))));
    if (view.node.parent) {
      lanes.add(send_up(view));
      view.received = lanes.add(tree_receive(view, view.peer(*view.node.parent), Action::Kind::kReceive,
                                             lanes.next_to(lanes.next(), children.size() + 1)));
    }
    for (const std::uint32_t child : children)
      lanes.add(send_down(view, view.peer(child)));
    if (view.locals() > 1)
      lanes.add(domain_share(view));
  }
}

}  // namespace weft::workload
