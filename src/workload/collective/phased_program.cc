#include "workload/collective/phased_program.h"

#include <algorithm>
#include <array>

#include "workload/collective/direct.h"

namespace weft::workload {

void PhaseCoordinator::finish(Time now) {
  if (++finished_ < machines_.size())
    return;
  finished_ = 0;
  do {
    ++phase_;
    begins_.push_back(now + gap_);
  } while (!over() && skips_ && skips_(phase_));
  if (gate_) {
    waits_ = true;
    begins_.back() = Time::never();
    return gate_(phase_, now + gap_);
  }
  wake_all(begins_at());
}

void PhaseCoordinator::wake_all(Time at) {
  for (verbs::Machine* machine : machines_)
    machine->set_timer({.at = at});
}

void PhaseCoordinator::open(Time at) {
  WEFT_ASSERT(begins_.back().is_never());
  waits_ = false;
  for (auto begin = begins_.rbegin(); begin != begins_.rend() && begin->is_never(); ++begin)
    *begin = at;
  wake_all(at);
}

void PhaseCoordinator::run_again(std::uint32_t source, Time at) {
  WEFT_ASSERT(waits_ && phase_ == phases_ && source < phases_);
  ++phases_;
  source_ = source;
  open(at);
}

void PhaseCoordinator::close(Time at) {
  WEFT_ASSERT(waits_ && phase_ == phases_);
  open(at);
}

void PhaseCoordinator::record(const PhasedOperation& operation, std::uint32_t repetition, std::uint32_t parties,
                              Time finished) {
  std::vector<Repetition>& repetitions = sequences_[operation].repetitions;
  while (repetitions.size() <= repetition)
    repetitions.push_back({.end = Duration::zero(), .missing = parties});
  Repetition& own = repetitions[repetition];
  WEFT_ASSERT(own.missing > 0);
  --own.missing;
  own.end = std::max(own.end, finished - begins_at());
  if (repetition == 0) {
    Duration& time = times_[operation];
    time = std::max(time, own.end);
  }
}

bool PhaseCoordinator::has_repetition(const PhasedOperation& operation, std::uint32_t repetition) {
  Sequence& sequence = sequences_[operation];
  if (repetition == sequence.allowed && !sequence.closed) {
    sequence.closed = !repeats_ || !repeats_(operation.phase);
    sequence.allowed += sequence.closed ? 0 : 1;
  }
  return repetition < sequence.allowed;
}

std::vector<Duration> PhaseCoordinator::ends_of(const PhasedOperation& operation) const {
  std::vector<Duration> ends;
  if (const auto found = sequences_.find(operation); found != sequences_.end()) {
    for (const Repetition& repetition : found->second.repetitions) {
      if (repetition.missing > 0)
        break;
      ends.push_back(repetition.end);
    }
  }
  return ends;
}

std::uint32_t PhaseCoordinator::repetitions_of(const PhasedOperation& operation) const {
  return static_cast<std::uint32_t>(ends_of(operation).size());
}

std::uint32_t PhaseCoordinator::phase_at(Time time) const {
  const auto next = std::ranges::upper_bound(begins_, time);
  return next == begins_.begin() ? 0 : static_cast<std::uint32_t>(next - begins_.begin() - 1);
}

PhasedProgram::PhasedProgram(PhaseCoordinator& board, verbs::Machine& machine, Collectives& collectives,
                             std::vector<PhasedRequest> requests)
    : board_(board),
      machine_(machine),
      collectives_(collectives),
      requests_(std::move(requests)),
      done_(requests_.size()) {
  for (std::size_t i = 0; i < requests_.size(); ++i)
    requests_[i].request.token = i;
}

Result<void> PhasedProgram::start() {
  if (board_.begins_at() > machine_.now() && !board_.begins_at().is_never())
    machine_.set_timer({.at = board_.begins_at()});
  return advance();
}

Result<void> PhasedProgram::on_event() {
  std::array<verbs::MachineEvent, 16> events;
  std::size_t count = events.size();
  while (count == events.size()) {
    count = machine_.poll_events(events);
    for (std::size_t i = 0; i < count; ++i) {
      if ((events[i].token & Collectives::kCollectiveTokens) == 0)
        continue;
      if (auto taken = collectives_.on_machine_event(events[i]); !taken)
        return taken;
    }
  }
  if (auto news = collectives_.on_completions(); !news)
    return news;
  return advance();
}

Result<void> PhasedProgram::take_finished() {
  std::array<CollectiveFinished, 16> finished;
  std::size_t count = finished.size();
  while (count == finished.size()) {
    count = collectives_.take_finished(finished);
    for (std::size_t i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(finished[i].token);
      const PhasedRequest& phased = requests_[index];
      const PhasedOperation operation = board_.present(phased);
      board_.record(operation, done_[index]++, phased.parties, finished[i].finished);
      if (!board_.has_repetition(operation, done_[index])) {
        --open_;
      } else if (auto begun = begin(phased); !begun) {
        return begun;
      }
    }
  }
  return {};
}

Result<void> PhasedProgram::begin(const PhasedRequest& phased) {
  CollectiveRequest request = phased.request;
  if (request.kind != CollectiveKind::kSend && request.kind != CollectiveKind::kReceive) {
    CollectiveRequest whole = request;
    whole.size = phased.chosen_for;
    request.algorithm = collectives_.choose(whole);
    const std::size_t members = collectives_.communicator(request.communicator).members.size();
    board_.note_steps(board_.present(phased),
                      {.ring = collectives_.ring_steps(request),
                       .exchange = exchange_steps_of(request, static_cast<std::uint32_t>(members))});
  }
  const PhaseCoordinator::Sample sample = board_.sample_of(phased);
  request.size = sample.size;
  request.ring_steps = sample.ring_steps;
  return collectives_.begin(request);
}

Result<void> PhasedProgram::advance() {
  if (auto taken = take_finished(); !taken)
    return taken;
  if (!reported_ && open_ == 0) {
    reported_ = true;
    board_.finish(machine_.now());
  }
  const std::uint32_t phase = board_.phase();
  if (board_.over() || phase < next_phase_ || machine_.now() < board_.begins_at())
    return {};
  reported_ = false;
  next_phase_ = phase + 1;
  if (auto begun = begin_all_of(board_.source_phase()); !begun)
    return begun;
  return advance();
}

Result<void> PhasedProgram::begin_all_of(std::uint32_t phase) {
  const auto phase_of = [](const PhasedRequest& phased) { return phased.operation.phase; };
  const auto first = std::ranges::lower_bound(requests_, phase, {}, phase_of);
  const auto last = std::ranges::upper_bound(requests_, phase, {}, phase_of);
  for (auto phased = first; phased != last; ++phased) {
    done_[static_cast<std::size_t>(phased - requests_.begin())] = 0;
    ++open_;
    if (auto begun = begin(*phased); !begun)
      return begun;
  }
  return {};
}

}  // namespace weft::workload
