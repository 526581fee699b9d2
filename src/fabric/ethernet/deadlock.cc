#include "fabric/ethernet/deadlock.h"

#include <algorithm>

namespace weft::fabric {

// Depth-first without recursion; a port is left for good once everything behind it has been seen.
std::vector<std::vector<PortIndex>> WaitGraph::cycles() const {
  std::vector<std::vector<PortIndex>> found;
  std::set<PortIndex> finished;
  for (const auto& [start, unused] : waits_) {
    std::vector<PortIndex> path{start};
    while (!path.empty()) {
      const auto next = waits_.find(path.back());
      PortIndex chosen = 0;
      bool any = false;
      bool closed = false;
      if (next != waits_.end() && !finished.contains(path.back())) {
        for (const PortIndex candidate : next->second) {
          const auto on_path = std::find(path.begin(), path.end(), candidate);
          if (on_path != path.end() && !finished.contains(candidate)) {
            std::vector<PortIndex> cycle(on_path, path.end());
            std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
            found.push_back(std::move(cycle));
            closed = true;
            break;
          }
          if (!finished.contains(candidate)) {
            chosen = candidate;
            any = true;
            break;
          }
        }
      }
      if (closed) {
        finished.insert(path.begin(), path.end());
        break;
      }
      if (any) {
        path.push_back(chosen);
      } else {
        finished.insert(path.back());
        path.pop_back();
      }
    }
  }
  return found;
}

}  // namespace weft::fabric
