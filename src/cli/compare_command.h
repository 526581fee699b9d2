// `weft compare`: one job on every fabric.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/level_option.h"
#include "cli/scenario_options.h"

namespace weft::cli {

struct CompareText {
  ScenarioText scenario;
  std::vector<std::string> fabrics;
  std::vector<std::string> routing;  // schemes of load balancing; empty: as each fabric has it
  std::string hardware;
  LevelText level{};
  std::string weights = "money";
  std::int64_t seeds = 3;
  std::int64_t jobs = 0;
  std::vector<std::int64_t> sizes;
  bool quick = false;
  bool failures = false;
  bool no_risk = false;
  bool no_explain = false;
  bool no_cache = false;
  std::string out = "results";
  std::string json;
  std::string report;
  bool quiet = false;
};

void add_compare_command(CLI::App& app, CompareText& text, int& exit_status);

}  // namespace weft::cli
