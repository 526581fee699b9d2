#include "workload/collective/hierarchical.h"

namespace weft::workload {
namespace {

constexpr std::uint32_t kDomainReduce = 0;  // slots of the three stages
constexpr std::uint32_t kRail = 1;
constexpr std::uint32_t kDomainGather = 2;

/// One channel as one rank sees it. A segment is what the members of one group own; of each segment a rank's ring
/// carries the part of the member that has the rank's own number in that group. Rails and exchanges in the domain go by
/// the options' chunks, the domain's switch reduces pieces of these as large as it takes.
struct HierarchyView {
  LaneContext context;
  std::uint32_t channel = 0;
  bool reduces = false;
  bool gathers = false;
  // Lanes that others wait for.
  std::uint32_t domain_reduced = 0;
  std::uint32_t rail_received = 0;

  [[nodiscard]] const MemberLayout& layout() const { return *context.layout; }
  [[nodiscard]] std::uint32_t groups() const { return layout().groups(); }
  [[nodiscard]] std::uint32_t locals() const { return layout().largest_group(); }
  [[nodiscard]] std::uint32_t group() const { return layout().group_of(context.self); }
  [[nodiscard]] std::uint32_t local() const { return layout().local_of(context.self); }
  [[nodiscard]] Chunker pieces() const { return context.chunker(); }
  [[nodiscard]] Chunker chunker() const { return context.edge_chunker(); }
  [[nodiscard]] bool in_network() const { return context.options->domain_reduction == DomainReduction::kInNetwork; }
  [[nodiscard]] bool reduces_in_domain() const { return reduces && locals() > 1; }
  [[nodiscard]] std::uint32_t ahead(std::uint32_t steps) const { return (local() + steps) % locals(); }
  [[nodiscard]] std::uint32_t behind(std::uint32_t steps) const { return (local() + locals() - steps) % locals(); }
  [[nodiscard]] MemberIndex member(std::uint32_t group_there, std::uint32_t local_there) const {
    return layout().group(group_there % groups())[local_there];
  }
  [[nodiscard]] MemberIndex neighbour(std::uint32_t local_there) const { return member(group(), local_there); }
  [[nodiscard]] Extent share(std::uint32_t segment, std::uint32_t local_there) const {
    return chunker().part(context.part_of(member(segment, local_there)), channel, context.channels);
  }
  [[nodiscard]] std::uint64_t chunks() const {
    const Extent longest = chunker().part(context.part_of(MemberIndex(0)), channel, context.channels);
    return chunker().chunks(longest);
  }
  [[nodiscard]] std::uint64_t mark(std::uint32_t step, std::uint64_t chunk) const {
    return step * (chunks() + 1) + chunk + 1;
  }

  // The rails' rings, as in ring.cc: a reduce-scatter alone must end with the own segment.
  [[nodiscard]] std::uint32_t rail_pass() const { return context.steps_around(groups()); }
  [[nodiscard]] std::uint32_t rail_reducing() const { return reduces ? rail_pass() : 0; }
  [[nodiscard]] std::uint32_t rail_steps() const { return rail_reducing() + (gathers ? rail_pass() : 0); }
  /// Segments that the domain adds up or gathers: what the rail passes on, and the own.
  [[nodiscard]] std::uint32_t turns() const { return rail_pass() + 1; }
  [[nodiscard]] std::uint32_t rail_segment(std::uint32_t group_there, std::uint32_t step) const {
    return (group_there + 3 * groups() - (gathers ? 0 : 1) - step) % groups();
  }
  /// The n-th segment that becomes complete here; all groups gather it at once.
  [[nodiscard]] std::uint32_t gather_segment(std::uint32_t turn) const {
    return (group() + groups() + (reduces ? 1 : 0) - turn) % groups();
  }
  /// What must have happened before this rank's part of that segment is complete.
  [[nodiscard]] std::array<Dependency, 3> gather_after(std::uint32_t turn, std::uint64_t chunk) const {
    std::array<Dependency, 3> after{};
    const std::uint32_t step = turn + rail_reducing();  // of the ring, counted from 1
    if (groups() > 1 && step > 0)
      after[0] = {rail_received, mark(step - 1, chunk)};
    if (turn == 0 && reduces_in_domain())
      after[1] = {domain_reduced, mark(turns() - 1, chunk)};
    return after;
  }
};

Lane domain_reduce_send(HierarchyView view) {
  const Chunker chunker = view.chunker();
  for (std::uint32_t turn = 0; turn < view.turns(); ++turn) {
    for (std::uint64_t chunk = 0; chunk < view.chunks(); ++chunk) {
      for (std::uint32_t step = 1; step < view.locals(); ++step) {
        const Extent share = view.share(view.rail_segment(view.group(), turn), view.ahead(step));
        if (chunk < chunker.chunks(share))
          co_yield {.kind = Action::Kind::kSend,
                    .slot = view.context.rail_slot(view.channel, kDomainReduce),
                    .peer = view.neighbour(view.ahead(step)),
                    .extent = chunker.chunk(share, chunk)};
      }
    }
  }
}

Lane domain_reduce_receive(HierarchyView view) {
  const Chunker chunker = view.chunker();
  for (std::uint32_t turn = 0; turn < view.turns(); ++turn) {
    const Extent share = view.share(view.rail_segment(view.group(), turn), view.local());
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk) {
      for (std::uint32_t step = 1; step < view.locals(); ++step)
        co_yield {.kind = Action::Kind::kReduce,
                  .slot = view.context.rail_slot(view.channel, kDomainReduce),
                  .peer = view.neighbour(view.behind(step)),
                  .extent = chunker.chunk(share, chunk),
                  .mark = step + 1 == view.locals() ? view.mark(turn, chunk) : 0};
    }
  }
}

/// Rooted reductions, one per member of the domain and piece; all members ask for the same ones in the same order.
Lane domain_reduce_in_network(HierarchyView view) {
  const Chunker chunker = view.chunker();
  for (std::uint32_t turn = 0; turn < view.turns(); ++turn) {
    for (std::uint64_t chunk = 0; chunk < view.chunks(); ++chunk) {
      for (std::uint32_t owner = 0; owner < view.locals(); ++owner) {
        const Extent share = view.share(view.rail_segment(view.group(), turn), owner);
        if (chunk >= chunker.chunks(share))
          continue;
        const Extent whole = chunker.chunk(share, chunk);
        const std::uint64_t count = view.pieces().chunks(whole);
        for (std::uint64_t piece = 0; piece < count; ++piece)
          co_yield {.kind = Action::Kind::kReduceInNetwork,
                    .slot = slot_of(view.channel, kDomainReduce),
                    .peer = view.neighbour(owner),
                    .extent = view.pieces().chunk(whole, piece),
                    .mark = owner == view.local() && piece + 1 == count ? view.mark(turn, chunk) : 0};
      }
    }
  }
}

Lane rail_receive(HierarchyView view) {
  const Chunker chunker = view.chunker();
  const std::uint32_t before = (view.group() + view.groups() - 1) % view.groups();
  for (std::uint32_t step = 0; step < view.rail_steps(); ++step) {
    const bool adds = step < view.rail_reducing();
    const Extent share = view.share(view.rail_segment(before, step), view.local());
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk) {
      // A reducer of the network replaces what is there; adding has to come after it.
      const bool waits = adds && view.in_network() && view.reduces_in_domain();
      co_yield {.kind = adds ? Action::Kind::kReduce : Action::Kind::kReceive,
                .slot = view.context.rail_slot(view.channel, kRail),
                .peer = view.member(before, view.local()),
                .extent = chunker.chunk(share, chunk),
                .mark = view.mark(step, chunk),
                .after = {Dependency{view.domain_reduced, waits ? view.mark(step + 1, chunk) : 0}}};
    }
  }
}

