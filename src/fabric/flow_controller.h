// What an Ethernet fabric with PathPolicy::kCentral sees of its traffic controller: when it acts.
//
// The controller is told of traffic and asked for its next time; between two of its times nothing of it happens. At its
// times it may read the fabric and change its tables of pinned flows. A controller that has nothing to do answers
// never() until it is told of traffic, so that a run without traffic ends.
#pragma once

#include "base/time.h"

namespace weft::fabric {

class FlowController {
 public:
  virtual ~FlowController() = default;

  /// Later than any time at which it has acted.
  [[nodiscard]] virtual Time next() const = 0;
  /// At next(), after links and routes have changed that change at that time.
  virtual void act(Time now) = 0;
  /// A switch has metered the first packet since its meter was last taken. May make next() earlier, but not now.
  virtual void on_traffic(Time now) = 0;
};

}  // namespace weft::fabric
