#include "workload/poisson.h"

#include <algorithm>

#include "base/format_quantity.h"
#include "base/int128.h"
#include "base/random.h"

namespace weft::workload {
namespace {

/// The time that a rank takes on average to offer one message: mean size / (load * rate).
Result<Exponential<Duration>> gap_of(const PoissonOptions& options) {
  const std::int64_t size = std::max<std::int64_t>(mean(options.sizes).count(), 1);
  const auto offered = static_cast<std::uint64_t>(
      (static_cast<Uint128>(options.rate.bits_per_second()) * options.load.raw()) / Probability::kOne);
  if (offered == 0)
    return fail("poisson: a load of {} of {} offers nothing", options.load, options.rate);
  const auto picoseconds = static_cast<Uint128>(size) * 8 * 1'000'000'000'000 / offered;
  if (picoseconds > static_cast<Uint128>(kMaxExponentialMean))
    return fail("poisson: at a load of {} of {} a message comes too seldom", options.load, options.rate);
  return Exponential<Duration>::make(Duration::picoseconds(static_cast<std::int64_t>(picoseconds)));
}

struct ArrivalOptions {
  const JobOptions& job;
  const PoissonOptions& traffic;
  Exponential<Duration> gap;
};

class Arrivals final : public FlowSource {
 public:
  Arrivals(const ArrivalOptions& options, RankId rank)
      : options_(options),
        rank_(rank),
        random_(options.job.seed, fmt::format("{}/{}/poisson", options.job.name, rank.value())),
        at_(options.traffic.flow.start) {
    const std::uint64_t messages = options.traffic.messages;
    const std::uint64_t rest = messages % options.job.ranks;
    left_ =
        messages == PoissonOptions::kNoLimit ? messages : messages / options.job.ranks + (rank.value() < rest ? 1 : 0);
  }

  std::optional<Flow> next() override {
    if (left_ == 0)
      return std::nullopt;
    at_ += options_.gap.sample(random_);
    if (at_ >= options_.traffic.flow.stop) {
      left_ = 0;
      return std::nullopt;
    }
    if (left_ != PoissonOptions::kNoLimit)
      --left_;
    return draw();
  }

 private:
  Flow draw() {
    const auto other = static_cast<std::uint32_t>(random_.uniform(options_.job.ranks - 1));
    const RankId destination(other < rank_.value() ? other : other + 1);
    Flow flow{.id = {options_.job.id, rank_, destination, index_}, .shape = options_.traffic.flow};
    flow.shape.start = at_;
    flow.shape.size = std::max(sample(options_.traffic.sizes, random_), Bytes(1));
    flow.shape.messages = 1;
    flow.channel = index_ % options_.traffic.channels;
    ++index_;
    return flow;
  }

  ArrivalOptions options_;
  RankId rank_;
  RandomStream random_;
  Time at_;
  std::uint64_t left_ = 0;
  std::uint32_t index_ = 0;
};

}  // namespace

Result<PoissonArrivals> PoissonArrivals::make(const JobOptions& job, const PoissonOptions& options) {
  if (job.ranks < 2)
    return fail("poisson: {} ranks; it needs at least 2", job.ranks);
  if (options.channels == 0)
    return fail("poisson: no channel; it needs at least 1");
  if (!options.endless && options.messages == PoissonOptions::kNoLimit && options.flow.stop.is_never())
    return fail("poisson: neither a number of messages nor a stop is given");
  FlowShape typical = options.flow;
  typical.size = std::max(mean(options.sizes), Bytes(1));
  typical.messages = 1;
  if (auto right = check_flow(typical); !right)
    return tl::unexpected<Error>(std::move(right.error()).at("poisson"));
  auto gap = gap_of(options);
  if (!gap)
    return pass_on(gap);
  return PoissonArrivals(job, options, *gap);
}

std::unique_ptr<FlowSource> PoissonArrivals::flows_of(RankId rank) const {
  return std::make_unique<Arrivals>(ArrivalOptions{job_, options_, gap_}, rank);
}

}  // namespace weft::workload
