#include "study/assembly/subnet_routes.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/file.h"
#include "fabric/routing/forwarding_table.h"
#include "fabric/routing/routes.h"
#include "study/assembly/build_subnet.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_words.h"
#include "study/world/world.h"
#include "subnet/dumped_lids.h"
#include "subnet/forwarding_dump.h"
#include "subnet/route_report.h"
#include "subnet/routing/engine.h"
#include "subnet/swept_subnet.h"

namespace weft::study::assembly {
namespace {

constexpr ReadLimit kLargestDump{.bytes = std::uint64_t{1} << 30};

class ManagedNetwork {
 public:
  ManagedNetwork(const scenario::Scenario& scenario, const fabric::Graph& graph)
      : scenario_(scenario), graph_(graph), lmc_(static_cast<std::uint8_t>(scenario.routing.lmc)) {}

  Result<SubnetRoutes> route() {
    Result<PlacedSubnet> placed = place_subnet(graph_);
    if (!placed) {
      return scenario::fail_at(scenario_, "routing.engine", "{}", placed.error().message);
    }
    placed_ = std::move(*placed);
    find_nodes();
    made_.tables =
        fabric::LinearTables({.switches = graph_.switches(), .endpoints = graph_.endpoints, .lid_mask_control = lmc_});
    if (scenario::assigns_lanes(scenario_.routing)) {
      made_.levels = fabric::PathLevels(graph_.endpoints, lmc_);
    }
    const bool of_file = scenario_.routing.engine == scenario::RoutingEngine::kFile;
    if (Result<void> done = of_file ? take_file() : run_engine(); !done) {
      return pass_on(done);
    }
    add_reducers();
    return std::move(made_);
  }

 private:
  /// Names survive in GUIDs where the manager sorts and leaves out nodes.
  void find_nodes() {
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (placed_.places[i].node.is_valid()) {
        node_of_[placed_.subnet.port(placed_.places[i]).guid.value] = fabric::NodeIndex(i);
      }
    }
  }

