#include "workload/collective/ring.h"

namespace weft::workload {
namespace {

/// Which segment passes in which step, for the rank at a position. Positions stand for segments' owners.
struct RingSteps {
  std::uint32_t ranks = 1;
  std::uint32_t reducing = 0;   // steps in which the receiver adds
  std::uint32_t gathering = 0;  // steps in which it replaces
  std::uint32_t first = 0;      // how many positions back the segment of step 0 lies

  [[nodiscard]] std::uint32_t count() const { return reducing + gathering; }
  [[nodiscard]] std::uint32_t segment(std::uint32_t position, std::uint32_t step) const {
    return (position + 2 * ranks - first - step % ranks) % ranks;
  }
};

/// One channel's ring as one rank sees it; copied into its lanes.
struct RingView {
  LaneContext context;
  std::uint32_t channel = 0;
  std::uint32_t position = 0;
  RingSteps steps{};

  [[nodiscard]] MemberIndex at(std::uint32_t position_there) const {
    return context.layout->at(channel, position_there % context.size());
  }
  /// The channel's share of the segment that a rank sends in a step.
  [[nodiscard]] Extent share(std::uint32_t sender, std::uint32_t step) const {
    const Extent segment = context.part_of(at(steps.segment(sender, step)));
    return context.chunker().part(segment, channel, context.channels);
  }
  /// The step that a lane is at which has made so many, when none before it is left out any more.
  [[nodiscard]] std::uint32_t step_after(std::uint32_t made) const {
    return made + static_cast<std::uint32_t>(context.skipped());
  }
  /// Steps behind this one that are like it: all shares have one size, and adding takes as long as before.
  [[nodiscard]] std::uint64_t rounds_left(std::uint32_t made) const {
    const std::uint32_t step = step_after(made);
    const auto element = static_cast<std::uint64_t>(context.options->element.count());
    const bool alike = context.whole().size % (element * context.size() * context.channels) == 0;
    const bool adds = step < steps.reducing && context.options->reduce_rate.has_value();
    const std::uint32_t end = adds ? steps.reducing : steps.count();
    return alike && step < end ? end - 1 - step : 0;
  }
  /// What the receiving lane has come to once it has taken a chunk; shares differ by one chunk at most.
  [[nodiscard]] std::uint64_t mark(std::uint32_t step, std::uint64_t chunk) const {
    return step * (context.chunker().chunks(share_bound()) + 1) + chunk + 1;
  }

 private:
  [[nodiscard]] Extent share_bound() const {
    return context.chunker().part(context.part_of(MemberIndex(0)), 0, context.channels);
  }
};

Lane ring_receive(RingView ring) {
  const Chunker chunker = ring.context.chunker();
  const std::uint32_t before = ring.position + ring.context.size() - 1;
  for (std::uint32_t made = 0; ring.step_after(made) < ring.steps.count(); ++made) {
    const std::uint32_t step = ring.step_after(made);
    const Extent share = ring.share(before % ring.context.size(), step);
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk) {
      co_yield {.kind = step < ring.steps.reducing ? Action::Kind::kReduce : Action::Kind::kReceive,
                .slot = slot_of(ring.channel, 0),
                .peer = ring.at(before),
                .extent = chunker.chunk(share, chunk),
                .mark = ring.mark(made, chunk),
                .rounds_left = ring.rounds_left(made)};
    }
  }
}

Lane ring_send(RingView ring, std::uint32_t receiving) {
  const Chunker chunker = ring.context.chunker();
  for (std::uint32_t made = 0; ring.step_after(made) < ring.steps.count(); ++made) {
    const Extent share = ring.share(ring.position, ring.step_after(made));
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk) {
      // What leaves in one step has come in the one before.
      const Dependency come{.lane = receiving, .mark = made == 0 ? 0 : ring.mark(made - 1, chunk)};
      co_yield {.kind = Action::Kind::kSend,
                .slot = slot_of(ring.channel, 0),
                .peer = ring.at(ring.position + 1),
                .extent = chunker.chunk(share, chunk),
                .rounds_left = ring.rounds_left(made),
                .after = {come}};
    }
  }
}

