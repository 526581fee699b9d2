#include "study/run/slice_growth.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace weft::study::run {
namespace {

using Role = StepPhases::Role;

/// Half the width of an interval that is narrow enough, relative to the mean.
constexpr double kNarrow = 0.03;
/// At which repetitions end: the one that is under way then counts as well, and may widen it again.
constexpr double kNarrowEnough = 0.028;
/// An operation's time from rest is no batch, so that so many intervals need one repetition more.
constexpr std::uint32_t kMinRepetitions = 3;
constexpr std::uint32_t kMaxRepetitions = 64;
/// Probes without shared links are enough where their time grows by no more than so many times what the links need.
/// Else pieces are still too short for what a longer operation does: chunks of one piece do not follow one another.
constexpr double kSteady = 1.05;
/// Longer operations than this many slices are continued from a slice; others are run whole.
constexpr double kWhole = 1.5;
/// Packet-hops of a step that is run itself where its operations alone may not tell its time.
constexpr double kFewHops = 20e6;
/// Senders may become so many times faster than their probes were.
constexpr double kMargin = 2;
/// Steps around rings of a slice: as many as fill the ways between neighbours and show what they do to one another,
/// and the least that an operation's time is continued from where the budget is short.
constexpr double kRingSteps = 16;
constexpr double kMinRingSteps = 4;
/// Pieces are so many times longer where an operation shares nothing, and is run for its pieces alone.
constexpr double kLongPieces = 8;
/// A short slice is so many times shorter, so that what an operation costs beside its bytes is known.
constexpr double kShorter = 4;

/// Student's t for a two-sided interval of 95 %, by degrees of freedom from 1 on; 1.96 beyond.
constexpr std::array kStudent{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                              2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};

double as_double(Bytes bytes) { return static_cast<double>(bytes.count()); }
Bytes as_bytes(double bytes) { return Bytes(static_cast<std::int64_t>(bytes)); }

}  // namespace

BatchMean batch_mean(std::span<const double> values) {
  BatchMean made;
  for (const double value : values) {
    made.mean += value / static_cast<double>(values.size());
  }
  if (values.size() < 2) {
    return made;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - made.mean) * (value - made.mean);
  }
  const auto count = static_cast<double>(values.size());
  const double student = values.size() - 2 < kStudent.size() ? kStudent[values.size() - 2] : 1.96;
  made.interval = student * std::sqrt(squares / (count - 1) / count) / made.mean;
  return made;
}

bool SliceGrowth::skips(std::uint32_t phase) {
  ends_.resize(phase, options_.load());
  const StepPhases::Sample& next = options_.phases.sample(phase);
  if (!next.settles()) {
    return false;
  }
  if (plans_.empty()) {
    plan();
  }
  if (prefers_whole_step()) {
    options_.phases.skip(phase);
    return true;
  }
  Plan& own = plans_.at(next.operation);
  if (own.like) {
    options_.phases.skip(phase);
    options_.phases.settle_as(next.operation, *own.like);
    return true;
  }
  if (own.contended && next.role == Role::kShortSettling) {
    size_slice(next.operation, own, (left() - kept_) / static_cast<double>(unplanned_--));
  }
  if (!own.contended) {
    options_.phases.skip(phase);
  }
  return options_.phases.sample(phase).skipped;
}

void SliceGrowth::plan() {
  for (const auto& [operation, place] : options_.phases.operations()) {
    const std::uint32_t probe = options_.phases.probe_of(operation);
    const Load load = during(probe);
    const Bytes size = options_.phases.sample(probe).amount;
    Plan& own = plans_[operation];
    own.limits = options_.limits(probe);
    own.hops_per_byte = static_cast<double>(load.packet_hops) / std::max(as_double(size), 1.0);
    own.steps = steps_in(probe);
    own.shares = own.limits.flows > 0 &&
                 (own.limits.shares_links || options_.shares_hosts || options_.has_company || load.signals > 0);
    own.contended = own.shares || (own.limits.flows > 0 && growth_of_probes(operation, own.limits) > kSteady);
  }
  for (auto& [operation, own] : plans_) {
    own.part_of_line = 0;
    for (const auto& [other, plan] : plans_) {
      if (other.kind == operation.kind && plan.contended) {
        own.part_of_line = std::max(own.part_of_line, part_of_line(other));
      }
    }
    own.slice = wanted(operation, own);
  }
  for (auto& [operation, own] : plans_) {
    own.like = own.contended ? alike_before(operation) : std::nullopt;
    unplanned_ += own.contended && !own.like ? 1 : 0;
  }
  double step = 0;
  double settling = 0;
  for (const auto& [operation, own] : plans_) {
    step += own.hops_per_byte * as_double(operation.size) * static_cast<double>(options_.instances(operation)) *
            options_.phases.communicators_per_run(operation);
    settling += own.contended && !own.like ? own.slice.amount * own.hops_per_byte * kUsualRepetitions : 0;
  }
  step_ = options_.has_company ? 0 : step;
  if (options_.has_company || settling <= 0) {
    return;
  }
  planned_at_ = left();
  kept_ = step <= left() * kKeptForStep ? step : 0;
  whole_step_ = step <= left() && step <= settling * (kept_ > 0 ? 1 : kExactIsWorth);
}

