// What a NIC knows of the links of ports, its own and others': by when it hears of a link that fails or returns.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace weft::host {

class PortStates {
 public:
  /// A link of a port that goes down or up at a time, and how much later that is known.
  struct Change {
    EndpointId port;
    Time at;
    bool up = false;
    Duration known_after;  // at least 0
  };

  PortStates() = default;
  /// In any order. What is known is the state at the time of the news, not of the event, as of routes: a late failure
  /// does not hide a link that has returned.
  explicit PortStates(const std::vector<Change>& changes);

  /// O(log ports that change). Ports that never change are up.
  [[nodiscard]] bool is_up(EndpointId port, Time now) const;
  /// When the next news of `port` come, at `from` or later; never if there are none.
  [[nodiscard]] Time next_news(EndpointId port, Time from) const;
  [[nodiscard]] bool empty() const { return news_.empty(); }

 private:
  struct News {
    Time at;
    bool up = false;
  };
  std::map<EndpointId, std::vector<News>> news_;  // in order of time
};

}  // namespace weft::host
