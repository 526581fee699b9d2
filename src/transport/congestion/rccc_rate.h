// RCCC where the core of the network is oversubscribed: the part of its line that a receiver grants, from what arrives.
//
// Once per interval (1.5 round trips, a quarter more or less at random) the part shrinks by the share of packets that
// were trimmed elsewhere than at the last hop, and by half of what the averaged share of marked packets exceeds 0.3;
// else it grows by 0.01, by twice as much each time while nothing is marked. Intervals that fell due unseen are applied
// when something arrives or the rate is read. Source: ultraethernet/uet-htsim (oversubscribed_cc.cpp), facts only.
#pragma once

#include "base/probability.h"
#include "base/random.h"
#include "base/time.h"

namespace weft::transport {

class CreditRate {
 public:
  struct Parameters {
    Duration round_trip;                                                                // > 0
    Probability target = Probability::from_ratio({.numerator = 3, .denominator = 10});  // of marks
    Probability gain = Probability::from_ratio({.numerator = 1, .denominator = 2});     // of their average
    Probability decrease = Probability::from_ratio({.numerator = 1, .denominator = 2});
    Probability increase = Probability::from_ratio({.numerator = 1, .denominator = 100});
    Probability least = Probability::from_ratio({.numerator = 1, .denominator = 100});
  };
  /// What arrived: a packet with its payload, or the rest of a trimmed one.
  enum class Arrival : std::uint8_t { kUnmarked, kMarked, kTrimmed, kTrimmedLastHop };

  CreditRate(const Parameters& parameters, RandomStream random, Time now);

  void on_arrival(Arrival arrival, Time now);
  /// Part of the rate of credit without this.
  [[nodiscard]] Probability part(Time now);
  [[nodiscard]] Probability averaged_marks() const { return marks_; }

 private:
  void catch_up(Time now);
  void end_interval();
  [[nodiscard]] Duration interval();

  Parameters parameters_;
  RandomStream random_;
  Time next_;
  Probability part_ = Probability::one();
  Probability marks_;
  std::uint64_t arrived_ = 0;  // in this interval, as are the following
  std::uint64_t marked_ = 0;
  std::uint64_t trimmed_ = 0;
  std::uint64_t trimmed_last_hop_ = 0;
  std::uint32_t increases_ = 0;  // in a row
};

}  // namespace weft::transport
