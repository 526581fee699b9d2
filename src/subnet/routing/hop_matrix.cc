#include "subnet/routing/hop_matrix.h"

#include <algorithm>

namespace weft::subnet {
namespace {

/// Takes over what the neighbour behind a port knows; whether anything became shorter.
bool relax(HopMatrix& matrix, const RoutingView& view, const HopEntry& port, SwitchIndex neighbour) {
  bool shorter = false;
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    const SwitchIndex to = view.switch_at(i);
    const std::uint8_t known = matrix.least(neighbour, to);
    const HopEntry entry{.from = port.from, .to = to, .port = port.port};
    if (known < kNoPath - 1 && known + 1 < matrix.through(entry)) {
      matrix.set(entry, static_cast<std::uint8_t>(known + 1));
      shorter = true;
    }
  }
  return shorter;
}

bool relax_all(HopMatrix& matrix, const RoutingView& view) {
  bool shorter = false;
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    const std::vector<SwitchPort>& ports = view.switches[i].ports;
    for (std::size_t port = 1; port < ports.size(); ++port) {
      const SwitchIndex neighbour = ports[port].to_switch;
      if (neighbour.is_valid() && neighbour != view.switch_at(i)) {
        const HopEntry entry{.from = view.switch_at(i), .to = neighbour, .port = static_cast<PortNumber>(port)};
        shorter |= relax(matrix, view, entry, neighbour);
      }
    }
  }
  return shorter;
}

}  // namespace

HopMatrix::HopMatrix(const RoutingView& view) {
  for (const RoutedSwitch& routed : view.switches) {
    ports_.push_back(routed.ports.size());
    hops_.emplace_back(view.switches.size() * routed.ports.size(), kNoPath);
  }
}

void HopMatrix::set(const HopEntry& entry, std::uint8_t hops) {
  std::uint8_t* const counts = &hops_[entry.from.value()][std::size_t{entry.to.value()} * ports_[entry.from.value()]];
  counts[entry.port] = hops;
  counts[0] = std::min(counts[0], hops);
}

HopMatrix shortest_hops(const RoutingView& view) {
  HopMatrix matrix(view);
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    const SwitchIndex at = view.switch_at(i);
    matrix.set({.from = at, .to = at, .port = 0}, 0);
    const std::vector<SwitchPort>& ports = view.switches[i].ports;
    for (std::size_t port = 1; port < ports.size(); ++port) {
      const SwitchIndex neighbour = ports[port].to_switch;
      if (neighbour.is_valid() && neighbour != at) {
        matrix.set({.from = at, .to = neighbour, .port = static_cast<PortNumber>(port)}, 1);
      }
    }
  }
  // A path has at most as many hops as there are other switches, and each round makes known paths one hop longer.
  for (std::size_t round = 1; round < view.switches.size() && relax_all(matrix, view); ++round) {
  }
  return matrix;
}

}  // namespace weft::subnet
