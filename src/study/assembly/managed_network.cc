#include "study/assembly/managed_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/file.h"
#include "fabric/routing/forwarding_table.h"
#include "fabric/routing/routes.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_words.h"
#include "study/world/world.h"
#include "subnet/dumped_lids.h"
#include "subnet/forwarding_dump.h"
#include "subnet/route_report.h"
#include "subnet/routing/engine.h"

namespace weft::study::assembly {
namespace {

constexpr ReadLimit kLargestDump{.bytes = std::uint64_t{1} << 30};

/// Of pairs of LIDs that no packet has: those of one path have the same offset.
constexpr std::uint8_t kNoLane = 255;

void cut(subnet::Subnet& subnet, subnet::PortPlace place) {
  if (place.node.is_valid()) {
    subnet.port(place).peer.reset();
  }
}

/// The first lane whose buffers can wait for each other; null: none.
const subnet::LaneReport* blocking_lane(const subnet::RouteReport& report) {
  const auto found = std::ranges::find_if(
      report.lanes, [](const subnet::LaneReport& lane) { return lane.lane != kNoLane && !lane.cycle.empty(); });
  return found == report.lanes.end() ? nullptr : &*found;
}

}  // namespace

/// One making of all tables.
class ManagedNetwork::Maker {
 public:
  /// `outage` and `first` are of route_without(), else null.
  Maker(ManagedNetwork& network, const Outage* outage, const SubnetRoutes* first)
      : network_(network),
        scenario_(network.scenario_),
        graph_(network.graph_),
        lmc_(network.lmc_),
        outage_(outage),
        first_(first) {
    made_.routes.tables =
        fabric::LinearTables({.switches = graph_.switches(), .endpoints = graph_.endpoints, .lid_mask_control = lmc_});
    if (scenario::assigns_lanes(scenario_.routing)) {
      made_.routes.levels = first == nullptr ? fabric::PathLevels(graph_.endpoints, lmc_) : first->levels;
    }
  }

  Result<ManagedTables> make() {
    const bool of_file = scenario_.routing.engine == scenario::RoutingEngine::kFile;
    if (Result<void> done = of_file ? take_file() : run_engine(); !done) {
      return pass_on(done);
    }
    add_reducers();
    return std::move(made_);
  }

 private:
  template <class... Args>
  tl::unexpected<Error> fail_with(const char* key, fmt::format_string<Args...> format, Args&&... args) const {
    const std::string message = fmt::format(format, std::forward<Args>(args)...);
    return outage_ == nullptr
               ? scenario::fail_at(scenario_, key, "{}", message)
               : scenario::fail_at(scenario_, key, "when the manager has swept at {}, without {} cable{}: {}",
                                   outage_->learned.since_start(), outage_->down.size(),
                                   outage_->down.size() == 1 ? "" : "s", message);
  }

  /// Calls take(swept) for each subnet that the network consists of. `lmc` is of adapters.
  template <class Take>
  Result<void> for_each_subnet(std::uint8_t lmc, const Take& take) {
    PlacedSubnet left = network_.placed_;
    if (outage_ != nullptr) {
      for (const fabric::LinkIndex link : outage_->down) {
        cut(left.subnet, place_of(graph_.links[link.value()].a, graph_, left.places));
        cut(left.subnet, place_of(graph_.links[link.value()].b, graph_, left.places));
      }
    }
    const Result<std::vector<subnet::SweptSubnet>> subnets = swept_subnets(left, graph_, lmc);
    if (!subnets) {
      return fail_with("routing.engine", "{}", subnets.error().message);
    }
    for (const subnet::SweptSubnet& swept : *subnets) {
      if (outage_ == nullptr) {
        network_.keep_lids(swept);
      }
      if (Result<void> taken = take(swept); !taken) {
        return taken;
      }
    }
    return {};
  }

