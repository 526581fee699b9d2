#include "study/run/steady_rounds.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"

namespace weft::study::run {
namespace {

/// Periods of more rounds, or operations, are not found.
constexpr std::size_t kLongestPeriod = 8;
/// What is shorter is run, and all its messages are reported.
constexpr std::int64_t kFewest = 16;

std::array<Bytes, 2> sent_by(const workload::CollectiveEngine& engine) {
  return {engine.sent_over_scale_out(), engine.sent_over_scale_up()};
}

}  // namespace

bool SteadyRounds::Turns::next() {
  const std::uint64_t turn = seen_++;
  if (turn == end_) {
    begin_ = 2 * end_;
    end_ = begin_ + 2 * kLongestPeriod;
  }
  return turn >= begin_ && turn < end_;
}

bool SteadyRounds::is_due() {
  const workload::CollectiveProgram& first = *ranks_.front();
  const std::pair place{first.begun(), first.engine().rounds_left()};
  if (place == place_) {
    return false;
  }
  const bool another = place.first != place_.first;
  place_ = place;
  if (another) {
    rounds_ = {};
    at_rounds_.clear();
    begins_ = operations_.next();
    if (!begins_) {
      at_operations_.clear();
      done_.clear();
    }
  }
  due_ = rounds_.next() || begins_;
  return due_;
}

void SteadyRounds::note(const workload::CollectiveRecord& record) {
  if (record.job == options_.job && !at_operations_.empty()) {
    done_.push_back(record);
  }
}

void SteadyRounds::forget() {
  at_rounds_.clear();
  at_operations_.clear();
  done_.clear();
}

std::optional<std::pair<SteadyRounds::Seen, Time>> SteadyRounds::see() const {
  const workload::CollectiveProgram& first = *ranks_.front();
  Seen seen{.state = StateRecord(options_.network->now()),
            .rounds_left = first.engine().rounds_left(),
            .begun = first.begun(),
            .done = done_.size()};
  const std::optional<Time> until = options_.network->record(options_.group, seen.state);
  if (!until) {
    return std::nullopt;
  }
  for (const workload::CollectiveProgram* const rank : ranks_) {
    if (!rank->engine().can_repeat()) {
      return std::nullopt;
    }
    rank->record(seen.rounds_left, seen.begun, seen.state);
    seen.sent.push_back(sent_by(rank->engine()));
  }
  return std::pair{std::move(seen), *until};
}

std::int64_t SteadyRounds::times(const Seen& before, const Seen& now, Time end) const {
  const Duration period = now.state.now() - before.state.now();
  const bool same_operation = before.begun == now.begun;
  if (period <= Duration::zero() ||
      (same_operation ? before.rounds_left <= now.rounds_left : before.rounds_left != now.rounds_left)) {
    return 0;
  }
  std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
  for (const workload::CollectiveProgram* const rank : ranks_) {
    left = std::min(
        left, same_operation ? rank->engine().fewest_rounds_left() : std::uint64_t{rank->iterations() - rank->begun()});
  }
  const std::uint64_t each = same_operation ? before.rounds_left - now.rounds_left : now.begun - before.begun;
  const Duration room = end - now.state.now() - Duration::picoseconds(1);
  const std::int64_t most = std::min(static_cast<std::int64_t>(left / each), room / period);
  return most * static_cast<std::int64_t>(each) >= kFewest ? most : 0;
}

void SteadyRounds::repeat_records(const Seen& before, Duration period, std::int64_t times) {
  const std::uint32_t operations = place_.first - before.begun;
  for (std::int64_t i = 1; i <= times; ++i) {
    for (std::size_t one = before.done; one < done_.size(); ++one) {
      workload::CollectiveRecord record = done_[one];
      record.iteration += operations * static_cast<std::uint32_t>(i);
      record.started += period * i;
      record.finished += period * i;
      options_.sink->on_collective(record);
    }
  }
}

void SteadyRounds::jump(const Seen& before, const Seen& now, std::int64_t times) {
  const Duration period = now.state.now() - before.state.now();
  const bool same_operation = before.begun == now.begun;
  const auto count = static_cast<std::uint64_t>(times);
  const std::uint64_t rounds = same_operation ? (before.rounds_left - now.rounds_left) * count : 0;
  const auto operations = static_cast<std::uint32_t>((now.begun - before.begun) * count);
  jumped_.first = earlier(jumped_.first, now.state.now());
  if (!same_operation) {
    repeat_records(before, period, times);
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    workload::CollectiveEngine::Skip skip{.rounds = rounds, .time = period * times};
    for (std::size_t tier = 0; tier < skip.sent.size(); ++tier) {
      skip.sent[tier] = (now.sent[rank][tier] - before.sent[rank][tier]) * times;
    }
    ranks_[rank]->skip(operations, skip);
  }
  options_.matcher->shift(options_.job, period * times);
  options_.network->shift(options_.group, period * times);
  jumped_.rounds += rounds;
  jumped_.operations += operations;
}

void SteadyRounds::look(Time limit) {
  if (!std::exchange(due_, false)) {
    return;
  }
  std::optional<std::pair<Seen, Time>> seen = see();
  if (!seen) {
    rounds_ = {};  // there was nothing to compare
    return forget();
  }
  auto& [now, until] = *seen;
  for (const Window* const window : {&at_operations_, &at_rounds_}) {
    for (const Seen& before : *window) {
      if (!now.state.repeats(before.state)) {
        continue;
      }
      if (const std::int64_t most = times(before, now, earlier(until, limit)); most > 0) {
        jump(before, now, most);
        place_ = {ranks_.front()->begun(), ranks_.front()->engine().rounds_left()};
        rounds_ = {};
        begins_ = false;
        return forget();
      }
    }
  }
  Window& window = std::exchange(begins_, false) ? at_operations_ : at_rounds_;
  window.push_back(std::move(now));
  if (window.size() > kLongestPeriod) {
    window.pop_front();
  }
}

}  // namespace weft::study::run