  /// Calls take(swept) for each subnet that the network consists of. `lmc` is of adapters.
  template <class Take>
  Result<void> for_each_subnet(std::uint8_t lmc, const Take& take) {
    const Result<std::vector<subnet::SweptSubnet>> subnets = swept_subnets(placed_, graph_, lmc);
    if (!subnets) {
      return scenario::fail_at(scenario_, "routing.engine", "{}", subnets.error().message);
    }
    for (const subnet::SweptSubnet& swept : *subnets) {
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
    const subnet::EngineOptions options{.lanes = static_cast<std::uint32_t>(scenario_.devices.infiniband.vls),
                                        .nue_lanes = static_cast<std::uint32_t>(scenario_.routing.nue_lanes)};
    return for_each_subnet(lmc_, [&](const subnet::SweptSubnet& swept) -> Result<void> {
      if (swept.view.switches.empty()) {
        return {};
      }
      const Result<subnet::ManagedRoutes> made = subnet::route_subnet(swept.view, *kind, options);
      if (!made) {
        return scenario::fail_at(scenario_, "routing.engine", "{}", made.error().message);
      }
      if (!made->fallback.empty()) {
        return scenario::fail_at(
            scenario_, "routing.engine",
            "{} cannot route this network, and OpenSM would take minhop in its place: {}{}", word, made->fallback,
            scenario::assigns_lanes(scenario_.routing) ? "; infiniband.vls says how many lanes there are" : "");
      }
      return take_routes(swept, made->routes, "routing.engine");
    });
  }

  Result<void> take_file() {
    const std::string& name = scenario_.routing.tables;
    const Result<std::string> text = read_file(name, kLargestDump);
    if (!text) {
      return scenario::fail_at(scenario_, "routing.tables", "{}", text.error().message);
    }
    const subnet::TopologyText source{.text = *text, .name = name};
    const Result<std::optional<std::uint8_t>> own = subnet::adopt_lids(source, placed_.subnet);
    if (!own) {
      return scenario::fail_at(scenario_, "routing.tables", "{}", own.error().message);
    }
    const std::uint8_t lmc = own->value_or(lmc_);
    if (lmc < lmc_) {
      return scenario::fail_at(scenario_, "routing.tables",
                               "{}: ports have {} LIDs each there, and routing.lmc = {} asks for {}", name, 1U << lmc,
                               lmc_, 1U << lmc_);
    }
    std::size_t subnets = 0;
    return for_each_subnet(lmc, [&](const subnet::SweptSubnet& swept) -> Result<void> {
      if (subnets++ > 0) {
        return scenario::fail_at(
            scenario_, "routing.tables",
            "the network is several subnets that no cable joins, and a file has the tables of one; "
            "use another routing.engine");
      }
      Result<subnet::ForwardingTables> tables = subnet::parse_lfts(source, swept.view);
      if (!tables) {
        return scenario::fail_at(scenario_, "routing.tables", "{}", tables.error().message);
      }
      return take_routes(swept, {.tables = std::move(*tables), .plan = {}}, "routing.tables");
    });
  }

  Result<void> take_routes(const subnet::SweptSubnet& swept, const subnet::Routes& routes, const char* key) {
    if (Result<void> right = check(swept, routes, key); !right) {
      return right;
    }
    for (std::size_t i = 0; i < swept.view.switches.size(); ++i) {
      const std::uint32_t ordinal = node_of_.at(swept.view.switches[i].guid.value).value() - graph_.endpoints;
      for (const subnet::EndPort& end : swept.view.end_ports) {
        if (!end.is_switch()) {
          set_entries(ordinal, end, routes.tables[i]);
        }
      }
    }
    if (!made_.levels.empty()) {
      set_levels(swept.view, routes.plan);
    }
    return {};
  }

  void set_entries(std::uint32_t ordinal, const subnet::EndPort& end, const subnet::ForwardingTable& table) {
    const EndpointId endpoint(node_of_.at(end.guid.value).value());
    for (std::uint32_t offset = 0; offset < 1U << lmc_; ++offset) {
      if (const subnet::PortNumber port = table[end.lid + offset]; port != subnet::kNoRoute && port != 0) {
        made_.tables.set(ordinal, {.destination = endpoint, .offset = offset}, static_cast<std::uint16_t>(port - 1));
      }
    }
  }

  void set_levels(const subnet::RoutingView& view, const subnet::LanePlan& plan) {
    for (const subnet::EndPort& from : view.end_ports) {
      for (const subnet::EndPort& to : view.end_ports) {
        if (from.is_switch() || to.is_switch()) {
          continue;
        }
        for (std::uint32_t offset = 0; offset < 1U << lmc_; ++offset) {
          made_.levels.set(
              {.source = EndpointId(node_of_.at(from.guid.value).value()),
               .destination = EndpointId(node_of_.at(to.guid.value).value()),
               .offset = offset},
              plan.lane(static_cast<subnet::Lid>(from.lid + offset), static_cast<subnet::Lid>(to.lid + offset)));
        }
      }
    }
  }

  [[nodiscard]] std::string name_of(const subnet::RoutingView& view, subnet::Lid lid) const {
    return fmt::format("{} (LID {})", graph_[node_of_.at(view[view.by_lid[lid]].guid.value)].name, lid);
  }

  /// All NIC ports reach one another.
  Result<void> check(const subnet::SweptSubnet& swept, const subnet::Routes& routes, const char* key) const {
    const subnet::RouteReport report = subnet::report_routes(swept.view, routes);
    if (report.first_broken) {
      const auto traced = subnet::trace_route(swept.view, routes.tables, *report.first_broken);
      WEFT_ASSERT(!traced);
      return scenario::fail_at(scenario_, key, "{} of {} paths lead nowhere; the first is from {} to {}: {}",
                               report.broken, report.broken + report.routes,
                               name_of(swept.view, report.first_broken->from),
                               name_of(swept.view, report.first_broken->to), traced.error().message);
    }
    constexpr std::uint32_t kMost = world::kMaxHops - 2;  // with the cables of both ends
    if (report.longest > kMost) {
      return scenario::fail_at(scenario_, key, "a path has {} cables between switches; at most {}", report.longest,
                               kMost);
    }
    return {};
  }

  void add_reducers() {
    if (graph_.reducer_ports == 0) {
      return;
    }
    const fabric::Routes routes(graph_);
    const fabric::ForwardingTable rule(graph_);
    for (std::uint32_t ordinal = 0; ordinal < graph_.switches(); ++ordinal) {
      for (std::uint32_t i = graph_.host_endpoints(); i < graph_.endpoints; ++i) {
        const fabric::NextHops hops = routes.next_hops(ordinal, EndpointId(i));
        for (std::uint32_t offset = 0; !hops.empty() && offset < 1U << lmc_; ++offset) {
          const fabric::ForwardingTable::Target lid{.destination = EndpointId(i), .offset = offset};
          made_.tables.set(ordinal, lid, rule.choose(ordinal, lid, hops));
        }
      }
    }
  }

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  std::uint8_t lmc_;
  PlacedSubnet placed_;
  std::map<std::uint64_t, fabric::NodeIndex> node_of_;  // by the GUID of a NIC port or a switch
  SubnetRoutes made_;
};

}  // namespace

Result<SubnetRoutes> subnet_routes(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  WEFT_ASSERT(scenario::has_manager(scenario.routing));
  return ManagedNetwork(scenario, graph).route();
}

}  // namespace weft::study::assembly
