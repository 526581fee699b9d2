#include "study/run/job_turns.h"

#include <algorithm>
#include <cmath>

#include "study/run/training_report.h"

namespace weft::study::run {
namespace {

using workload::PhasedOperation;
using workload::SharedProgress;
using Role = StepPhases::Role;

/// Half the width of an interval that is narrow enough, relative to the mean.
constexpr double kNarrowBeside = 0.03;
/// From rest, three, and the last, which the other may have left alone.
constexpr std::uint32_t kLeastBeside = 5;
constexpr std::uint32_t kMostBeside = 64;
constexpr std::uint32_t kNoKind = ~0U;

BatchMean mean_between(const std::vector<Duration>& ends) {
  std::vector<double> times;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    times.push_back((ends[i] - ends[i - 1]).seconds());
  }
  return batch_mean(times);
}

bool share_hosts(const TrainingRun& a, const TrainingRun& b) {
  if (!a.options().shares_hosts && !b.options().shares_hosts) {
    return false;
  }
  return std::ranges::any_of(a.options().layout, [&b](const workload::RankSite& site) {
    return std::ranges::find(b.options().layout, site.host, &workload::RankSite::host) != b.options().layout.end();
  });
}

/// The phase that stands for an operation beside those of other jobs: that in which it settled, or, where there was no
/// budget for one, its probe.
std::optional<std::uint32_t> phase_beside(const StepPhases& phases, const StepOperation& operation) {
  const auto settling = phases.phase_of(operation, Role::kSettling);
  return settling ? settling : phases.phase_of(operation, Role::kProbe);
}

}  // namespace

void JobTurns::add(TrainingRun& run) {
  const std::size_t job = runs_.size();
  runs_.push_back(&run);
  ready_.emplace_back();
  run.board().set_gate([this, job](std::uint32_t phase, Time earliest) { on_ready(job, phase, earliest); });
  run.set_beside([this] { return goes_on(); });
}

void JobTurns::on_ready(std::size_t job, std::uint32_t phase, Time earliest) {
  if (phase < runs_[job]->phases().phases()) {
    runs_[job]->board().open(earliest);
    return;
  }
  ready_[job] = earliest;
  proceed(earliest);
}

void JobTurns::proceed(Time at) {
  if (beside_) {
    const Pair& pair = pairs_[next_pair_];
    if (!ready_[pair.first.job] || !ready_[pair.second.job]) {
      return;
    }
    measure(pair.first, pair.second);
    measure(pair.second, pair.first);
    beside_ = false;
    ++next_pair_;
  } else if (turn_ + 1 < runs_.size()) {
    runs_[++turn_]->begin_turn();
    runs_[turn_]->board().open(at);
    return;
  } else {
    plan_pairs();
  }
  if (next_pair_ == pairs_.size()) {
    for (TrainingRun* const run : runs_) {
      run->board().close(at);
    }
    return;
  }
  beside_ = true;
  closing_ = false;
  begun_ = options_.hops();
  const Pair& pair = pairs_[next_pair_];
  for (const Side& side : {pair.first, pair.second}) {
    ready_[side.job].reset();
    runs_[side.job]->board().run_again(side.phase, at);
  }
}

std::vector<JobTurns::Side> JobTurns::sides_of(std::size_t job) const {
  const StepPhases& phases = runs_[job]->phases();
  std::set<Side> sides;
  for (const auto& [operation, place] : phases.operations()) {
    if (const auto phase = phase_beside(phases, operation)) {
      sides.insert({.job = job, .phase = *phase});
    }
  }
  return {sides.begin(), sides.end()};
}

void JobTurns::plan_pairs() {
  std::vector<std::vector<std::pair<Side, std::set<fabric::PortIndex>>>> sides(runs_.size());
  std::uint64_t budget = 0;
  for (std::size_t job = 0; job < runs_.size(); ++job) {
    for (const Side& side : sides_of(job)) {
      sides[job].emplace_back(side, options_.links(*runs_[job], runs_[job]->demands_of(side.phase)));
    }
    budget += static_cast<std::uint64_t>(runs_[job]->options().job.training.slice_hops) / 2;
  }
  for (std::size_t a = 0; a < runs_.size(); ++a) {
    for (std::size_t b = a + 1; b < runs_.size(); ++b) {
      const bool hosts = share_hosts(*runs_[a], *runs_[b]);
      for (const auto& [first, links] : sides[a]) {
        for (const auto& [second, others] : sides[b]) {
          if (hosts || std::ranges::any_of(
                           links, [&theirs = others](fabric::PortIndex link) { return theirs.contains(link); })) {
            pairs_.push_back({.first = first, .second = second});
          }
        }
      }
    }
  }
  share_ = pairs_.empty() ? 0 : budget / pairs_.size();
}

// Asked when an operation of either has ended a repetition and nobody knows whether there is another.
bool JobTurns::goes_on() {
  const Pair& pair = pairs_[next_pair_];
  const bool spent = options_.hops() - begun_ > share_;
  closing_ = closing_ || spent || (is_known(pair.first) && is_known(pair.second));
  return !closing_;
}

bool JobTurns::is_known(const Side& side) const {
  const workload::PhaseCoordinator& board = runs_[side.job]->board();
  return std::ranges::all_of(runs_[side.job]->phases().operations_in(side.phase), [&](PhasedOperation operation) {
    operation.phase = board.phase();
    const std::vector<Duration> ends = board.ends_of(operation);
    const BatchMean mean = mean_between(ends);
    return ends.size() >= kMostBeside ||
           (ends.size() >= kLeastBeside && mean.interval && *mean.interval < kNarrowBeside);
  });
}