  Result<void> run_engine() {
    const std::string_view word = scenario::word_of(scenario_.routing.engine);
    const Result<subnet::EngineKind> kind = subnet::engine_by_name(word);
    WEFT_ASSERT(kind.has_value());
    subnet::EngineOptions options{.lanes = static_cast<std::uint32_t>(scenario_.devices.infiniband.vls),
                                  .nue_lanes = static_cast<std::uint32_t>(scenario_.routing.nue_lanes)};
    return for_each_subnet(lmc_, [&](const subnet::SweptSubnet& swept) -> Result<void> {
      if (swept.view.switches.empty()) {
        return {};
      }
      subnet::ForwardingTables held;
      if (outage_ != nullptr && outage_->held != nullptr) {
        held = held_by(swept.view, *outage_->held);
        options.held = &held;
      }
      Result<subnet::ManagedRoutes> made = subnet::route_subnet(swept.view, *kind, options);
      if (!made) {
        return fail_with("routing.engine", "{}", made.error().message);
      }
      if (!made->fallback.empty() && outage_ == nullptr) {
        return fail_with(
            "routing.engine", "{} cannot route this network, and OpenSM would take minhop in its place: {}{}", word,
            made->fallback,
            scenario::assigns_lanes(scenario_.routing) ? "; infiniband.vls says how many lanes there are" : "");
      }
      if (!made->fallback.empty()) {
        made_.fallback = std::move(made->fallback);
      }
      return take_routes(swept, made->routes, "routing.engine");
    });
  }

  Result<void> take_file() {
    WEFT_ASSERT(outage_ == nullptr);
    const std::string& name = scenario_.routing.tables;
    const Result<std::string> text = read_file(name, kLargestDump);
    if (!text) {
      return fail_with("routing.tables", "{}", text.error().message);
    }
    const subnet::TopologyText source{.text = *text, .name = name};
    const Result<std::optional<std::uint8_t>> own = subnet::adopt_lids(source, network_.placed_.subnet);
    if (!own) {
      return fail_with("routing.tables", "{}", own.error().message);
    }
    const std::uint8_t lmc = own->value_or(lmc_);
    if (lmc < lmc_) {
      return fail_with("routing.tables", "{}: ports have {} LIDs each there, and routing.lmc = {} asks for {}", name,
                       1U << lmc, lmc_, 1U << lmc_);
    }
    std::size_t subnets = 0;
    return for_each_subnet(lmc, [&](const subnet::SweptSubnet& swept) -> Result<void> {
      if (subnets++ > 0) {
        return fail_with("routing.tables",
                         "the network is several subnets that no cable joins, and a file has the tables of one; "
                         "use another routing.engine");
      }
      Result<subnet::ForwardingTables> tables = subnet::parse_lfts(source, swept.view);
      if (!tables) {
        return fail_with("routing.tables", "{}", tables.error().message);
      }
      return take_routes(swept, {.tables = std::move(*tables), .plan = {}}, "routing.tables");
    });
  }

  [[nodiscard]] std::uint32_t ordinal_of(const subnet::RoutedSwitch& node) const {
    return network_.node_of_.at(node.guid.value).value() - graph_.endpoints;
  }

  /// Entries of adapters; those of switches do not count for balance.
  [[nodiscard]] subnet::ForwardingTables held_by(const subnet::RoutingView& view,
                                                 const fabric::LinearTables& tables) const {
    subnet::ForwardingTables held = subnet::empty_tables(view);
    for (std::size_t i = 0; i < held.size(); ++i) {
      for (const subnet::EndPort& end : view.end_ports) {
        for (std::uint32_t offset = 0; !end.is_switch() && offset < 1U << lmc_; ++offset) {
          const fabric::NextHops hop =
              tables.next_hop(ordinal_of(view.switches[i]), {.destination = endpoint_of(end), .offset = offset});
          held[i][end.lid + offset] = hop.empty() ? subnet::kNoRoute : static_cast<subnet::PortNumber>(hop[0] + 1);
        }
      }
    }
    return held;
  }

  Result<void> take_routes(const subnet::SweptSubnet& swept, const subnet::Routes& routes, const char* key) {
    if (Result<void> right = check(swept, routes, key); !right) {
      return right;
    }
    for (std::size_t i = 0; i < swept.view.switches.size(); ++i) {
      const std::uint32_t ordinal = ordinal_of(swept.view.switches[i]);
      for (const subnet::EndPort& end : swept.view.end_ports) {
        if (!end.is_switch()) {
          set_entries(ordinal, end, routes.tables[i]);
        }
      }
    }
    if (!made_.routes.levels.empty()) {
      set_levels(swept.view, routes.plan);
    }
    return {};
  }

