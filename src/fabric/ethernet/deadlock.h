// Who waits for whom, and the circles in it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "fabric/port_link.h"

namespace weft::fabric {

/// Ports that are paused, and the ports whose packets must move before they may send again.
class WaitGraph {
 public:
  struct Wait {
    PortIndex waiting = 0;
    PortIndex for_port = 0;
  };
  void add_wait(Wait wait) { waits_[wait.waiting].insert(wait.for_port); }

  /// Disjoint circles, each from its smallest port on. Only ports that are waited for and wait themselves are on one.
  [[nodiscard]] std::vector<std::vector<PortIndex>> cycles() const;

 private:
  std::map<PortIndex, std::set<PortIndex>> waits_;
};

}  // namespace weft::fabric
