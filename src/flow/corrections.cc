#include "flow/corrections.h"

#include "base/assert.h"

namespace weft::flow {

Duration window_wait(const WindowStart& start, double bits) {
  WEFT_ASSERT(start.growth > 1 && start.rate > 0);
  const double full = start.rate * start.round_trip.seconds();
  double idle = 0;
  double sent = start.window;
  for (double window = start.window; window > 0 && sent < bits && window < full; sent += window) {
    idle += (full - window) / start.rate;
    window *= start.growth;
  }
  return duration_of(idle);
}

}  // namespace weft::flow
