// `weft plan SCENARIO`: what to build for a job, within a budget, a power and a deadline.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/scenario_options.h"

namespace weft::cli {

struct PlanText {
  ScenarioText scenario;
  std::string budget;     // "20M USD"
  std::string power;      // "800 kW"
  std::string deadline;   // "30 d"
  std::string tokens;     // "2T"
  std::int64_t grow = 0;  // GPUs; 0: none
  std::vector<std::string> networks;
  std::vector<std::string> switches;
  std::vector<std::string> nics;
  std::vector<std::string> shapes;
  std::vector<std::string> oversubscriptions;
  std::vector<std::int64_t> rails;
  std::vector<std::int64_t> planes;
  std::vector<std::int64_t> tors;
  std::vector<std::int64_t> breakouts;
  std::vector<std::int64_t> spares;
  std::vector<std::int64_t> domains;
  std::int64_t designs = 12;
  std::int64_t finalists = 3;
  std::int64_t iterations = 6;
  std::int64_t seeds = 3;
  std::int64_t mistakes = 4;
  bool no_failures = false;
  bool no_pruning = false;
  std::string write;
  std::string cabling;
  std::string json;
  std::string csv;
  bool no_cache = false;
  std::int64_t jobs = 0;
  bool quiet = false;
};

/// Parsing writes into `text` and, after the subcommand has run, into `exit_status`. Both must outlive the parsing.
void add_plan_command(CLI::App& app, PlanText& text, int& exit_status);

}  // namespace weft::cli
