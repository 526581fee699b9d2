#include "workload/collective/relay.h"

namespace weft::workload {
namespace {

constexpr std::uint32_t kToRelay = 0;
constexpr std::uint32_t kRelayRail = 1;

/// Member (group, local) as the source, relay or receiver of parts. All parts have one size.
struct RelayView {
  LaneContext context;
  std::uint32_t channel = 0;
  std::uint32_t staged = 0;  // the lane that fills the staging memory

  [[nodiscard]] const MemberLayout& layout() const { return *context.layout; }
  [[nodiscard]] std::uint32_t groups() const { return layout().groups(); }
  [[nodiscard]] std::uint32_t locals() const { return layout().largest_group(); }
  [[nodiscard]] std::uint32_t group() const { return layout().group_of(context.self); }
  [[nodiscard]] std::uint32_t local() const { return layout().local_of(context.self); }
  [[nodiscard]] std::uint32_t ahead(std::uint32_t steps) const { return (local() + steps) % locals(); }
  [[nodiscard]] std::uint32_t behind(std::uint32_t steps) const { return (local() + locals() - steps) % locals(); }
  [[nodiscard]] MemberIndex member(std::uint32_t group_there, std::uint32_t local_there) const {
    return layout().group(group_there % groups())[local_there];
  }
  [[nodiscard]] Extent share(MemberIndex other) const {
    return context.chunker().part(context.part_of(other), channel, context.channels);
  }
  [[nodiscard]] std::uint64_t chunks() const { return context.chunker().chunks(share(MemberIndex(0))); }
  [[nodiscard]] std::uint64_t mark(std::uint32_t step, std::uint32_t turn) const {
    return std::uint64_t{step} * locals() + turn;
  }
  /// Where a relay keeps what `source` of its group sends to its rail in this step.
  [[nodiscard]] Extent staging(std::uint32_t step, std::uint32_t source) const {
    return share(member(group() + step, source));
  }
};

// Step 0 is the own group: nothing is relayed.
Lane relay_send(RelayView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t i = 1; i <= view.groups(); ++i) {
    const std::uint32_t step = i % view.groups();
    for (std::uint32_t turn = 1; turn < view.locals(); ++turn) {
      const Extent share = view.share(view.member(view.group() + step, view.ahead(turn)));
      for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk)
        co_yield {.kind = Action::Kind::kSend,
                  .slot = view.context.rail_slot(view.channel, kToRelay),
                  .peer = view.member(view.group(), view.ahead(turn)),
                  .extent = chunker.chunk(share, chunk)};
    }
  }
}

Lane relay_receive(RelayView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t i = 1; i <= view.groups(); ++i) {
    const std::uint32_t step = i % view.groups();
    for (std::uint32_t turn = 1; turn < view.locals(); ++turn) {
      const std::uint32_t source = view.behind(turn);
      const Extent place = step == 0 ? view.share(view.member(view.group(), source)) : view.staging(step, source);
      for (std::uint64_t chunk = 0; chunk < chunker.chunks(place); ++chunk)
        co_yield {.kind = Action::Kind::kReceive,
                  .buffer = step == 0 ? BufferKind::kResult : BufferKind::kStaging,
                  .slot = view.context.rail_slot(view.channel, kToRelay),
                  .peer = view.member(view.group(), source),
                  .extent = chunker.chunk(place, chunk)};
      if (step != 0)
        co_yield {.kind = Action::Kind::kMark, .mark = view.mark(step, turn)};
    }
  }
}

Lane rail_send(RelayView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t step = 1; step < view.groups(); ++step) {
    const MemberIndex peer = view.member(view.group() + step, view.local());
    for (std::uint32_t turn = 0; turn < view.locals(); ++turn) {
      const Extent place = turn == 0 ? view.share(peer) : view.staging(step, view.behind(turn));
      for (std::uint64_t chunk = 0; chunk < chunker.chunks(place); ++chunk)
        co_yield {.kind = Action::Kind::kSend,
                  .buffer = turn == 0 ? BufferKind::kData : BufferKind::kStaging,
                  .slot = view.context.rail_slot(view.channel, kRelayRail),
                  .peer = peer,
                  .extent = chunker.chunk(place, chunk),
                  .after = {Dependency{view.staged, turn == 0 ? 0 : view.mark(step, turn)}}};
    }
  }
}

Lane rail_receive(RelayView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t step = 1; step < view.groups(); ++step) {
    const std::uint32_t from = view.group() + view.groups() - step;
    for (std::uint32_t turn = 0; turn < view.locals(); ++turn) {
      const Extent place = view.share(view.member(from, view.behind(turn)));
      for (std::uint64_t chunk = 0; chunk < chunker.chunks(place); ++chunk)
        co_yield {.kind = Action::Kind::kReceive,
                  .buffer = BufferKind::kResult,
                  .slot = view.context.rail_slot(view.channel, kRelayRail),
                  .peer = view.member(from, view.local()),
                  .extent = chunker.chunk(place, chunk)};
    }
  }
}

}  // namespace

void add_relayed_all_to_all(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    RelayView view{.context = context, .channel = channel};
    lanes.add(relay_send(view));
    view.staged = lanes.add(relay_receive(view));
    lanes.add(rail_send(view));
    lanes.add(rail_receive(view));
  }
  lanes.add(copy_own(context));
}

}  // namespace weft::workload
