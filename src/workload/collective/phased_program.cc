#include "workload/collective/phased_program.h"

#include <algorithm>
#include <array>

namespace weft::workload {

void PhaseBoard::finish(Time now) {
  if (++finished_ < machines_.size())
    return;
  finished_ = 0;
  do {
    ++phase_;
    begins_.push_back(now + gap_);
  } while (!over() && skips_ && skips_(phase_));
  for (verbs::Machine* machine : machines_)
    machine->set_timer({.at = begins_at()});
}

void PhaseBoard::record(const PhasedOperation& operation, Time finished) {
  Duration& time = times_[operation];
  time = std::max(time, finished - begins_at());
}

std::uint32_t PhaseBoard::phase_at(Time time) const {
  const auto next = std::ranges::upper_bound(begins_, time);
  return next == begins_.begin() ? 0 : static_cast<std::uint32_t>(next - begins_.begin() - 1);
}

PhasedProgram::PhasedProgram(PhaseBoard& board, verbs::Machine& machine, Collectives& collectives,
                             std::vector<PhasedRequest> requests)
    : board_(board), machine_(machine), collectives_(collectives), requests_(std::move(requests)) {
  for (std::size_t i = 0; i < requests_.size(); ++i)
    requests_[i].request.token = i;
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
  if (auto news = collectives_.on_news(); !news)
    return news;
  return advance();
}

void PhasedProgram::take_finished() {
  std::array<CollectiveFinished, 16> finished;
  std::size_t count = finished.size();
  while (count == finished.size()) {
    count = collectives_.take_finished(finished);
    for (std::size_t i = 0; i < count; ++i) {
      --open_;
      board_.record(requests_[static_cast<std::size_t>(finished[i].token)].operation, finished[i].finished);
    }
  }
}

Result<void> PhasedProgram::advance() {
  take_finished();
  if (!reported_ && open_ == 0) {
    reported_ = true;
    board_.finish(machine_.now());
  }
  const std::uint32_t phase = board_.phase();
  if (board_.over() || phase < next_phase_ || machine_.now() < board_.begins_at())
    return {};
  reported_ = false;
  next_phase_ = phase + 1;
  for (; next_request_ < requests_.size() && requests_[next_request_].operation.phase <= phase; ++next_request_) {
    const PhasedRequest& phased = requests_[next_request_];
    if (phased.operation.phase < phase)
      continue;
    ++open_;
    CollectiveRequest request = phased.request;
    if (request.kind != CollectiveKind::kSend && request.kind != CollectiveKind::kReceive) {
      CollectiveRequest whole = request;
      whole.size = phased.chosen_for;
      request.algorithm = collectives_.choose(whole);
    }
    if (auto begins = collectives_.begin(request); !begins)
      return begins;
  }
  return advance();
}

}  // namespace weft::workload
