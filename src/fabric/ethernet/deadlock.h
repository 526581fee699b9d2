// The wait-for graph of paused ports, and its cycles.
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

  /// Disjoint cycles, each starting at its smallest port.
  [[nodiscard]] std::vector<std::vector<PortIndex>> cycles() const;

 private:
  std::map<PortIndex, std::set<PortIndex>> waits_;
};

}  // namespace weft::fabric
