#include "cli/subnet_input.h"

#include <fmt/core.h>

#include "base/file.h"
#include "study/assembly/build_subnet.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/manager_plan.h"
#include "study/assembly/port_partitions.h"
#include "study/scenario/scenario_words.h"
#include "subnet/dumped_lids.h"
#include "subnet/forwarding_dump.h"
#include "subnet/swept_subnet.h"
#include "subnet/topology_file.h"

namespace weft::cli {
namespace {

constexpr ReadLimit kLargestFile{.bytes = std::uint64_t{1} << 30};
constexpr std::int64_t kMostLanes = 15;

/// With the engine of the command line where that of the scenario is not possible on its network.
Result<study::scenario::Scenario> read_for_engine(const SubnetText& text) {
  Result<study::scenario::Scenario> scenario = read_scenario(text.scenario);
  if (scenario || text.engine.empty()) {
    return scenario;
  }
  ScenarioText changed = text.scenario;
  changed.settings.push_back("routing.engine=" + text.engine);
  Result<study::scenario::Scenario> again = read_scenario(changed);
  return again ? std::move(again) : std::move(scenario);
}

/// What a scenario says of it.
EngineChoice engine_of(const study::scenario::Scenario& scenario) {
  const study::scenario::RoutingSettings& routing = scenario.routing;
  if (!study::scenario::has_manager(routing) || routing.engine == study::scenario::RoutingEngine::kFile) {
    return {};
  }
  return {.name = std::string(study::scenario::word_of(routing.engine)),
          .options = {.lanes = static_cast<std::uint32_t>(scenario.devices.infiniband.vls),
                      .nue_lanes = static_cast<std::uint32_t>(routing.nue_lanes)}};
}

/// What the command line says of it.
void override_engine(const SubnetText& text, EngineChoice& engine) {
  engine.name = text.engine.empty() ? engine.name : text.engine;
  if (text.lanes) {
    engine.options.lanes = static_cast<std::uint32_t>(*text.lanes);
  }
  if (text.nue_lanes) {
    engine.options.nue_lanes = static_cast<std::uint32_t>(*text.nue_lanes);
  }
}

Result<ReadSubnet> read_scenario_subnet(const SubnetText& text) {
  Result<study::scenario::Scenario> scenario = read_for_engine(text);
  if (!scenario) {
    return pass_on(scenario);
  }
  Result<fabric::Graph> graph = study::assembly::build_topology(*scenario);
  if (!graph) {
    return pass_on(graph);
  }
  Result<subnet::Subnet> built = study::assembly::build_subnet(*graph);
  if (!built) {
    return pass_on(built);
  }
  Result<subnet::SweepPlan> plan = study::assembly::manager_plan(*scenario, *graph);
  if (!plan) {
    return pass_on(plan);
  }
  return ReadSubnet{.subnet = std::move(*built),
                    .lmc = scenario->routing.lmc,
                    .engine = engine_of(*scenario),
                    .plan = std::move(*plan),
                    .partition_file = study::assembly::reads_partition_file(*scenario) ? scenario->keys.partition_file
                                                                                       : std::string()};
}

Result<ReadSubnet> read_topology_file(const SubnetText& text) {
  if (!text.scenario.case_name.empty() || !text.scenario.settings.empty()) {
    return fail("{}: --case and --set are for scenarios, whose names end in .toml", text.scenario.file);
  }
  const Result<std::string> contents = read_file(text.scenario.file, kLargestFile);
  if (!contents) {
    return tl::unexpected(contents.error());
  }
  Result<subnet::Subnet> parsed = subnet::parse_topology({.text = *contents, .name = text.scenario.file});
  return parsed ? Result<ReadSubnet>(ReadSubnet{.subnet = std::move(*parsed)}) : pass_on(parsed);
}

Result<subnet::PortPlace> find_manager(const SubnetText& text, const subnet::Subnet& subnet) {
  if (text.manager.empty()) {
    return subnet::manager_port(subnet);
  }
  const Result<subnet::NodeIndex> node = subnet::find_node(subnet, text.manager);
  if (!node) {
    return fail("--manager: {}", node.error().message);
  }
  if (subnet[*node].type == subnet::NodeType::kSwitch) {
    return subnet::PortPlace{.node = *node, .port = 0};
  }
  for (std::size_t port = 1; port < subnet[*node].ports.size(); ++port) {
    if (subnet[*node].ports[port].peer) {
      return subnet::PortPlace{.node = *node, .port = static_cast<subnet::PortNumber>(port)};
    }
  }
  return fail("--manager: '{}' has no cable; name a node that has one", text.manager);
}

/// `found` has the nodes of `subnet` that the manager reached, in their order.
std::vector<std::string> nodes_left_out(const subnet::Subnet& subnet, const subnet::Subnet& found) {
  std::vector<std::string> names;
  std::size_t next = 0;
  for (const subnet::Node& node : subnet.nodes) {
    if (next < found.nodes.size() && found.nodes[next].id == node.id && found.nodes[next].guid == node.guid) {
      ++next;
    } else {
      names.push_back(node.description.empty() ? node.id : node.description);
    }
  }
  return names;
}

Result<ManagedSubnet> sweep(const SubnetText& text, const ReadSubnet& read, std::int64_t lmc) {
  const Result<subnet::PortPlace> manager = find_manager(text, read.subnet);
  if (!manager) {
    return tl::unexpected(manager.error());
  }
  Result<subnet::SweptSubnet> swept =
      subnet::sweep(read.subnet, *manager, {.lmc = static_cast<std::uint8_t>(text.lmc.value_or(lmc))});
  if (!swept) {
    return pass_on(swept);
  }
  std::vector<std::string> unreached = nodes_left_out(read.subnet, swept->subnet);
  return ManagedSubnet{.subnet = std::move(swept->subnet),
                       .view = std::move(swept->view),
                       .routes = {},
                       .engine = read.engine,
                       .plan = read.plan,
                       .partition_file = read.partition_file,
                       .source = {},
                       .unreached = std::move(unreached)};
}

/// With the LIDs of the manager that wrote the tables, where they name GUIDs.
Result<ManagedSubnet> read_with_tables(const SubnetText& text, ReadSubnet& read) {
  const Result<std::string> contents = read_file(text.tables, kLargestFile);
  if (!contents) {
    return tl::unexpected(contents.error());
  }
  const subnet::TopologyText source{.text = *contents, .name = text.tables};
  Result<std::optional<std::uint8_t>> named = subnet::adopt_lids(source, read.subnet);
  if (!named) {
    return pass_on(named);
  }
  if (*named && text.lmc && *text.lmc != **named) {
    return fail("--lmc: the ports of {} have an LMC of {}; leave the option out", text.tables, **named);
  }
  Result<ManagedSubnet> made = sweep(text, read, named->value_or(static_cast<std::uint8_t>(read.lmc)));
  if (!made) {
    return made;
  }
  Result<subnet::ForwardingTables> tables = subnet::parse_lfts(source, made->view);
  if (!tables) {
    return pass_on(tables);
  }
  made->routes.routes.tables = std::move(*tables);
  made->lanes_known = false;
  made->source = fmt::format("the tables of {}", text.tables);
  return made;
}

Result<void> route(ManagedSubnet& made) {
  const Result<subnet::EngineKind> kind = subnet::engine_by_name(made.engine.name);
  if (!kind) {
    return fail("--engine: {}", kind.error().message);
  }
  Result<subnet::ManagedRoutes> routes = subnet::route_subnet(made.view, *kind, made.engine.options);
  if (!routes) {
    return pass_on(routes);
  }
  made.routes = std::move(*routes);
  made.source = made.routes.fallback.empty()
                    ? std::string(subnet::engine(made.routes.used).name)
                    : fmt::format("minhop instead of {}: {}", made.engine.name, made.routes.fallback);
  return {};
}

}  // namespace

Result<ReadSubnet> read_topology(const SubnetText& text) {
  Result<ReadSubnet> read =
      text.scenario.file.ends_with(".toml") ? read_scenario_subnet(text) : read_topology_file(text);
  if (read) {
    override_engine(text, read->engine);
  }
  return read;
}

void add_subnet_file_options(CLI::App& app, SubnetText& text) {
  app.add_option("FILE", text.scenario.file, "Scenario (.toml), topology of ibsim (.net) or output of ibnetdiscover")
      ->required();
  app.add_option("--case", text.scenario.case_name, "Name of the [[case]] of a scenario to use");
  app.add_option("--set", text.scenario.settings, "key=value of a scenario; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--catalogue", text.scenario.catalogue,
                 "Folder with entries that are added to the catalogue or replace its own")
      ->envname("WEFT_CATALOGUE");
}

void add_subnet_options(CLI::App& app, SubnetText& text) {
  add_subnet_file_options(app, text);
  app.add_option("--manager", text.manager, "Node of the subnet manager; default: the file's, else the first adapter");
  app.add_option("--lmc", text.lmc, "LMC of adapters: 2^LMC LIDs for each port; default: the scenario's, else 0")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{subnet::kMostLmc}));
  app.add_option("--json", text.json, "Write everything as JSON to this file; - = standard output alone");
  app.add_flag("-q,--quiet", text.quiet, "No text");
}