double SliceGrowth::left() const {
  return static_cast<double>(options_.max_hops) - static_cast<double>(ends_.back().packet_hops);
}

double SliceGrowth::spent_settling() const {
  return planned_at_ - (static_cast<double>(options_.max_hops) - static_cast<double>(options_.load().packet_hops));
}

bool SliceGrowth::prefers_whole_step() const {
  return whole_step_ || (kept_ > 0 && std::ranges::any_of(plans_, [this](const auto& planned) {
                           return planned.second.contended && !planned.second.like && has_run(planned.first) &&
                                  !outcome_of(planned.first, planned.second).settled;
                         }));
}

bool SliceGrowth::affords_whole_step() const { return step_ > 0 && step_ <= std::min(left(), kFewHops); }

// Its slice has come to an end, or was left out because the budget has no room for it.
bool SliceGrowth::has_run(const StepOperation& operation) const {
  const auto settling = options_.phases.phase_of(operation, Role::kSettling);
  return settling && (*settling < ends_.size() || options_.board.over());
}

// All communicators of an operation go around rings of one length, or their steps are not alike.
std::uint32_t SliceGrowth::steps_in(std::uint32_t phase) const {
  std::optional<std::uint32_t> steps;
  for (const workload::PhasedOperation& operation : options_.phases.operations_in(phase)) {
    const std::uint32_t own = options_.board.steps_of(operation).ring;
    if (steps && own != *steps) {
      return 0;
    }
    steps = own;
  }
  return steps.value_or(0);
}

std::optional<SliceGrowth::Growth> SliceGrowth::growth_between_probes(const StepOperation& operation) const {
  const auto shorter = options_.phases.phase_of(operation, Role::kShortProbe);
  const std::uint32_t longer = options_.phases.probe_of(operation);
  if (!shorter) {
    return std::nullopt;
  }
  const auto slowest = [this](std::uint32_t phase) {
    Duration time;
    for (const workload::PhasedOperation& run : options_.phases.operations_in(phase)) {
      time = std::max(time, options_.board.times().at(run));
    }
    return time;
  };
  return Growth{.bytes = options_.phases.sample(longer).amount - options_.phases.sample(*shorter).amount,
                .seconds = (slowest(longer) - slowest(*shorter)).seconds()};
}

// What is under way on a path is less where senders are slower than the line, as kernel TCP is.
double SliceGrowth::part_of_line(const StepOperation& operation) const {
  const std::optional<Growth> growth = growth_between_probes(operation);
  if (!growth || options_.rate == Rate::zero()) {
    return 1;
  }
  const double line = options_.rate.transmit_time(growth->bytes).seconds();
  return growth->seconds > 0 ? std::min(kMargin * line / growth->seconds, 1.0) : 1;
}

double SliceGrowth::growth_of_probes(const StepOperation& operation, const world::PathLimits& limits) const {
  const std::optional<Growth> growth = growth_between_probes(operation);
  const Bytes probe = options_.phases.sample(options_.phases.probe_of(operation)).amount;
  if (!growth || growth->bytes <= Bytes::zero() || limits.least_time <= Duration::zero()) {
    return 1;
  }
  return growth->seconds / (limits.least_time.seconds() * as_double(growth->bytes) / as_double(probe));
}

