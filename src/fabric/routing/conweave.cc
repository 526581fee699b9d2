#include "fabric/routing/conweave.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::fabric {
namespace {

constexpr std::uint32_t kCongestedPaths = 1024;

}  // namespace

ConWeaveSource::ConWeaveSource(const ConWeaveOptions& options, std::uint64_t seed)
    : options_(options), seed_(seed), congested_(kCongestedPaths) {}

ConWeaveSource::Sent ConWeaveSource::send(const LeafFlow& flow, const Paths& paths, Time now) {
  WEFT_DCHECK(paths.count > 0 && paths.count <= 0xFFFF);
  State& state = states_[flow];
  const bool lapsed = state.active.is_never() || now - state.active > options_.expiry;
  const bool unanswered = state.phase == 1 && now - state.tail_sent > options_.expiry;
  ConWeaveHeader header{.sent = now, .kind = ConWeaveKind::kData};
  if (lapsed) {
    choose(state, paths, now);
  }
  state.active = now;
  if (lapsed || state.settled || unanswered) {
    ++state.epoch;
    state.phase = 0;
    state.settled = false;
    state.reply_by = now + paths.round_trip + options_.reply_margin;
    header.kind = ConWeaveKind::kRequest;
  } else if (!state.reply_by.is_never() && state.reply_by < now) {
    header.kind = ConWeaveKind::kTail;
    header.path = state.path;
    state.reply_by = Time::never();
    state.tail_sent = now;
    choose(state, paths, now);
  }
  header.epoch = state.epoch;
  if (header.kind == ConWeaveKind::kTail) {
    header.tail_sent = now;
    state.phase = 1;
    header.rest = header.path;
    return {.header = header};
  }
  header.phase = state.phase;
  header.path = header.rest = state.path;
  header.tail_sent = state.phase == 1 ? state.tail_sent : Time{};
  const Sent sent{.header = header, .begins = state.begins, .moved = state.moved};
  state.begins = state.moved = false;
  return sent;
}

// One of two at random that nobody reported; if both were, the flow stays where it is.
void ConWeaveSource::choose(State& state, const Paths& paths, Time now) {
  const bool is_new = state.active.is_never();
  for (int i = 0; i < 2; ++i) {
    const std::uint16_t path = sample(paths);
    if (!congested_.holds({.port = path, .leaf = paths.leaf}, now) || (is_new && i == 1)) {
      state.begins = is_new || path != state.path;
      state.moved = !is_new && path != state.path;
      state.path = path;
      return;
    }
  }
}

std::uint16_t ConWeaveSource::sample(const Paths& paths) {
  return static_cast<std::uint16_t>(pick(switch_hash(++samples_, seed_), paths.count));
}

// A reply that comes too late says no more than none.
void ConWeaveSource::answer(const LeafFlow& flow, const ConWeaveHeader& header, Time now) {
  const auto found = states_.find(flow);
  if (found == states_.end() || found->second.epoch != header.epoch) {
    return;
  }
  State& state = found->second;
  if (header.kind == ConWeaveKind::kReply && state.phase == 0 && !state.reply_by.is_never() && now < state.reply_by) {
    state.reply_by = Time::never();
    state.settled = true;
  } else if (header.kind == ConWeaveKind::kClear && state.phase == 1) {
    state.settled = true;
  }
}

void ConWeaveSource::notify(std::uint32_t leaf, std::uint16_t path, Time now) {
  congested_.set({.port = path, .leaf = leaf}, now + options_.path_pause);
}

std::size_t ConWeaveSource::heap_bytes() const { return heap_bytes_of(states_) + congested_.heap_bytes(); }

ConWeaveDestination::ConWeaveDestination(const ConWeaveOptions& options) : options_(options) {}

ConWeaveDestination::Verdict ConWeaveDestination::on_packet(const LeafFlow& flow, const ConWeaveHeader& header,
                                                            Time now) {
  State& state = states_[flow];
  Verdict verdict;
  if (header.epoch < state.epoch) {
    return verdict;
  }
  const bool is_tail = header.kind == ConWeaveKind::kTail;
  if (header.epoch > state.epoch) {
    verdict.release_before = state.holds;
    state = {.epoch = header.epoch};
  }
  if (header.phase == 0) {
    state.old_sent = header.sent;
    state.old_came = now;
    state.knows_old = true;
  } else {
    state.tail_sent = header.tail_sent;
  }
  if (is_tail) {
    verdict.answer = ConWeaveKind::kClear;
    verdict.release_after = state.holds;
    state.holds = false;
    state.phase = 1;
  } else if (header.phase == 0) {
    verdict.answer = header.kind == ConWeaveKind::kRequest ? ConWeaveKind::kReply : ConWeaveKind::kNone;
    if (state.holds) {
      verdict.until = on_overtaking(state, now).until;
    }
  } else if (state.phase == 0) {
    const bool releases = verdict.release_before;
    verdict = on_overtaking(state, now);
    verdict.release_before = releases;
    verdict.hold = state.holds = true;
  }
  return verdict;
}

// The tail is expected as long after the packet that came last by its path as it was sent after it.
ConWeaveDestination::Verdict ConWeaveDestination::on_overtaking(State& state, Time now) const {
  const Time expected = state.knows_old ? state.old_came + std::max(state.tail_sent - state.old_sent, Duration::zero())
                                        : now + options_.resume_default;
  return {.until = later(now, expected + options_.resume_margin)};
}

std::uint32_t ConWeaveDestination::give_up(const LeafFlow& flow) {
  State& state = states_[flow];
  state.holds = false;
  state.phase = 1;
  return state.epoch;
}

std::size_t ConWeaveDestination::heap_bytes() const { return heap_bytes_of(states_); }

}  // namespace weft::fabric
