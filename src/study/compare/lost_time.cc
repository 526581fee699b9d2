#include "study/compare/lost_time.h"

#include <algorithm>

namespace weft::study::compare {
namespace {

/// What moving the data takes of `left`, the time beyond computing that no removal gains. The rest of it is waiting for
/// other ranks: as in the whole step, unless that is most of it; then what made ranks wait is one of the causes, and
/// waiting has the share that it has in the step.
double moving_without_causes(const StepShares& shares, double left, double waiting) {
  const double as_in_the_step = left - waiting;
  const double beyond_computing = shares.step - shares.compute;
  return as_in_the_step >= left / 2 || beyond_computing <= 0 ? as_in_the_step : left * (1 - waiting / beyond_computing);
}

/// Headers, and what is behind them of the time for moving data: by bytes where those are known.
void add_moving(std::vector<LostTime>& causes, const StepShares& shares, double moving) {
  if (shares.network_payload < 0) {
    const double headers = moving * shares.network_share * shares.header_share;
    causes.push_back({.cause = "headers", .seconds = headers});
    causes.push_back({.cause = "moving the data", .seconds = moving - headers});
    return;
  }
  const double header_time = shares.network_payload * shares.header_share / (1 - shares.header_share);
  const double payload = std::max(shares.network_payload + shares.inside_payload - shares.hidden, 0.0);
  // What ranks send at the same time may need more than what is left of the step.
  const double fits = std::min(1.0, payload + header_time > 0 ? moving / (payload + header_time) : 0.0);
  causes.push_back({.cause = "headers", .seconds = header_time * fits});
  causes.push_back({.cause = "serialisation at line rate", .seconds = payload * fits});
  causes.push_back({.cause = "turns and acknowledgements", .seconds = moving - (payload + header_time) * fits});
}

}  // namespace

std::vector<LostTime> lost_time(const StepShares& shares, const AblationLadder& ladder) {
  std::vector<LostTime> causes;
  const double waiting = std::clamp(shares.waiting, 0.0, std::max(shares.step - shares.compute, 0.0));
  const double moving_and_more = std::max(shares.step - shares.compute - waiting, 0.0);
  double gained = 0;
  double fastest = ladder.slice;
  for (const LostTime& rung : ladder.after) {
    causes.push_back({.cause = rung.cause, .seconds = std::max(fastest - rung.seconds, 0.0)});
    gained += causes.back().seconds;
    fastest = std::min(fastest, rung.seconds);
  }
  // The slice's step differs from the whole one's. A longer step has more of everything, of TCP's slow start above all;
  // a shorter one has less of the causes, such as rates that have had the time to recover, but as much data to move.
  const double floor =
      std::clamp(moving_without_causes(shares, fastest - shares.compute, waiting), 0.0, moving_and_more);
  const double sliced = floor + gained;
  double scale = 0;
  if (sliced > moving_and_more) {
    scale = gained > 0 ? (moving_and_more - floor) / gained : 0;
  } else if (sliced > 0) {
    scale = moving_and_more / sliced;
  }
  for (LostTime& cause : causes) {
    cause.seconds *= scale;
  }
  gained *= scale;
  const double moving = moving_and_more - gained;
  add_moving(causes, shares, moving);
  causes.push_back({.cause = "waiting for other ranks", .seconds = waiting});
  return causes;
}

}  // namespace weft::study::compare
