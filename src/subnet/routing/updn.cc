#include "subnet/routing/updn.h"

#include <algorithm>

#include "subnet/routing/balanced_tables.h"
#include "subnet/routing/ranked_hops.h"

namespace weft::subnet {
namespace {

constexpr std::size_t kMostHops = 64;

class UpDownPaths final : public RankedPaths {
 public:
  UpDownPaths(const RoutingView& view, const std::vector<std::uint32_t>& ranks) : view_(view), ranks_(ranks) {}

  [[nodiscard]] StepDirection direction(SwitchIndex from, SwitchIndex to) const override {
    const std::uint32_t here = ranks_[from.value()];
    const std::uint32_t there = ranks_[to.value()];
    if (here == 0 && there == 0) {
      return StepDirection::kUp;  // so that roots with a cable between them reach each other
    }
    if (here != there) {
      return here < there ? StepDirection::kDown : StepDirection::kUp;
    }
    return view_[from].guid > view_[to].guid ? StepDirection::kUp : StepDirection::kDown;
  }
  [[nodiscard]] StepDirection start() const override { return StepDirection::kUp; }
  [[nodiscard]] ForbiddenTurn forbidden() const override {
    return {.first = StepDirection::kDown, .then = StepDirection::kUp};
  }

 private:
  const RoutingView& view_;
  const std::vector<std::uint32_t>& ranks_;
};

/// Whether nearly all adapters are equally far from a switch.
bool is_root(const RoutingView& view, const HopMatrix& hops, SwitchIndex at) {
  std::array<std::uint32_t, kMostHops> adapters_by_hops{};
  std::uint32_t adapters = 0;
  for (const EndPort& end : view.end_ports) {
    if (end.is_switch() || !end.at.is_valid()) {
      continue;
    }
    ++adapters;
    const std::uint8_t distance = hops.least(at, end.at);
    if (distance < kMostHops) {
      ++adapters_by_hops[distance];
    }
  }
  const auto bars_above = [&](double share) {
    return std::ranges::count_if(adapters_by_hops, [&](std::uint32_t count) { return count > adapters * share; });
  };
  return bars_above(0.9) == 1 && bars_above(0.05) == 1;
}

}  // namespace

Result<HopMatrix> updn_hops(const RoutingView& view) {
  const HopMatrix shortest = shortest_hops(view);
  std::vector<std::uint32_t> ranks(view.switches.size(), kUnranked);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i] = is_root(view, shortest, view.switch_at(i)) ? 0 : kUnranked;
  }
  if (std::ranges::find(ranks, 0U) == ranks.end()) {
    return fail("updn finds no root: no switch has nine of ten adapters at the same distance");
  }
  rank_from_zero(view, ranks);
  return ranked_hops(view, UpDownPaths(view, ranks));
}

Result<Routes> route_updn(const RoutingView& view, const EngineOptions& options) {
  Result<HopMatrix> hops = updn_hops(view);
  if (!hops) {
    return pass_on(hops);
  }
  return Routes{.tables = balanced_tables(view, *hops, PortChoice::kAnyNeighbour, options.held), .plan = {}};
}

}  // namespace weft::subnet
