// What a training run knows of its collectives: what their paths allow, how they overlap, how long they took.
#include <algorithm>
#include <cmath>

#include "study/run/operation_demands.h"
#include "study/run/settled_excess.h"
#include "study/run/training_report.h"
#include "study/run/training_run.h"

namespace weft::study::run {
namespace {

/// By what part of its time an operation may be off whose slices saw no congestion, but which meets others in the step
/// where senders react. What comes after it may take longer as well, which this does not cover (docs/status.md).
constexpr double kMeeting = 0.25;

double unsettled_doubt_of(const SliceGrowth::Outcome& outcome, Duration time, double excess) {
  const double bound = time > Duration::zero() ? outcome.limits.least_time.seconds() / time.seconds() : 1;
  return unsettled_doubt(bound, outcome.short_pieces ? std::nullopt : outcome.interval, excess);
}

}  // namespace

void TrainingRun::examine_overlap() {
  loads_.emplace(StepLoads::Options{
      .phases = *phases_, .traffic = *traffic_, .communicators = communicators(), .loads = options_.loads});
  overlap_.emplace(copies_.empty() ? loads_->members()
                                   : loads_->members_standing_for_all([this](workload::CommunicatorId communicator) {
                                       const auto copy = copy_of(communicators()[communicator.value()]);
                                       return !copy || std::ranges::find(copies_, *copy) != copies_.end();
                                     }));
  if (!overlap_->any_meet()) {
    overlap_.reset();
  }
}

// What slices were too short to show is still not faster than what the paths allow.
void TrainingRun::limit_by_paths() {
  for (const auto& [operation, outcome] : outcomes_) {
    if (outcome.limits.flows > 0) {
      phases_->set_path_time(operation, outcome.limits.least_time);
    }
    if (outcome.contended && outcome.short_pieces) {
      phases_->set_least(operation, outcome.limits.least_time);
    }
  }
}

void TrainingRun::add_limits(results::StepRow& made) const {
  for (const auto& [operation, demands] : operation_demands(traffic_->all_messages(), *log_)) {
    const world::PathLimits limits = options_.limits(demands);
    if (limits.flows > 0) {
      made.collectives.push_back({.purpose = std::string(to_string(operation.purpose)),
                                  .kind = std::string(to_string(operation.kind)),
                                  .size = operation.size,
                                  .time = longest_time(*log_, operation),
                                  .least_time = limits.least_time,
                                  .slowest_share = limits.slowest_share,
                                  .mean_share = limits.mean_share,
                                  .shares_links = limits.shares_links,
                                  .sample = operation.size});
    }
  }
}

Duration TrainingRun::time_of(const StepOperation& operation, StepPhases::Before before) const {
  Duration longest;
  for (const workload::PhasedOperation& probed : phases_->operations_in(phases_->probe_of(operation))) {
    longest = std::max(longest, phases_->whole_time(probed, operation, *board_, before));
  }
  return longest;
}

// Operations of a kind are off by the same, so what they add to the critical path is; those of different kinds are not.
// Those that have not converged are all off in one direction.
void TrainingRun::add_collectives(results::StepRow& made) const {
  double squares = 0;
  double unsettled = 0;
  for (const auto& [operation, outcome] : outcomes_) {
    if (outcome.limits.flows == 0) {
      continue;
    }
    results::StepCollective& own =
        made.collectives.emplace_back(results::StepCollective{.purpose = std::string(to_string(operation.purpose)),
                                                              .kind = std::string(to_string(operation.kind)),
                                                              .size = operation.size,
                                                              .least_time = outcome.limits.least_time,
                                                              .slowest_share = outcome.limits.slowest_share,
                                                              .mean_share = outcome.limits.mean_share,
                                                              .shares_links = outcome.shares,
                                                              .sample = outcome.sample,
                                                              .repetitions = outcome.repetitions,
                                                              .interval = outcome.interval,
                                                              .settled = outcome.settled});
    const auto before = outcome.contended ? StepPhases::Before::kTraffic : StepPhases::Before::kRest;
    own.time = time_of(operation, before);
    const std::string what = path_text(operation);
    const auto part = std::ranges::find(made.path, what, &results::StepPathPart::what);
    const bool meets =
        options_.reacts && !outcome.contended && overlap_ && overlap_->has_met(loads_->kind_of(operation));
    if (part != made.path.end() && meets) {
      unsettled += part->time.seconds() * kMeeting;
    } else if (part != made.path.end() && !own.settled) {
      unsettled += part->time.seconds() * unsettled_doubt_of(outcome, own.time, options_.excess);
    } else if (part != made.path.end() && own.interval) {
      squares += std::pow(part->time.seconds() * *own.interval, 2);
    }
  }
  if (squares > 0 || unsettled > 0) {
    made.interval = std::hypot(std::sqrt(squares), unsettled) / made.time.seconds();
  }
}

}  // namespace weft::study::run
