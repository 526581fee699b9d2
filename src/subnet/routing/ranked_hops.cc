#include "subnet/routing/ranked_hops.h"

#include <deque>

namespace weft::subnet {
namespace {

class OutwardSearch {
 public:
  OutwardSearch(const RoutingView& view, const RankedPaths& paths, HopMatrix& matrix)
      : view_(view),
        paths_(paths),
        matrix_(matrix),
        reached_by_(view.switches.size()),
        waits_(view.switches.size(), false) {}

  void search(SwitchIndex destination) {
    matrix_.set({.from = destination, .to = destination, .port = 0}, 0);
    reached_by_[destination.value()] = paths_.start();
    open_ = {destination};
    while (!open_.empty()) {
      const SwitchIndex at = open_.front();
      open_.pop_front();
      waits_[at.value()] = false;
      const StepDirection arrived = reached_by_[at.value()];
      for (const SwitchPort& port : view_[at].ports) {
        if (port.to_switch.is_valid()) {
          step(destination, at, arrived, port);
        }
      }
    }
  }

 private:
  void step(SwitchIndex destination, SwitchIndex at, StepDirection arrived, const SwitchPort& port) {
    const SwitchIndex next = port.to_switch;
    const StepDirection direction = paths_.direction(at, next);
    const ForbiddenTurn forbidden = paths_.forbidden();
    if (arrived == forbidden.first && direction == forbidden.then) {
      return;
    }
    const unsigned hops = matrix_.least(at, destination) + 1U;
    const HopEntry back{.from = next, .to = destination, .port = port.peer_port};
    if (hops >= matrix_.through(back)) {
      return;
    }
    matrix_.set(back, static_cast<std::uint8_t>(hops));
    if (!waits_[next.value()]) {
      reached_by_[next.value()] = direction;
      waits_[next.value()] = true;
      open_.push_back(next);
    }
  }

  const RoutingView& view_;
  const RankedPaths& paths_;
  HopMatrix& matrix_;
  std::vector<StepDirection> reached_by_;  // per switch
  std::vector<bool> waits_;
  std::deque<SwitchIndex> open_;
};

}  // namespace

void rank_from_zero(const RoutingView& view, std::vector<std::uint32_t>& ranks) {
  std::deque<SwitchIndex> open;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] == 0) {
      open.push_back(view.switch_at(i));
    }
  }
  while (!open.empty()) {
    const SwitchIndex at = open.front();
    open.pop_front();
    for (const SwitchPort& port : view[at].ports) {
      if (port.to_switch.is_valid() && ranks[port.to_switch.value()] == kUnranked) {
        ranks[port.to_switch.value()] = ranks[at.value()] + 1;
        open.push_back(port.to_switch);
      }
    }
  }
}

HopMatrix ranked_hops(const RoutingView& view, const RankedPaths& paths) {
  HopMatrix matrix(view);
  OutwardSearch search(view, paths, matrix);
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    search.search(view.switch_at(i));
  }
  return matrix;
}

}  // namespace weft::subnet