/// More than once around, if as many are asked for: a short ring stands for a longer one then.
std::uint32_t steps_of(const LaneContext& context) {
  return context.request.ring_steps > 0 ? context.request.ring_steps : context.steps_around(context.size());
}

void add_rings(const LaneContext& context, const RingSteps& steps, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    const RingView ring{.context = context,
                        .channel = channel,
                        .position = context.layout->position(channel, context.self),
                        .steps = steps};
    const std::uint32_t receiving = lanes.add(ring_receive(ring));
    lanes.add(ring_send(ring, receiving));
  }
}

/// A chain through all ranks; `link` counts from its beginning.
struct ChainView {
  LaneContext context;
  std::uint32_t channel = 0;
  std::uint32_t link = 0;
  std::uint32_t first = 0;  // the ring's position at which the chain begins
  Action::Kind take = Action::Kind::kReceive;

  [[nodiscard]] MemberIndex at(std::uint32_t other) const {
    return context.layout->at(channel, (first + other) % context.size());
  }
  [[nodiscard]] Extent share() const { return context.chunker().part(context.whole(), channel, context.channels); }
};

Lane chain_receive(ChainView chain) {
  const Chunker chunker = chain.context.chunker();
  for (std::uint64_t chunk = 0; chunk < chunker.chunks(chain.share()); ++chunk) {
    co_yield {.kind = chain.take,
              .slot = slot_of(chain.channel, 0),
              .peer = chain.at(chain.link - 1),
              .extent = chunker.chunk(chain.share(), chunk),
              .mark = chunk + 1};
  }
}

Lane chain_send(ChainView chain, std::optional<std::uint32_t> receiving) {
  const Chunker chunker = chain.context.chunker();
  for (std::uint64_t chunk = 0; chunk < chunker.chunks(chain.share()); ++chunk) {
    co_yield {.kind = Action::Kind::kSend,
              .slot = slot_of(chain.channel, 0),
              .peer = chain.at(chain.link + 1),
              .extent = chunker.chunk(chain.share(), chunk),
              .after = {Dependency{receiving.value_or(0), receiving ? chunk + 1 : 0}}};
  }
}

/// `behind_root` is how far behind the root, in the ring, the chain begins.
void add_chains(const LaneContext& context, std::uint32_t behind_root, Action::Kind take, Lanes& lanes) {
  const std::uint32_t ranks = context.size();
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    const std::uint32_t first = (context.layout->position(channel, context.request.root) + behind_root) % ranks;
    const std::uint32_t position = context.layout->position(channel, context.self);
    const ChainView chain{.context = context,
                          .channel = channel,
                          .link = (position + ranks - first) % ranks,
                          .first = first,
                          .take = take};
    std::optional<std::uint32_t> receiving;
    if (chain.link > 0)
      receiving = lanes.add(chain_receive(chain));
    if (chain.link + 1 < ranks)
      lanes.add(chain_send(chain, receiving));
  }
}

}  // namespace

void add_ring_all_reduce(const LaneContext& context, Lanes& lanes) {
  const std::uint32_t steps = steps_of(context);
  add_rings(context, {.ranks = context.size(), .reducing = steps, .gathering = steps, .first = 0}, lanes);
}

// The last segment that a rank adds to must be its own, so it begins with that of its predecessor.
void add_ring_reduce_scatter(const LaneContext& context, Lanes& lanes) {
  const std::uint32_t steps = steps_of(context);
  add_rings(context, {.ranks = context.size(), .reducing = steps, .gathering = 0, .first = 1}, lanes);
}

void add_ring_all_gather(const LaneContext& context, Lanes& lanes) {
  const std::uint32_t steps = steps_of(context);
  add_rings(context, {.ranks = context.size(), .reducing = 0, .gathering = steps, .first = 0}, lanes);
}

void add_chain_broadcast(const LaneContext& context, Lanes& lanes) {
  add_chains(context, 0, Action::Kind::kReceive, lanes);
}

void add_chain_reduce(const LaneContext& context, Lanes& lanes) {
  add_chains(context, 1, Action::Kind::kReduce, lanes);
}

}  // namespace weft::workload