  [[nodiscard]] EndpointId endpoint_of(const subnet::EndPort& end) const {
    return EndpointId(network_.node_of_.at(end.guid.value).value());
  }

  void set_entries(std::uint32_t ordinal, const subnet::EndPort& end, const subnet::ForwardingTable& table) {
    const EndpointId endpoint = endpoint_of(end);
    for (std::uint32_t offset = 0; offset < 1U << lmc_; ++offset) {
      if (const subnet::PortNumber port = table[end.lid + offset]; port != subnet::kNoRoute && port != 0) {
        made_.routes.tables.set(ordinal, {.destination = endpoint, .offset = offset},
                                static_cast<std::uint16_t>(port - 1));
      }
    }
  }

  /// Calls visit(path, from, to) for each path between adapters, with its LIDs.
  template <class Visit>
  void for_each_path(const subnet::RoutingView& view, const Visit& visit) const {
    for (const subnet::EndPort& from : view.end_ports) {
      for (const subnet::EndPort& to : view.end_ports) {
        if (from.is_switch() || to.is_switch()) {
          continue;
        }
        for (std::uint32_t offset = 0; offset < 1U << lmc_; ++offset) {
          visit(fabric::PathLevels::Path{.source = endpoint_of(from), .destination = endpoint_of(to), .offset = offset},
                static_cast<subnet::Lid>(from.lid + offset), static_cast<subnet::Lid>(to.lid + offset));
        }
      }
    }
  }

  void set_levels(const subnet::RoutingView& view, const subnet::LanePlan& plan) {
    for_each_path(view, [&](const fabric::PathLevels::Path& path, subnet::Lid from, subnet::Lid to) {
      made_.routes.levels.set(path, plan.lane(from, to));
    });
  }

  /// The lanes of queue pairs that were connected before any cable failed.
  [[nodiscard]] subnet::LanePlan first_lanes(const subnet::RoutingView& view) const {
    subnet::LanePlan plan{.lanes = {}, .lids = view.by_lid.size()};
    plan.lanes.assign(plan.lids * plan.lids, kNoLane);
    for_each_path(view, [&](const fabric::PathLevels::Path& path, subnet::Lid from, subnet::Lid to) {
      plan.lanes[from * plan.lids + to] = first_->levels.of(path);
    });
    return plan;
  }

  [[nodiscard]] std::string name_of(const subnet::RoutingView& view, subnet::Lid lid) const {
    return fmt::format("{} (LID {})", graph_[network_.node_of_.at(view[view.by_lid[lid]].guid.value)].name, lid);
  }

  /// All NIC ports reach one another, in what is left of the network as far as the engine has paths.
  Result<void> check(const subnet::SweptSubnet& swept, const subnet::Routes& routes, const char* key) {
    subnet::RouteReport report = subnet::report_routes(swept.view, routes);
    if (report.first_broken && (outage_ == nullptr || report.looping > 0)) {
      const auto& first = outage_ == nullptr ? report.first_broken : report.first_looping;
      const auto traced = subnet::trace_route(swept.view, routes.tables, *first);
      WEFT_ASSERT(!traced);
      return fail_with(key, "{} of {} paths {}; the first is from {} to {}: {}",
                       outage_ == nullptr ? report.broken : report.looping, report.broken + report.routes,
                       outage_ == nullptr ? "lead nowhere" : "go round in a loop", name_of(swept.view, first->from),
                       name_of(swept.view, first->to), traced.error().message);
    }
    constexpr std::uint32_t kMost = world::kMaxHops - 2;  // with the cables of both ends
    if (report.longest > kMost) {
      return fail_with(key, "a path has {} cables between switches; at most {}", report.longest, kMost);
    }
    made_.paths += report.routes;
    if (first_ != nullptr && !first_->levels.empty()) {
      report = subnet::report_routes(swept.view, {.tables = routes.tables, .plan = first_lanes(swept.view)});
    }
    if (const subnet::LaneReport* lane = blocking_lane(report); lane != nullptr && !made_.can_block) {
      made_.can_block = true;
      std::ranges::transform(lane->cycle, std::back_inserter(made_.cycle),
                             [&](const subnet::Egress& egress) { return cable_at(swept.view, egress); });
    }
    return {};
  }

