#include "transport/path/plb_rule.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {

PlbRule::PlbRule(const Options& options, RandomStream random) : options_(options), random_(random) {
  WEFT_ASSERT(options.rehash_rounds > 0 && options.suspend >= Duration::zero());
}

void PlbRule::on_round(const Round& round) {
  WEFT_DCHECK(round.acknowledged > 0 && round.marked <= round.acknowledged);
  const Probability share = Probability::from_ratio({.numerator = round.marked, .denominator = round.acknowledged});
  congested_ = share < options_.threshold
                   ? std::uint16_t{0}
                   : static_cast<std::uint16_t>(std::min<std::uint32_t>(congested_ + 1U, options_.rehash_rounds));
}

void PlbRule::on_timeout(Time now) {
  congested_ = 0;
  const Duration more =
      Duration::picoseconds(random_.uniform_between({.low = 0, .high = options_.suspend.picoseconds()}));
  suspended_until_ = now + options_.suspend + more;
}

bool PlbRule::leaves(Flight flight, Time now) {
  const bool forced = congested_ >= options_.rehash_rounds;
  const bool idle = flight == Flight::kNone && options_.idle_rounds > 0 && congested_ >= options_.idle_rounds;
  if ((!forced && !idle) || now < suspended_until_) {
    return false;
  }
  congested_ = 0;
  return true;
}

}  // namespace weft::transport
