#include "subnet/routing/dnup.h"

#include <algorithm>

#include "subnet/routing/balanced_tables.h"
#include "subnet/routing/ranked_hops.h"

namespace weft::subnet {
namespace {

class DownUpPaths final : public RankedPaths {
 public:
  explicit DownUpPaths(const std::vector<std::uint32_t>& ranks) : ranks_(ranks) {}

  [[nodiscard]] StepDirection direction(SwitchIndex from, SwitchIndex to) const override {
    const std::uint32_t here = ranks_[from.value()];
    const std::uint32_t there = ranks_[to.value()];
    return here == there ? StepDirection::kLevel : (here < there ? StepDirection::kDown : StepDirection::kUp);
  }
  [[nodiscard]] StepDirection start() const override { return StepDirection::kDown; }
  [[nodiscard]] ForbiddenTurn forbidden() const override {
    return {.first = StepDirection::kUp, .then = StepDirection::kDown};
  }

 private:
  const std::vector<std::uint32_t>& ranks_;
};

}  // namespace

Result<HopMatrix> dnup_hops(const RoutingView& view) {
  std::vector<std::uint32_t> ranks(view.switches.size(), kUnranked);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool has_adapter =
        std::ranges::any_of(view.switches[i].ports, [](const SwitchPort& port) { return port.to_end_port.is_valid(); });
    ranks[i] = has_adapter ? 0 : kUnranked;
  }
  if (std::ranges::find(ranks, 0U) == ranks.end()) {
    return fail("dnup finds no leaf: no switch has an adapter");
  }
  rank_from_zero(view, ranks);
  return ranked_hops(view, DownUpPaths(ranks));
}

Result<Routes> route_dnup(const RoutingView& view, const EngineOptions& options) {
  Result<HopMatrix> hops = dnup_hops(view);
  if (!hops) {
    return pass_on(hops);
  }
  return Routes{.tables = balanced_tables(view, *hops, PortChoice::kAnyNeighbour, options.held), .plan = {}};
}

}  // namespace weft::subnet
