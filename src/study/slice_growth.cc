#include "study/slice_growth.h"

#include <algorithm>
#include <cmath>

namespace weft::study {
namespace {

/// Promises that differ by less are the same. Where flows meet by hash the time of one and the same operation differs
/// by as much from one try to the next.
constexpr double kSettled = 0.1;

}  // namespace

bool SliceGrowth::skips(std::uint32_t phase) {
  ends_.resize(phase, options_.load());
  const StepPhases::Sample& next = options_.phases.sample(phase);
  if (next.turn < 2) {
    return false;
  }
  const std::uint32_t last = options_.phases.sample_before(phase);
  const StepPhases::Sample& done = options_.phases.sample(last);
  if (done.skipped || is_settled(last)) {
    options_.phases.skip(phase);
    return true;
  }
  const double longer = static_cast<double>(next.size.count()) / static_cast<double>(done.size.count());
  const double hops = static_cast<double>(during(last).packet_hops) * longer;
  if (static_cast<double>(ends_.back().packet_hops) + hops <= static_cast<double>(options_.most_hops)) {
    return false;
  }
  give_up(last);
  options_.phases.skip(phase);
  return true;
}

bool SliceGrowth::is_settled(std::uint32_t last) const {
  if (during(last).signs == 0) {
    return true;
  }
  const std::optional<double> change = change_at(last);
  return change && std::abs(*change) < kSettled;
}

Duration SliceGrowth::time_of(std::uint32_t phase) const {
  const auto& times = options_.board.times();
  Duration longest;
  for (auto time = times.lower_bound({.phase = phase, .communicator = workload::CommunicatorId(0), .number = 0});
       time != times.end() && time->first.phase == phase; ++time) {
    longest = std::max(longest, time->second);
  }
  return longest;
}

std::optional<double> SliceGrowth::change_at(std::uint32_t phase) const {
  if (options_.phases.sample(phase).turn < 2) {
    return std::nullopt;
  }
  const auto promised = [this](std::uint32_t sample) {
    return options_.phases.whole_time(sample, [this](std::uint32_t of) { return time_of(of); }).seconds();
  };
  const double before = promised(options_.phases.sample_before(phase));
  const double now = promised(phase);
  return before > 0 ? now / before - 1 : 1.0;
}

SliceGrowth::Load SliceGrowth::during(std::uint32_t phase) const {
  const Load before = phase > 0 ? ends_[phase - 1] : Load();
  return {.signs = ends_[phase].signs - before.signs, .packet_hops = ends_[phase].packet_hops - before.packet_hops};
}

void SliceGrowth::give_up(std::uint32_t last) {
  if (!unsettled_) {
    unsettled_.emplace();
  }
  unsettled_->longest = std::max(unsettled_->longest, options_.phases.sample(last).size);
  if (const std::optional<double> change = change_at(last)) {
    const double known = unsettled_->change.value_or(0);
    unsettled_->change = std::abs(*change) > std::abs(known) ? *change : known;
  }
}

}  // namespace weft::study