SliceGrowth::Slice SliceGrowth::wanted(const StepOperation& operation, const Plan& plan) const {
  const std::uint32_t longer = *options_.phases.phase_of(operation, Role::kSettling);
  const double members = std::max<double>(options_.phases.sample(longer).members, 1);
  const double probe = as_double(options_.phases.sample(options_.phases.probe_of(operation)).amount);
  const double whole = as_double(operation.size);
  const double piece = std::max(as_double(options_.piece()) * plan.part_of_line, as_double(options_.min_piece));
  const double several = std::max(piece * std::max(members, kRingSteps), probe);
  if (!plan.shares && plan.steps > kMinRingSteps) {
    // Nothing is shared that has to settle: what counts is how chunks of one piece follow one another, so pieces are
    // long, and steps few.
    const double size = std::min(whole, several * kLongPieces);
    return {.size = size, .steps = kMinRingSteps, .amount = size * kMinRingSteps / plan.steps};
  }
  Slice made{.size = whole <= several * kWhole ? whole : several, .steps = static_cast<double>(plan.steps)};
  // So many steps that a rank sends as much as in kRingSteps steps of such pieces.
  const double steps = std::ceil(kRingSteps * std::max(piece * members / made.size, 1.0));
  if (steps * kWhole < made.steps) {
    made.steps = steps;
  }
  made.amount = plan.steps == 0 ? made.size : made.size * made.steps / plan.steps;
  return made;
}

// A short slice has a quarter of the steps or of the size.
void SliceGrowth::size_slice(const StepOperation& operation, Plan& plan, double share) {
  StepPhases& phases = options_.phases;
  const std::uint32_t shorter = *phases.phase_of(operation, Role::kShortSettling);
  const std::uint32_t longer = *phases.phase_of(operation, Role::kSettling);
  const Bytes probe = phases.sample(phases.probe_of(operation)).amount;
  Slice slice = plan.slice;
  const double affordable = share / (plan.hops_per_byte * kMinRepetitions * (1 + 1 / kShorter));
  plan.share = share;
  plan.short_slice = slice.amount > affordable;
  // Fewer steps before shorter pieces: a piece that is too short does not meet others at all.
  if (plan.short_slice && plan.steps >= kMinRingSteps) {
    const double steps = std::floor(plan.steps * affordable / slice.size);
    slice.steps = std::clamp(steps, kMinRingSteps, slice.steps);
    slice.amount = slice.size * slice.steps / plan.steps;
  }
  plan.short_pieces = slice.amount > affordable;
  const Bytes size = as_bytes(slice.size * std::min(affordable / slice.amount, 1.0));
  if (size < std::min(probe, operation.size)) {
    phases.skip(shorter);
    return phases.skip(longer);
  }
  const auto steps = static_cast<std::uint32_t>(slice.steps);
  phases.resize(longer, size, {.steps = steps, .all = plan.steps});
  if (phases.sample(longer).amount == operation.size) {
    return phases.skip(shorter);
  }
  const bool fewer_steps = steps >= kShorter && plan.steps > 0;
  phases.resize(shorter, fewer_steps ? size : size / static_cast<std::int64_t>(kShorter),
                {.steps = fewer_steps ? static_cast<std::uint32_t>(steps / kShorter) : steps, .all = plan.steps});
}

// An operation of another size on the same communicators, of which the same slice is to be run.
std::optional<StepOperation> SliceGrowth::alike_before(const StepOperation& operation) const {
  const StepPhases& phases = options_.phases;
  const auto phase_of = [&](const StepOperation& of) { return *phases.phase_of(of, Role::kSettling); };
  const auto place = [](const workload::PhasedOperation& run) { return std::pair(run.communicator, run.number); };
  const std::uint32_t phase = phase_of(operation);
  for (const auto& [other, plan] : plans_) {
    if (other != operation && other.kind == operation.kind && plan.contended && !plan.like && phase_of(other) < phase &&
        plan.slice == plans_.at(operation).slice &&
        std::ranges::equal(phases.operations_in(phase_of(other)), phases.operations_in(phase), {}, place, place)) {
      return other;
    }
  }
  return std::nullopt;
}

