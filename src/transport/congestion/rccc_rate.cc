#include "transport/congestion/rccc_rate.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {
namespace {

constexpr std::uint32_t kMostDoublings = 7;  // 0.01 x 2^7 is more than the whole

Probability less(Probability from, Probability part) {
  return Probability::from_raw(from.raw() - std::min(from.raw(), part.raw()));
}

Probability more(Probability to, std::uint64_t raw) {
  return Probability::from_raw(to.raw() + std::min(raw, to.complement().raw()));  // the sum of two wholes has no room
}

}  // namespace

CreditRate::CreditRate(const Parameters& parameters, RandomStream random, Time now)
    : parameters_(parameters), random_(random) {
  WEFT_ASSERT(parameters.round_trip > Duration::zero() && parameters.least > Probability::zero());
  next_ = now + interval();
}

// Receivers that began together do not stay together.
Duration CreditRate::interval() {
  const std::int64_t mean = parameters_.round_trip.picoseconds() * 3 / 2;
  return Duration::picoseconds(random_.uniform_between({.low = mean * 3 / 4, .high = mean * 5 / 4}));
}

void CreditRate::on_arrival(Arrival arrival, Time now) {
  catch_up(now);
  ++arrived_;
  switch (arrival) {
    case Arrival::kUnmarked:
      return;
    case Arrival::kMarked:
      ++marked_;
      return;
    case Arrival::kTrimmed:
      ++trimmed_;
      return;
    case Arrival::kTrimmedLastHop:
      ++trimmed_last_hop_;
      return;
  }
}

Probability CreditRate::part(Time now) {
  catch_up(now);
  return part_;
}

void CreditRate::catch_up(Time now) {
  while (now >= next_) {
    end_interval();
    next_ += interval();
    // After that many intervals without arrivals nothing changes any more; the next one begins now.
    if (part_ == Probability::one() && marks_ == Probability::zero() && now >= next_) {
      next_ = now + interval();
    }
  }
}

void CreditRate::end_interval() {
  bool decreased = false;
  const std::uint64_t whole = arrived_ - trimmed_ - trimmed_last_hop_;
  if (trimmed_ > 0) {
    part_ = less(part_, Probability::from_ratio({.numerator = trimmed_, .denominator = arrived_}));
    decreased = true;
  }
  const Probability share =
      whole > 0 ? Probability::from_ratio({.numerator = marked_, .denominator = whole}) : Probability::zero();
  marks_ = more(marks_ * parameters_.gain.complement(), (share * parameters_.gain).raw());
  if (marks_ > parameters_.target) {
    part_ = part_ * (less(marks_, parameters_.target) * parameters_.decrease).complement();
    decreased = true;
  }
  if (decreased) {
    increases_ = 0;
  } else {
    const std::uint32_t doublings = marked_ == 0 ? std::min(increases_, kMostDoublings) : 0;
    part_ = more(part_, std::min(parameters_.increase.raw(), Probability::kOne >> doublings) << doublings);
    ++increases_;
  }
  part_ = std::max(part_, parameters_.least);
  arrived_ = marked_ = trimmed_ = trimmed_last_hop_ = 0;
}

}  // namespace weft::transport
