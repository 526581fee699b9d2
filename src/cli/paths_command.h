// `weft paths`: where a scenario's flows go by the hashes of its switches, before any run.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/scenario_options.h"

namespace weft::cli {

struct PathsText {
  ScenarioText scenario{};
  std::int64_t seeds = 100;
  std::string function;             // empty: all
  std::vector<std::string> fields;  // empty: the scenario's
  std::string at;                   // empty: the beginning
  std::vector<std::string> without_links;
  std::string json;
  std::string csv;
  std::string report;
  bool quiet = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_paths_command(CLI::App& app, PathsText& text, int& exit_status);

}  // namespace weft::cli