Duration JobTurns::last_end(const Side& side) const {
  const workload::PhaseCoordinator& board = runs_[side.job]->board();
  Duration last;
  for (PhasedOperation operation : runs_[side.job]->phases().operations_in(side.phase)) {
    operation.phase = board.phase() - 1;
    const std::vector<Duration> ends = board.ends_of(operation);
    last = ends.empty() ? last : std::max(last, ends.back());
  }
  return last;
}

// Both boards wait behind the phase that has been run. Repetitions count during which the other went on.
void JobTurns::measure(const Side& own, const Side& other) {
  const workload::PhaseCoordinator& board = runs_[own.job]->board();
  const Duration until = last_end(other);
  for (const PhasedOperation& alone : runs_[own.job]->phases().operations_in(own.phase)) {
    PhasedOperation beside = alone;
    beside.phase = board.phase() - 1;
    std::vector<Duration> ends = board.ends_of(beside);
    while (ends.size() > 2 && ends.back() > until) {
      ends.pop_back();
    }
    Measured& made =
        measured_[{.own = own, .communicator = alone.communicator, .sender = alone.number, .other = other}];
    if (ends.empty()) {
      continue;
    }
    const bool several = ends.size() > 1;
    const double before =
        several ? StepPhases::settled_time(alone, board).seconds() : board.times().at(alone).seconds();
    const BatchMean mean = mean_between(ends);
    made.slowdown = std::max((several ? mean.mean : ends.front().seconds()) / before, 1.0);
    made.interval = mean.interval;
  }
}

SharedProgress::Operation JobTurns::shared(std::size_t job, const workload::CostedOperation& operation) const {
  const StepPhases& phases = runs_[job]->phases();
  const auto phase = phase_beside(phases, phases.kind_of(operation));
  return {.kind = {.job = static_cast<std::uint32_t>(job), .number = phase.value_or(kNoKind)},
          .communicator = operation.request.communicator,
          .sender = StepPhases::sender_of(operation),
          .place = runs_[job]->place_of(operation)};
}

double JobTurns::slowdown(const SharedProgress::Operation& of, const SharedProgress::Counts& counts) const {
  double sum = 1;
  for (const auto& [kind, count] : counts) {
    const auto found = measured_.find({.own = {.job = of.kind.job, .phase = of.kind.number},
                                       .communicator = of.communicator,
                                       .sender = of.sender,
                                       .other = {.job = kind.job, .phase = kind.number}});
    if (found == measured_.end()) {
      continue;
    }
    const auto all = static_cast<double>(runs_[kind.job]->phases().operations_in(kind.number).size());
    sum += (found->second.slowdown - 1) * std::min(count / all, 1.0);
  }
  return sum;
}

// What is not known of how others slow a job's operations is not known of its step.
void JobTurns::note_others(std::size_t job, results::StepRow& row) const {
  const StepPhases& phases = runs_[job]->phases();
  double squares = std::pow(row.interval.value_or(0) * row.time.seconds(), 2);
  for (const auto& [operation, place] : phases.operations()) {
    const auto phase = phase_beside(phases, operation);
    const auto is_own = [&](const auto& one) {
      return one.first.own == Side{.job = job, .phase = phase.value_or(kNoKind)};
    };
    const auto own =
        std::ranges::find_if(row.collectives, [&operation = operation](const results::StepCollective& collective) {
          return collective.size == operation.size && collective.purpose == to_string(operation.purpose) &&
                 collective.kind == to_string(operation.kind);
        });
    if (own == row.collectives.end() || std::ranges::none_of(measured_, is_own)) {
      continue;
    }
    double widest = 0;
    for (const auto& one : measured_) {
      if (is_own(one)) {
        widest = std::max(widest, one.second.interval.value_or(1));
      }
    }
    own->interval = std::hypot(own->interval.value_or(0), widest);
    own->settled = own->settled && widest < 2 * kNarrowBeside;
    const auto part = std::ranges::find(row.path, path_text(operation), &results::StepPathPart::what);
    squares += part == row.path.end() ? 0 : std::pow(part->time.seconds() * widest, 2);
  }
  if (squares > 0) {
    row.interval = std::sqrt(squares) / row.time.seconds();
  }
}

Result<std::vector<results::StepRow>> JobTurns::finish(const std::function<bool()>& keep_going) {
  SharedProgress progress([this](const SharedProgress::Operation& of, const SharedProgress::Counts& counts) {
    return slowdown(of, counts);
  });
  std::vector<ComposedStep> steps;
  std::vector<Duration> alone;
  for (std::size_t job = 0; job < runs_.size(); ++job) {
    Result<results::StepRow> row = runs_[job]->finish(keep_going);
    if (!row) {
      return pass_on(row);
    }
    alone.push_back(row->time);
  }
  for (std::size_t job = 0; job < runs_.size(); ++job) {
    steps.push_back(runs_[job]->composed_step());
    if (StepOverlap* const overlap = runs_[job]->overlap(); overlap != nullptr) {
      progress.set_overlap(static_cast<std::uint32_t>(job), *overlap);
    }
    steps.back().sharing = {
        .progress = &progress,
        .operation = [this, job](const workload::CostedOperation& operation) { return shared(job, operation); }};
  }
  if (Result<void> made = compose_steps(steps, runs_.front()->options().identity.seed, keep_going); !made) {
    return pass_on(made);
  }
  std::vector<results::StepRow> rows;
  for (std::size_t job = 0; job < runs_.size(); ++job) {
    rows.push_back(runs_[job]->row());
    rows.back().alone = alone[job];
    note_others(job, rows.back());
  }
  return rows;
}

}  // namespace weft::study::run
