#include "subnet/routing/balanced_tables.h"

#include <algorithm>
#include <limits>

namespace weft::subnet {
namespace {

constexpr std::uint32_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

/// A neighbour over which LIDs of one end port go already.
struct UsedNeighbour {
  Guid node;
  Guid system;
  PortNumber peer_port = 0;
  std::uint32_t routes = 0;
};

/// One that leads to a destination with the fewest hops.
struct Candidate {
  PortNumber port = 0;
  std::uint32_t routes = 0;  // through the port, of all LIDs
};

/// The first port with the fewest routes of those that were offered.
struct Fewest {
  PortNumber port = 0;
  std::uint32_t routes = kUnlimited;

  bool offer(const Candidate& candidate) {
    if (candidate.routes >= routes) {
      return false;
    }
    port = candidate.port;
    routes = candidate.routes;
    return true;
  }
};

class SwitchBalancer {
 public:
  /// `held`: what the switch has; null: nothing that counts.
  SwitchBalancer(const RoutingView& view, const HopMatrix& hops, SwitchIndex at, PortChoice choice,
                 const ForwardingTable* held)
      : view_(view),
        hops_(hops),
        at_(at),
        choice_(choice),
        held_(held),
        routes_(view[at].ports.size(), 0),
        used_(view.end_ports.size()) {}

  void route(EndPortIndex destination, std::uint32_t offset, ForwardingTable& table) {
    const EndPort& end = view_[destination];
    if (offset >= end.lids) {
      return;
    }
    const std::size_t lid = end.lid + offset;
    // After kNoRoute the search starts at 256, which is port 256 modulo the number of ports.
    const std::size_t start = offset > 0 && choice_ == PortChoice::kAnyNeighbour ? table[lid - 1] + std::size_t{1} : 1;
    const PortNumber kept = held_ == nullptr ? kNoRoute : (*held_)[lid];
    table[lid] = leads_on(kept, end) ? kept : egress(destination, start);
    if (table[lid] != kNoRoute && !end.is_switch()) {
      ++routes_[table[lid]];
      remember(destination, table[lid]);
    }
  }

 private:
  struct NeighbourName {
    Guid node;
    Guid system;
  };

  [[nodiscard]] NeighbourName neighbour(PortNumber port) const {
    const SwitchPort& link = view_[at_].ports[port];
    if (link.to_switch.is_valid()) {
      return {.node = view_[link.to_switch].guid, .system = view_[link.to_switch].system_guid};
    }
    return {.node = view_[link.to_end_port].node_guid, .system = view_[link.to_end_port].system_guid};
  }

  void remember(EndPortIndex destination, PortNumber port) {
    if (port == 0) {
      return;
    }
    const NeighbourName name = neighbour(port);
    const PortNumber peer_port = view_[at_].ports[port].peer_port;
    for (UsedNeighbour& used : used_[destination.value()]) {
      if (used.node == name.node && (choice_ == PortChoice::kAnyNeighbour || used.peer_port == peer_port)) {
        ++used.routes;
        return;
      }
    }
    used_[destination.value()].push_back(
        {.node = name.node, .system = name.system, .peer_port = peer_port, .routes = 1});
  }

  /// By one of the shortest paths to another switch's end port.
  [[nodiscard]] bool leads_on(PortNumber port, const EndPort& end) const {
    return port != 0 && port < view_[at_].ports.size() && end.at.is_valid() && end.at != at_ &&
           hops_.least(at_, end.at) != kNoPath && view_[at_].ports[port].is_connected() &&
           hops_.through({.from = at_, .to = end.at, .port = port}) == hops_.least(at_, end.at);
  }

  [[nodiscard]] PortNumber egress(EndPortIndex destination, std::size_t start) const {
    const EndPort& end = view_[destination];
    if (!end.at.is_valid()) {
      return kNoRoute;
    }
    if (end.at == at_) {
      return end.is_switch() ? PortNumber{0} : end.switch_port;
    }
    if (hops_.least(at_, end.at) == kNoPath) {
      return kNoRoute;
    }
    const std::vector<Candidate> found = candidates(end.at, start);
    if (found.empty()) {
      return kNoRoute;
    }
    if (view_.lmc == 0) {
      return fewest(found).port;
    }
    return choice_ == PortChoice::kAnyNeighbour ? apart(found, used_[destination.value()])
                                                : spread(found, used_[destination.value()]);
  }

  /// Ports with the fewest hops to a switch, from `start` around.
  [[nodiscard]] std::vector<Candidate> candidates(SwitchIndex to, std::size_t start) const {
    const std::vector<SwitchPort>& ports = view_[at_].ports;
    std::vector<Candidate> found;
    for (std::size_t i = start; i < start + ports.size(); ++i) {
      const PortNumber port = static_cast<PortNumber>(i % ports.size());
      if (port == 0 || !ports[port].is_connected() ||
          hops_.through({.from = at_, .to = to, .port = port}) != hops_.least(at_, to)) {
        continue;
      }
      if (choice_ == PortChoice::kFirstNeighbour && !found.empty() &&
          neighbour(port).node != neighbour(found.front().port).node) {
        continue;
      }
      found.push_back({.port = port, .routes = routes_[port]});
    }
    return found;
  }

