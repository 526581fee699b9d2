#include "study/slice_growth.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace weft::study {
namespace {

using Role = StepPhases::Role;

/// Half the width of an interval that is narrow enough, relative to the mean.
constexpr double kNarrow = 0.03;
/// An operation's time from rest is no batch, so that so many intervals need one repetition more.
constexpr std::uint32_t kLeastRepetitions = 3;
constexpr std::uint32_t kMostRepetitions = 64;
/// What an operation takes as a rule, for an estimate.
constexpr double kUsualRepetitions = 4;
/// Longer operations than this many slices are continued from two slices; others are run whole.
constexpr double kWhole = 1.5;

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
  if (whole_step_) {
    options_.phases.skip(phase);
    return true;
  }
  Plan& own = plans_.at(next.operation);
  if (own.contended && next.role == Role::kShortSettling) {
    const double left = static_cast<double>(options_.most_hops) - static_cast<double>(ends_.back().packet_hops);
    size_slices(next.operation, own, left / static_cast<double>(unplanned_--));
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
    const Bytes size = options_.phases.sample(probe).size;
    Plan& own = plans_[operation];
    own.limits = options_.limits(probe);
    own.hops_per_byte = static_cast<double>(load.packet_hops) / std::max(as_double(size), 1.0);
    own.contended = own.limits.flows > 0 && (own.limits.shares_links || options_.shares_hosts || load.signs > 0);
    unplanned_ += own.contended ? 1 : 0;
  }
  double step = 0;
  double settling = 0;
  for (const auto& [operation, own] : plans_) {
    step += own.hops_per_byte * as_double(operation.size) * static_cast<double>(options_.instances(operation)) *
            options_.phases.communicators_per_run(operation);
    settling += own.contended ? hops_to_settle(operation, own) : 0;
  }
  const double left = static_cast<double>(options_.most_hops) - static_cast<double>(ends_.back().packet_hops);
  whole_step_ = unplanned_ > 0 && step <= settling && step <= left;
}

double SliceGrowth::hops_to_settle(const StepOperation& operation, const Plan& plan) const {
  const std::uint32_t longer = *options_.phases.phase_of(operation, Role::kSettling);
  const double probe = as_double(options_.phases.sample(options_.phases.probe_of(operation)).size);
  const double wanted = std::max(as_double(options_.piece()) * options_.phases.sample(longer).members, probe);
  const double whole = as_double(operation.size);
  const double slices = whole <= wanted * kWhole ? whole : wanted * 1.5;
  return slices * plan.hops_per_byte * kUsualRepetitions;
}

// A short slice of half the length takes half the hops.
void SliceGrowth::size_slices(const StepOperation& operation, Plan& plan, double share) {
  StepPhases& phases = options_.phases;
  const std::uint32_t shorter = *phases.phase_of(operation, Role::kShortSettling);
  const std::uint32_t longer = *phases.phase_of(operation, Role::kSettling);
  const Bytes probe = phases.sample(phases.probe_of(operation)).size;
  const double wanted = std::max(as_double(options_.piece()) * phases.sample(longer).members, as_double(probe));
  const double whole = as_double(operation.size);
  const double hops_for_all = plan.hops_per_byte * kLeastRepetitions;
  plan.share = share;
  if (whole <= wanted * kWhole && whole * hops_for_all <= share) {
    return phases.skip(shorter);
  }
  const double affordable = share / (hops_for_all * 1.5);
  const double size = std::min({wanted, whole, affordable});
  plan.short_pieces = size < std::min(wanted, whole);
  if (as_bytes(size) < std::min(probe, operation.size)) {
    phases.skip(shorter);
    return phases.skip(longer);
  }
  phases.resize(longer, as_bytes(size));
  phases.resize(shorter, as_bytes(size / 2));
  if (phases.sample(longer).size == operation.size || phases.sample(shorter).size == phases.sample(longer).size) {
    phases.skip(shorter);
  }
}

bool SliceGrowth::repeats(std::uint32_t phase) {
  const StepPhases::Sample& sample = options_.phases.sample(phase);
  if (!sample.settles()) {
    return false;
  }
  const std::uint32_t done = repetitions(phase);
  if (done >= kMostRepetitions) {
    return false;
  }
  const Plan& plan = plans_.at(sample.operation);
  const double begun = static_cast<double>(ends_.back().packet_hops);
  const double used = static_cast<double>(options_.load().packet_hops) - begun;
  const double share = sample.role == Role::kShortSettling ? plan.share / 3 : plan.share * 2 / 3;
  if (done + 1 >= kLeastRepetitions && used + plan.hops_per_byte * as_double(sample.size) > share) {
    return false;
  }
  const BatchMean mean = settled(phase);
  return done < kLeastRepetitions || !mean.interval || *mean.interval >= kNarrow;
}

std::uint32_t SliceGrowth::repetitions(std::uint32_t phase) const {
  std::uint32_t fewest = kMostRepetitions;
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

SliceGrowth::Load SliceGrowth::during(std::uint32_t phase) const {
  const Load before = phase > 0 ? ends_[phase - 1] : Load();
  const Load after = phase < ends_.size() ? ends_[phase] : options_.load();
  return {.signs = after.signs - before.signs, .packet_hops = after.packet_hops - before.packet_hops};
}

std::map<StepOperation, SliceGrowth::Outcome> SliceGrowth::outcomes() const {
  std::map<StepOperation, Outcome> made;
  for (const auto& [operation, plan] : plans_) {
    Outcome& own = made[operation];
    const StepPhases& phases = options_.phases;
    const std::uint32_t probe = phases.probe_of(operation);
    own = {.limits = plan.limits, .contended = plan.contended, .sample = phases.sample(probe).size};
    const double scale = as_double(operation.size) / std::max(as_double(own.sample), 1.0);
    own.limits.least_time = Duration::picoseconds(
        static_cast<std::int64_t>(static_cast<double>(plan.limits.least_time.picoseconds()) * scale));
    if (!plan.contended) {
      continue;
    }
    own.settled = false;
    own.short_pieces = plan.short_pieces;
    const auto longer = phases.phase_of(operation, Role::kSettling);
    if (!longer) {
      continue;
    }
    own.sample = phases.sample(*longer).size;
    own.repetitions = repetitions(*longer);
    const BatchMean mean = settled(*longer);
    const auto shorter = phases.phase_of(operation, Role::kShortSettling);
    own.interval = mean.interval;
    if (shorter && mean.interval) {
      // The line through both is continued by `times` their distance.
      const BatchMean half = settled(*shorter);
      const double distance = as_double(own.sample - phases.sample(*shorter).size);
      const double times = as_double(operation.size - own.sample) / distance;
      const double whole = mean.mean + times * (mean.mean - half.mean);
      const double error = std::hypot((1 + times) * mean.mean * *mean.interval,
                                      times * half.mean * half.interval.value_or(*mean.interval));
      own.interval = error / whole;
    }
    own.settled = !plan.short_pieces && own.interval && *own.interval < kNarrow;
  }
  return made;
}

}  // namespace weft::study