Lane rail_send(HierarchyView view) {
  const Chunker chunker = view.chunker();
  for (std::uint32_t step = 0; step < view.rail_steps(); ++step) {
    const Extent share = view.share(view.rail_segment(view.group(), step), view.local());
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk) {
      std::array<Dependency, 3> after{};
      if (step > 0)
        after[0] = {view.rail_received, view.mark(step - 1, chunk)};
      if (step < view.turns() && view.reduces_in_domain())
        after[1] = {view.domain_reduced, view.mark(step, chunk)};
      co_yield {.kind = Action::Kind::kSend,
                .slot = view.context.rail_slot(view.channel, kRail),
                .peer = view.member(view.group() + 1, view.local()),
                .extent = chunker.chunk(share, chunk),
                .after = after};
    }
  }
}

Lane domain_gather_send(HierarchyView view) {
  const Chunker chunker = view.chunker();
  for (std::uint32_t turn = 0; turn < view.turns(); ++turn) {
    const Extent share = view.share(view.gather_segment(turn), view.local());
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk) {
      for (std::uint32_t step = 1; step < view.locals(); ++step)
        co_yield {.kind = Action::Kind::kSend,
                  .slot = view.context.rail_slot(view.channel, kDomainGather),
                  .peer = view.neighbour(view.ahead(step)),
                  .extent = chunker.chunk(share, chunk),
                  .after = view.gather_after(turn, chunk)};
    }
  }
}

Lane domain_gather_receive(HierarchyView view) {
  const Chunker chunker = view.chunker();
  for (std::uint32_t turn = 0; turn < view.turns(); ++turn) {
    for (std::uint64_t chunk = 0; chunk < view.chunks(); ++chunk) {
      for (std::uint32_t step = 1; step < view.locals(); ++step) {
        const Extent share = view.share(view.gather_segment(turn), view.behind(step));
        if (chunk < chunker.chunks(share))
          co_yield {.kind = Action::Kind::kReceive,
                    .slot = view.context.rail_slot(view.channel, kDomainGather),
                    .peer = view.neighbour(view.behind(step)),
                    .extent = chunker.chunk(share, chunk)};
      }
    }
  }
}

enum class Stages : std::uint8_t { kReduce, kGather, kBoth };

void add_stages(const LaneContext& context, Stages stages, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    HierarchyView view{.context = context,
                       .channel = channel,
                       .reduces = stages != Stages::kGather,
                       .gathers = stages != Stages::kReduce};
    // Lanes are numbered in the order of adding, and each knows only of earlier ones and itself.
    if (view.reduces_in_domain()) {
      if (view.in_network()) {
        view.domain_reduced = lanes.add(domain_reduce_in_network(view));
      } else {
        view.domain_reduced = lanes.add(domain_reduce_receive(view));
        lanes.add(domain_reduce_send(view));
      }
    }
    if (view.groups() > 1) {
      view.rail_received = lanes.add(rail_receive(view));
      lanes.add(rail_send(view));
    }
    if (view.gathers && view.locals() > 1) {
      lanes.add(domain_gather_send(view));
      lanes.add(domain_gather_receive(view));
    }
  }
}

}  // namespace

void add_hierarchical_all_reduce(const LaneContext& context, Lanes& lanes) {
  add_stages(context, Stages::kBoth, lanes);
}

void add_hierarchical_reduce_scatter(const LaneContext& context, Lanes& lanes) {
  add_stages(context, Stages::kReduce, lanes);
}

void add_hierarchical_all_gather(const LaneContext& context, Lanes& lanes) {
  add_stages(context, Stages::kGather, lanes);
}

}  // namespace weft::workload
