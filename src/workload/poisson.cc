#include "workload/poisson.h"

#include <algorithm>

#include "base/assert.h"
#include "base/format_quantity.h"
#include "base/int128.h"
#include "base/random.h"

namespace weft::workload {
namespace {

/// The time that a rank takes on average to offer one message: mean size / (load * rate).
Result<Exponential<Duration>> gap_of(const PoissonOptions& options, Rate rate) {
  const std::int64_t size = std::max<std::int64_t>(mean(options.sizes).count(), 1);
  const auto offered = static_cast<std::uint64_t>((static_cast<Uint128>(rate.bits_per_second()) * options.load.raw()) /
                                                  Probability::kOne);
  if (offered == 0)
    return fail("poisson: a load of {} of {} offers nothing", options.load, rate);
  const auto picoseconds = static_cast<Uint128>(size) * 8 * 1'000'000'000'000 / offered;
  if (picoseconds > static_cast<Uint128>(kMaxExponentialMean))
    return fail("poisson: at a load of {} of {} a message comes too seldom", options.load, rate);
  return Exponential<Duration>::make(Duration::picoseconds(static_cast<std::int64_t>(picoseconds)));
}

struct ArrivalOptions {
  const JobOptions& job;
  const PoissonOptions& traffic;
  Exponential<Duration> gap;
  std::uint64_t sender = 0;  // which of them, counted from 0
  std::uint64_t senders = 0;
};

class Arrivals final : public FlowSource {
 public:
  Arrivals(const ArrivalOptions& options, RankId rank)
      : options_(options),
        rank_(rank),
        random_(options.job.seed, fmt::format("{}/{}/poisson", options.job.name, rank.value())),
        at_(options.traffic.flow.start) {
    const std::uint64_t messages = options.traffic.messages;
    const std::uint64_t rest = messages % options.senders;
    left_ =
        messages == PoissonOptions::kNoLimit ? messages : messages / options.senders + (options.sender < rest ? 1 : 0);
    const auto own = std::ranges::find(options.traffic.receivers, rank);
    own_ = own == options.traffic.receivers.end()
               ? std::nullopt
               : std::optional(static_cast<std::uint32_t>(own - options.traffic.receivers.begin()));
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
  /// Any of `count`, but not `own`.
  std::uint32_t draw_other(std::uint32_t count, std::optional<std::uint32_t> own) {
    const auto other = static_cast<std::uint32_t>(random_.uniform(count - (own ? 1 : 0)));
    return own && other >= *own ? other + 1 : other;
  }

  RankId draw_destination() {
    const std::vector<RankId>& receivers = options_.traffic.receivers;
    return receivers.empty() ? RankId(draw_other(options_.job.ranks, rank_.value()))
                             : receivers[draw_other(static_cast<std::uint32_t>(receivers.size()), own_)];
  }

  Flow draw() {
    Flow flow{.id = {options_.job.id, rank_, draw_destination(), index_}, .shape = options_.traffic.flow};
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
  std::optional<std::uint32_t> own_;  // its place among the receivers
  std::uint32_t index_ = 0;
};

/// Sends nothing.
class Silence final : public FlowSource {
 public:
  std::optional<Flow> next() override { return std::nullopt; }
};

Result<void> check_ranks(const JobOptions& job, const PoissonOptions& options) {
  const auto is_rank = [&](RankId rank) { return rank.value() < job.ranks; };
  if (!std::ranges::all_of(options.senders, is_rank) || !std::ranges::all_of(options.receivers, is_rank))
    return fail("poisson: a sender or receiver is none of {} ranks", job.ranks);
  if (!options.rates.empty() && options.rates.size() != job.ranks)
    return fail("poisson: {} rates for {} ranks", options.rates.size(), job.ranks);
  if (options.receivers.size() != 1)
    return {};
  const RankId only = options.receivers.front();
  if (options.senders.empty() || std::ranges::count(options.senders, only) > 0)
    return fail("poisson: rank {} sends, and is the only receiver", only.value());
  return {};
}

/// Of each sender, or one for all.
Result<std::vector<Exponential<Duration>>> gaps_of(const JobOptions& job, const PoissonOptions& options) {
  std::vector<Rate> rates{options.rate};
  if (!options.rates.empty()) {
    rates.clear();
    if (options.senders.empty())
      rates = options.rates;
    for (const RankId sender : options.senders)
      rates.push_back(options.rates[sender.value()]);
    if (std::ranges::all_of(rates, [&](Rate rate) { return rate == rates.front(); }))
      rates.resize(1);
  }
  std::vector<Exponential<Duration>> gaps;
  for (const Rate rate : rates) {
    auto gap = gap_of(options, rate);
    if (!gap)
      return pass_on(gap);
    gaps.push_back(*gap);
  }
  WEFT_DCHECK(gaps.size() == 1 || gaps.size() == (options.senders.empty() ? job.ranks : options.senders.size()));
  return gaps;
}

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
  if (auto ranks = check_ranks(job, options); !ranks)
    return pass_on(ranks);
  auto gaps = gaps_of(job, options);
  if (!gaps)
    return pass_on(gaps);
  return PoissonArrivals(job, options, *std::move(gaps));
}

std::unique_ptr<FlowSource> PoissonArrivals::flows_of(RankId rank) const {
  std::uint64_t sender = rank.value();
  if (!options_.senders.empty()) {
    const auto found = std::ranges::find(options_.senders, rank);
    if (found == options_.senders.end())
      return std::make_unique<Silence>();
    sender = static_cast<std::uint64_t>(found - options_.senders.begin());
  }
  return std::make_unique<Arrivals>(
      ArrivalOptions{.job = job_,
                     .traffic = options_,
                     .gap = gaps_[gaps_.size() == 1 ? 0 : sender],
                     .sender = sender,
                     .senders = options_.senders.empty() ? job_.ranks : options_.senders.size()},
      rank);
}

}  // namespace weft::workload
