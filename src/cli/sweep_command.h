// `weft sweep`: a scenario over a grid or a sample of values of its keys; what each key does.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/level_option.h"
#include "cli/scenario_options.h"

namespace weft::cli {

struct SweepText {
  ScenarioText scenario{};
  std::vector<std::string> vary;      // "key=a..b:5"
  std::int64_t sample = 0;            // points of a Latin hypercube; 0: a grid
  std::vector<std::string> measures;  // empty: what the scenario is for
  std::string question;               // "best", "ranking", "2%"; empty: none
  std::int64_t seeds = 5;
  std::int64_t most_seeds = 30;
  std::string tolerance = "1%";
  std::string same = "0.5%";
  LevelText level{};
  std::string out = "results";
  std::string json;
  std::string csv;
  std::string report;
  std::int64_t jobs = 0;  // 0: one per core
  bool no_results = false;
  bool no_cache = false;
  bool quiet = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_sweep_command(CLI::App& app, SweepText& text, int& exit_status);

}  // namespace weft::cli
