// PLB, protective load balancing: when a connection is to leave its path, by the congestion of its last rounds.
//
// A round, a round trip's worth of acknowledgements, is congested if at least a threshold of what it acknowledges was
// marked. After `rehash_rounds` congested rounds in a row the connection takes another path at once, after the fewer
// `idle_rounds` only when nothing is in flight, so that nothing is reordered. After a retransmission timeout, which
// has a path changed anyway, it keeps still for a time at random, from `suspend` to twice that, so that connections
// that have fled from a failure do not follow congestion back and forth.
// Source: Qureshi et al., "PLB: Congestion Signals are Simple and Effective for Network Load Balancing", SIGCOMM 2022;
// rules and numbers as Linux has them (net.ipv4.tcp_plb_*), facts only.
#pragma once

#include <cstdint>

#include "base/probability.h"
#include "base/random.h"
#include "base/time.h"

namespace weft::transport {

class PlbRule {
 public:
  struct Options {
    Probability threshold = Probability::from_ratio({.numerator = 128, .denominator = 256});
    std::uint16_t rehash_rounds = 12;  // at least 1
    std::uint16_t idle_rounds = 3;     // 0: a pause is no reason
    Duration suspend = Duration::seconds(60);
  };
  /// Of one round, in packets or bytes; more acknowledged than zero, and no more marked than that.
  struct Round {
    std::uint64_t marked = 0;
    std::uint64_t acknowledged = 0;
  };
  enum class Flight : std::uint8_t { kSome, kNone };

  PlbRule(const Options& options, RandomStream random);

  void on_round(const Round& round);
  void on_timeout(Time now);
  /// Whether to take another path now; if so, counting begins anew.
  [[nodiscard]] bool leaves(Flight flight, Time now);

  [[nodiscard]] std::uint16_t congested_rounds() const { return congested_; }

 private:
  Options options_;
  RandomStream random_;
  std::uint16_t congested_ = 0;  // in a row, at most rehash_rounds
  Time suspended_until_;
};

}  // namespace weft::transport
