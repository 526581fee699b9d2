// `weft run`: a scenario, simulated.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/level_option.h"
#include "cli/scenario_options.h"

namespace weft::cli {

struct RunText {
  ScenarioText scenario{};
  std::string seed;
  std::string until;
  std::string hardware;
  LevelText level{};
  std::string corrections;  // a file; empty: none
  std::string out = "results";
  std::string json;
  std::string csv;
  std::vector<std::string> pcap;  // "leaf0/port3" or "leaf0/port3=file"
  std::string timeline;
  bool all_cases = false;
  bool messages = false;
  bool quiet = false;
  bool force = false;
  bool no_results = false;
  bool no_check = false;
  bool no_cache = false;
  std::int64_t jobs = 0;     // 0: one per core
  std::int64_t threads = 0;  // 0: what cores there are for each run
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_run_command(CLI::App& app, RunText& text, int& exit_status);

}  // namespace weft::cli
