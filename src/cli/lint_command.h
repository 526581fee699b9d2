// `weft lint`: what configurations of devices contradict: each other, a plan, or physics.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/scenario_options.h"

namespace weft::cli {

struct LintText {
  std::vector<std::string> files;
  ScenarioText plan{};  // its file empty: none
  bool cost = false;
  std::int64_t seeds = 3;
  std::string json;
  bool quiet = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_lint_command(CLI::App& app, LintText& text, int& exit_status);

}  // namespace weft::cli