std::array<CLI::Option*, 3> add_engine_options(CLI::App& app, SubnetText& text) {
  return {app.add_option("--engine", text.engine, "Routing engine; default: the scenario's, else minhop"),
          app.add_option("--lanes", text.lanes, "Virtual lanes for data; default: the scenario's, else 8")
              ->check(CLI::Range(std::int64_t{1}, kMostLanes)),
          app.add_option("--nue-max-num-vls", text.nue_lanes,
                         "Most of them that nue uses; 0 = all; default: the scenario's, else 1")
              ->check(CLI::Range(std::int64_t{0}, kMostLanes))};
}

void add_route_options(CLI::App& app, SubnetText& text) {
  const std::array<CLI::Option*, 3> engine = add_engine_options(app, text);
  CLI::Option* tables =
      app.add_option("--tables", text.tables, "Forwarding tables from this dump of OpenSM instead of an engine's");
  for (CLI::Option* option : engine) {
    tables->excludes(option);
  }
}

Result<ManagedSubnet> read_subnet(const SubnetText& text) {
  Result<ReadSubnet> read = read_topology(text);
  return read ? sweep(text, *read, read->lmc) : pass_on(read);
}

Result<ManagedSubnet> read_routed_subnet(const SubnetText& text) {
  Result<ReadSubnet> read = read_topology(text);
  if (!read) {
    return pass_on(read);
  }
  if (!text.tables.empty()) {
    return read_with_tables(text, *read);
  }
  Result<ManagedSubnet> made = sweep(text, *read, read->lmc);
  if (!made) {
    return made;
  }
  if (Result<void> routed = route(*made); !routed) {
    return pass_on(routed);
  }
  return made;
}

}  // namespace weft::cli
