// `weft failures`: what failures do to a job on each network, and the goodput of a month among them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/scenario_options.h"

namespace weft::cli {

struct FailuresText {
  ScenarioText scenario{};
  std::vector<std::string> fabrics;
  std::int64_t months = 400;
  std::int64_t jobs = 0;
  bool no_variants = false;
  bool ring_only = false;
  std::string json;
  std::string report;
  std::string csv;
  bool quiet = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_failures_command(CLI::App& app, FailuresText& text, int& exit_status);

}  // namespace weft::cli
