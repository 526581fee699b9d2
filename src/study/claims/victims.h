// What an incast does to a network around it: to flows that share no host with it ("victims", each with one message on
// its way at a time), to the lines of their hosts, and to all ports.
#pragma once

#include <string_view>

#include "study/results/results.h"

namespace weft::study::claims {

/// Shares of what each flow's messages would get on an empty network, in steady state (flow_goodput.h).
struct VictimShares {
  double mean = 0;
  double slowest = 0;  // 0: none of its messages ended in the window
};
[[nodiscard]] VictimShares victim_shares(const results::RunResults& results, std::string_view job);

/// Held: paused, or without credits while something waited.
struct BlockedTime {
  double time = 0;   // of the run, in the mean of all ports
  double worst = 0;  // of the run, of the port that was held longest
  double lines = 0;  // of the NIC ports of the victims: those held for more than a hundredth of the run
};
[[nodiscard]] BlockedTime holds(const results::RunResults& results, std::string_view job);

}  // namespace weft::study::claims