bool SliceGrowth::repeats(std::uint32_t phase) {
  const StepPhases::Sample& sample = options_.phases.sample(phase);
  if (!sample.settles()) {
    return false;
  }
  const std::uint32_t done = repetitions(phase);
  if (done >= kMaxRepetitions) {
    return false;
  }
  if (kept_ > 0 && spent_settling() >= kept_) {
    whole_step_ = true;  // that it did not take fewer packet-hops to settle is known now
    return false;
  }
  const Plan& plan = plans_.at(sample.operation);
  double used = static_cast<double>(during(phase).packet_hops);
  double share = plan.share / (1 + kShorter);
  if (sample.role == Role::kSettling) {
    const auto shorter = options_.phases.phase_of(sample.operation, Role::kShortSettling);
    used += shorter ? static_cast<double>(during(*shorter).packet_hops) : 0;
    share = plan.share;
  }
  if (done + 1 >= kMinRepetitions && used + plan.hops_per_byte * as_double(sample.amount) > share) {
    return false;
  }
  const std::optional<double> interval =
      sample.role == Role::kSettling ? interval_of(sample.operation, phase) : settled(phase).interval;
  return done < kMinRepetitions || !interval || *interval >= kNarrowEnough;
}

std::uint32_t SliceGrowth::repetitions(std::uint32_t phase) const {
  std::uint32_t fewest = kMaxRepetitions;
  for (const workload::PhasedOperation& operation : options_.phases.operations_in(phase)) {
    fewest = std::min(fewest, options_.board.repetitions_of(operation));
  }
  return fewest;
}

BatchMean SliceGrowth::settled(std::uint32_t phase) const {
  BatchMean slowest;
  for (const workload::PhasedOperation& operation : options_.phases.operations_in(phase)) {
    const std::vector<Duration> ends = options_.board.ends_of(operation);
    std::vector<double> times;
    for (std::size_t i = 1; i < ends.size(); ++i) {
      times.push_back((ends[i] - ends[i - 1]).seconds());
    }
    const BatchMean own = batch_mean(times);
    slowest = own.mean > slowest.mean ? own : slowest;
  }
  return slowest;
}

void SliceGrowth::note_begin(std::uint32_t phase) {
  if (options_.has_company) {
    begins_.try_emplace(phase, options_.load());
  }
}

SliceGrowth::Load SliceGrowth::during(std::uint32_t phase) const {
  const auto begin = begins_.find(phase);
  const Load before = begin != begins_.end() ? begin->second : phase > 0 ? ends_[phase - 1] : Load();
  const Load after = phase < ends_.size() ? ends_[phase] : options_.load();
  return {.signals = after.signals - before.signals, .packet_hops = after.packet_hops - before.packet_hops};
}

std::map<StepOperation, SliceGrowth::Outcome> SliceGrowth::outcomes() const {
  std::map<StepOperation, Outcome> made;
  for (const auto& [operation, plan] : plans_) {
    made.emplace(operation, outcome_of(operation, plan));
  }
  return made;
}

// With a shorter slice, what the bytes take is the difference of both: t - t_s (1 - s / S), over 1 - s / S.
std::optional<double> SliceGrowth::interval_of(const StepOperation& operation, std::uint32_t settling) const {
  const StepPhases& phases = options_.phases;
  const BatchMean mean = settled(settling);
  const auto shorter = phases.phase_of(operation, Role::kShortSettling);
  if (!shorter || !mean.interval) {
    return mean.interval;
  }
  const BatchMean less = settled(*shorter);
  const double part = as_double(phases.sample(*shorter).amount) / as_double(phases.sample(settling).amount);
  const double errors = std::hypot(mean.mean * *mean.interval, less.mean * less.interval.value_or(*mean.interval));
  return errors / (1 - part) / mean.mean;
}

SliceGrowth::Outcome SliceGrowth::outcome_of(const StepOperation& operation, const Plan& plan) const {
  const StepPhases& phases = options_.phases;
  const std::uint32_t probe = phases.probe_of(operation);
  Outcome own{
      .limits = plan.limits, .shares = plan.shares, .contended = plan.contended, .sample = phases.sample(probe).amount};
  const double scale = as_double(operation.size) / std::max(as_double(own.sample), 1.0);
  own.limits.least_time = Duration::picoseconds(
      static_cast<std::int64_t>(static_cast<double>(plan.limits.least_time.picoseconds()) * scale));
  if (!plan.contended) {
    return own;
  }
  own.settled = false;
  own.short_pieces = plan.short_pieces;
  const auto longer = phases.phase_of(operation, Role::kSettling);
  if (!longer) {
    return own;
  }
  own.sample = phases.sample(*longer).amount;
  own.repetitions = repetitions(*longer);
  own.interval = interval_of(operation, *longer);
  own.settled = !plan.short_slice && own.interval && *own.interval < kNarrow;
  return own;
}

}  // namespace weft::study::run
