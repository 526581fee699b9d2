#include "workload/training/stragglers.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/distribution.h"
#include "base/int128.h"

namespace weft::workload {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr Slowdown kMost{100 * kMillion};

Slowdown draw(const NoStragglers&, RandomStream&) { return {}; }

Slowdown draw(const SometimesSlow& some, RandomStream& random) {
  return random.bernoulli(some.probability) ? some.slowdown : Slowdown{};
}

Slowdown draw(const UniformlySlow& uniform, RandomStream& random) {
  return {random.uniform_between({.low = 0, .high = uniform.most.millionths})};
}

Slowdown draw(const ExponentiallySlow& exponential, RandomStream& random) {
  return {sample_exponential(exponential.mean.millionths, random)};
}

Slowdown largest(const NoStragglers&) { return {}; }
Slowdown largest(const SometimesSlow& some) { return some.slowdown; }
Slowdown largest(const UniformlySlow& uniform) { return uniform.most; }
Slowdown largest(const ExponentiallySlow& exponential) { return exponential.mean; }

}  // namespace

Result<void> check_stragglers(const StragglerDistribution& distribution) {
  const Slowdown most = std::visit([](const auto& kind) { return largest(kind); }, distribution);
  if (most < Slowdown{} || most > kMost) {
    return fail("a slowdown of {} millionths; from 0 to {}", most.millionths, kMost.millionths);
  }
  return {};
}

Stragglers::Stragglers(const StragglerDistribution& distribution, const JobOptions& job, RankId rank)
    : Stragglers(distribution, job, std::span(&rank, 1)) {}

Stragglers::Stragglers(const StragglerDistribution& distribution, const JobOptions& job, std::span<const RankId> ranks)
    : distribution_(distribution), seed_(job.seed) {
  if (std::holds_alternative<NoStragglers>(distribution_)) {
    return;
  }
  names_.reserve(ranks.size());
  for (const RankId rank : ranks) {
    names_.push_back(fmt::format("{}/{}/straggler", job.name, rank.value()));
  }
  slowdown_ = of_step(0);
}

Slowdown Stragglers::of_step(std::uint32_t step) const {
  Slowdown most{};
  for (const std::string& name : names_) {
    RandomStream random(seed_, fmt::format("{}/{}", name, step));
    most = std::max(most, std::visit([&random](const auto& kind) { return draw(kind, random); }, distribution_));
  }
  return most;
}

Duration Stragglers::stretch(Duration time, std::uint32_t step) {
  if (step != step_) {
    step_ = step;
    slowdown_ = of_step(step);
  }
  const Int128 added = static_cast<Int128>(time.picoseconds()) * slowdown_.millionths / kMillion;
  return time + Duration::picoseconds(static_cast<std::int64_t>(added));
}

}  // namespace weft::workload
