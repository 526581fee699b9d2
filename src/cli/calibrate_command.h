// `weft calibrate`: corrections of a level of fidelity, from small runs of the level above it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/scenario_options.h"

namespace weft::cli {

struct CalibrateText {
  ScenarioText scenario{};
  std::string out = "corrections.toml";
  bool quiet = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_calibrate_command(CLI::App& app, CalibrateText& text, int& exit_status);

}  // namespace weft::cli
