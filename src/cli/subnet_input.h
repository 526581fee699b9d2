// What `weft subnet` works on: a subnet from a file, with LIDs, as its manager routes it.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/scenario_options.h"
#include "subnet/manager/sweep_study.h"
#include "subnet/routing/engine.h"

namespace weft::cli {

/// Of `weft subnet sweep`; an empty duration is the scenario's, else the default.
struct SubnetSweepText {
  std::vector<std::string> failures;
  std::string fail_interval;  // empty: each failure when the one before has been dealt with
  std::string later;          // a node, where another manager starts when the first is done; empty: none
  std::int64_t later_priority = 1;
  bool qos = false;
  std::optional<std::int64_t> smps{};  // none, here and below: as with empty durations
  std::optional<std::int64_t> retries{};
  std::optional<std::int64_t> buffer{};
  std::string timeout;
  std::string sweep_interval;
  std::string agent_time;  // of all, unless
  std::string switch_sma_time;
  std::string hca_sma_time;
  std::string pass_time;
  std::string forward_time;
  std::string cable_time;
  std::string signal_time;
  std::string mad_time;
  std::string entry_time;
};

struct SubnetText {
  ScenarioText scenario{};                  // its file may also be a topology
  std::string manager;                      // a node; empty: as the file says
  std::string engine;                       // empty: the scenario's, else minhop
  std::optional<std::int64_t> lmc{};        // none: the scenario's, else 0; with `tables` theirs
  std::optional<std::int64_t> lanes{};      // likewise, else 8
  std::optional<std::int64_t> nue_lanes{};  // likewise, else 1
  std::string tables;                       // a dump of forwarding tables; empty: the engine's
  std::string from;
  std::string to;
  std::string conf;                 // a partitions.conf
  std::vector<std::string> groups;  // of multicast: "NAME=NODE,NODE,..."
  std::string write_groups;         // where multicast tables go
  std::string write;
  SubnetSweepText sweep{};
  std::string server;    // the name under which a subnet is served
  std::string counters;  // results of a run; empty: ports have counted nothing
  std::string csv;
  std::string json;
  bool quiet = false;
};

/// FILE and what says how to read it, written into `text` while `app` parses.
void add_subnet_file_options(CLI::App& app, SubnetText& text);
/// The options of parts that show a subnet, with those.
void add_subnet_options(CLI::App& app, SubnetText& text);
/// Of an engine and its lanes.
std::array<CLI::Option*, 3> add_engine_options(CLI::App& app, SubnetText& text);
/// Those of parts that route: with tables in the place of an engine.
void add_route_options(CLI::App& app, SubnetText& text);

/// An engine with its options: by the command line, else by the scenario, else OpenSM's own.
struct EngineChoice {
  std::string name = "minhop";
  subnet::EngineOptions options{};
};
/// The subnet of the file alone, a scenario if its name ends in ".toml", and what routes it.
struct ReadSubnet {
  subnet::Subnet subnet;
  std::int64_t lmc = 0;
  EngineChoice engine{};
  subnet::SweepPlan plan{};      // of a scenario's manager; of a topology file the defaults
  std::string partition_file{};  // of a scenario; empty: it has none
};
[[nodiscard]] Result<ReadSubnet> read_topology(const SubnetText& text);

struct ManagedSubnet {
  subnet::Subnet subnet;
  subnet::RoutingView view;
  subnet::ManagedRoutes routes;
  EngineChoice engine{};     // that makes them, unless they are read from a dump
  subnet::SweepPlan plan{};  // of the manager, but for its port, its engine and LMC, and failures
  std::string partition_file{};
  std::string source;  // what the routes are of: "updn", "minhop instead of ...", "the tables of FILE"; empty: none
  bool lanes_known = true;               // a dump of forwarding tables does not say them
  std::vector<std::string> unreached{};  // nodes of the file that no cable joins to the manager
};

/// Reads the file, a scenario if its name ends in ".toml", and assigns LIDs. Errors are for the user, with their place.
[[nodiscard]] Result<ManagedSubnet> read_subnet(const SubnetText& text);
/// The same, and routes or reads tables.
[[nodiscard]] Result<ManagedSubnet> read_routed_subnet(const SubnetText& text);

}  // namespace weft::cli
