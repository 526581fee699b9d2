// `weft tune`: the settings with which a scenario does best.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/level_option.h"
#include "cli/scenario_options.h"

namespace weft::cli {

struct TuneText {
  ScenarioText scenario{};
  std::string figure;               // "step", "incast", "fct-p99@victim"; empty: what the scenario is for
  std::vector<std::string> limits;  // "queue-peak=1MB"
  std::vector<std::string> vary;    // "key=a..b"; empty: the catalogue's
  std::int64_t runs = 300;          // of the search
  std::int64_t seeds = 5;           // of the answer
  std::string tolerance = "1%";
  LevelText level{};
  std::string json;
  std::int64_t jobs = 0;  // 0: one per core
  bool no_cache = false;
  bool quiet = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_tune_command(CLI::App& app, TuneText& text, int& exit_status);

}  // namespace weft::cli
