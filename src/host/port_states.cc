#include "host/port_states.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::host {

PortStates::PortStates(const std::vector<Change>& changes) {
  std::map<EndpointId, std::vector<Change>> of_port;
  for (const Change& change : changes) {
    WEFT_ASSERT(change.known_after >= Duration::zero());
    of_port[change.port].push_back(change);
  }
  for (auto& [port, own] : of_port) {
    std::ranges::stable_sort(own, {}, &Change::at);
    std::vector<News>& news = news_[port];
    for (const Change& change : own) {
      const Time known = change.at + change.known_after;
      const auto after = std::ranges::upper_bound(own, known, {}, &Change::at);
      news.push_back({.at = known, .up = std::prev(after)->up});
    }
    std::ranges::stable_sort(news, {}, &News::at);
  }
}

bool PortStates::is_up(EndpointId port, Time now) const {
  const auto found = news_.find(port);
  if (found == news_.end()) {
    return true;
  }
  const std::vector<News>& news = found->second;
  const auto after = std::ranges::upper_bound(news, now, {}, &News::at);
  return after == news.begin() || std::prev(after)->up;
}

Time PortStates::next_news(EndpointId port, Time from) const {
  const auto found = news_.find(port);
  if (found == news_.end()) {
    return Time::never();
  }
  const auto next = std::ranges::lower_bound(found->second, from, {}, &News::at);
  return next == found->second.end() ? Time::never() : next->at;
}

}  // namespace weft::host