  static Fewest fewest(const std::vector<Candidate>& candidates) {
    Fewest best;
    for (const Candidate& candidate : candidates) {
      best.offer(candidate);
    }
    return best;
  }

  /// Where LIDs of the port do not go yet: the best port to another system, else to another node, else the best one.
  [[nodiscard]] PortNumber apart(const std::vector<Candidate>& candidates,
                                 const std::vector<UsedNeighbour>& used) const {
    Fewest other_system;
    Fewest other_node;
    Fewest any;
    std::uint32_t fewest_of_port = kUnlimited;
    for (const Candidate& candidate : candidates) {
      const NeighbourName name = neighbour(candidate.port);
      const UsedNeighbour* known = nullptr;
      if (std::ranges::find(used, name.system, &UsedNeighbour::system) == used.end()) {
        fewest_of_port = other_system.offer(candidate) ? 0 : fewest_of_port;
      } else {
        const auto node = std::ranges::find(used, name.node, &UsedNeighbour::node);
        known = node == used.end() ? nullptr : &*node;
        if (known == nullptr && other_node.offer(candidate)) {
          fewest_of_port = 0;
        }
      }
      prefer(candidate, known, any, fewest_of_port);
    }
    return other_system.port != 0 ? other_system.port : (other_node.port != 0 ? other_node.port : any.port);
  }

  /// The best port; of equal ones that over which the fewest LIDs of the end port go.
  [[nodiscard]] PortNumber spread(const std::vector<Candidate>& candidates,
                                  const std::vector<UsedNeighbour>& used) const {
    static constexpr UsedNeighbour kUnused{};
    Fewest any;
    std::uint32_t fewest_of_port = kUnlimited;
    for (const Candidate& candidate : candidates) {
      const Guid node = neighbour(candidate.port).node;
      const PortNumber peer_port = view_[at_].ports[candidate.port].peer_port;
      const auto known = std::ranges::find_if(
          used, [&](const UsedNeighbour& each) { return each.node == node && each.peer_port == peer_port; });
      prefer(candidate, known == used.end() ? &kUnused : &*known, any, fewest_of_port);
    }
    return any.port;
  }

  static void prefer(const Candidate& candidate, const UsedNeighbour* known, Fewest& any, std::uint32_t& fewest) {
    if (any.offer(candidate)) {
      fewest = known != nullptr ? std::min(fewest, known->routes) : fewest;
    } else if (known != nullptr && candidate.routes == any.routes && known->routes < fewest) {
      fewest = known->routes;
      any.port = candidate.port;
    }
  }

  const RoutingView& view_;
  const HopMatrix& hops_;
  SwitchIndex at_;
  PortChoice choice_;
  const ForwardingTable* held_;
  std::vector<std::uint32_t> routes_;             // per port
  std::vector<std::vector<UsedNeighbour>> used_;  // per end port
};

std::uint32_t adapters_of(const RoutedSwitch& routed) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(routed.ports, [](const SwitchPort& port) { return port.to_end_port.is_valid(); }));
}

}  // namespace

std::vector<EndPortIndex> routing_order(const RoutingView& view) {
  std::vector<SwitchIndex> order;
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    order.push_back(view.switch_at(i));
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](SwitchIndex at) { return adapters_of(view[at]); });
  std::vector<EndPortIndex> ports;
  std::vector<bool> listed(view.end_ports.size(), false);
  for (const SwitchIndex at : order) {
    for (const SwitchPort& port : view[at].ports) {
      if (port.to_end_port.is_valid()) {
        ports.push_back(port.to_end_port);
        listed[port.to_end_port.value()] = true;
      }
    }
  }
  for (std::size_t i = 0; i < view.end_ports.size(); ++i) {
    if (!listed[i]) {
      ports.push_back(EndPortIndex(static_cast<std::uint32_t>(i)));
    }
  }
  return ports;
}

ForwardingTables balanced_tables(const RoutingView& view, const HopMatrix& hops, PortChoice choice,
                                 const ForwardingTables* held) {
  ForwardingTables tables = empty_tables(view);
  const std::vector<EndPortIndex> order = routing_order(view);
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    SwitchBalancer balancer(view, hops, view.switch_at(i), choice, held == nullptr ? nullptr : &(*held)[i]);
    for (std::uint32_t offset = 0; offset < 1U << view.lmc; ++offset) {
      for (const EndPortIndex destination : order) {
        balancer.route(destination, offset, tables[i]);
      }
    }
  }
  return tables;
}

}  // namespace weft::subnet