  /// "s0 [3] > [4] s1".
  [[nodiscard]] std::string cable_at(const subnet::RoutingView& view, const subnet::Egress& egress) const {
    const fabric::LinkEnd from{.node = network_.node_of_.at(view[egress.at].guid.value),
                               .port = static_cast<std::uint16_t>(egress.port - 1)};
    for (const fabric::Link& link : graph_.links) {
      if (link.a == from || link.b == from) {
        const fabric::LinkEnd& to = link.a == from ? link.b : link.a;
        return fmt::format("{} [{}] > [{}] {}", graph_[from.node].name, egress.port, to.port + 1, graph_[to.node].name);
      }
    }
    return fmt::format("{} [{}]", graph_[from.node].name, egress.port);
  }

  void add_reducers() {
    if (graph_.reducer_ports == 0) {
      return;
    }
    fabric::Routes routes(graph_);
    if (outage_ != nullptr) {
      for (const fabric::LinkIndex link : outage_->down) {
        routes.set_link(link, fabric::LinkState::kDown);
      }
      routes.recompute();
    }
    const fabric::ForwardingTable rule(graph_);
    for (std::uint32_t ordinal = 0; ordinal < graph_.switches(); ++ordinal) {
      for (std::uint32_t i = graph_.host_endpoints(); i < graph_.endpoints; ++i) {
        const fabric::NextHops hops = routes.next_hops(ordinal, EndpointId(i));
        for (std::uint32_t offset = 0; !hops.empty() && offset < 1U << lmc_; ++offset) {
          const fabric::ForwardingTable::Target lid{.destination = EndpointId(i), .offset = offset};
          made_.routes.tables.set(ordinal, lid, rule.choose(ordinal, lid, hops));
        }
      }
    }
  }

  ManagedNetwork& network_;
  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  std::uint8_t lmc_;
  const Outage* outage_;
  const SubnetRoutes* first_;
  ManagedTables made_;
};

ManagedNetwork::ManagedNetwork(const scenario::Scenario& scenario, const fabric::Graph& graph)
    : scenario_(scenario), graph_(graph), lmc_(static_cast<std::uint8_t>(scenario.routing.lmc)) {
  WEFT_ASSERT(scenario::has_manager(scenario.routing));
}

Result<ManagedTables> ManagedNetwork::route() {
  Result<PlacedSubnet> placed = place_subnet(graph_);
  if (!placed) {
    return scenario::fail_at(scenario_, "routing.engine", "{}", placed.error().message);
  }
  placed_ = std::move(*placed);
  find_nodes();
  return Maker(*this, nullptr, nullptr).make();
}

Result<ManagedTables> ManagedNetwork::route_without(const Outage& outage, const SubnetRoutes& first) {
  WEFT_ASSERT(!node_of_.empty() && scenario_.routing.engine != scenario::RoutingEngine::kFile);
  return Maker(*this, &outage, &first).make();
}

// Names survive in GUIDs where the manager sorts and leaves out nodes.
void ManagedNetwork::find_nodes() {
  for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
    if (placed_.places[i].node.is_valid()) {
      const std::uint64_t guid = placed_.subnet.port(placed_.places[i]).guid.value;
      node_of_[guid] = fabric::NodeIndex(i);
    }
  }
}

// A manager that sweeps again leaves ports the LIDs that they have, and those of ports that are gone to nobody.
void ManagedNetwork::keep_lids(const subnet::SweptSubnet& swept) {
  for (const subnet::EndPort& end : swept.view.end_ports) {
    subnet::Port& port = placed_.subnet.port(placed_.places[node_of_.at(end.guid.value).value()]);
    port.lid = end.lid;
    port.lmc = swept.subnet.port(end.place).lmc;
  }
}

}  // namespace weft::study::assembly
