// `weft show`: a scenario resolved, every value with its source; or the bill of materials of its network,
// what its settings come to, or what the memory of a run goes to.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/scenario_options.h"

namespace weft::cli {

struct ShowText {
  ScenarioText scenario{};
  bool json = false;
  bool bill = false;
  bool tuning = false;
  bool memory = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_show_command(CLI::App& app, ShowText& text, int& exit_status);

}  // namespace weft::cli
