// `weft control`: how the switches of a scenario agree on routes after its link events, without any traffic.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/scenario_options.h"

namespace weft::cli {

struct ControlText {
  ScenarioText scenario{};
  std::string json;
  bool quiet = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_control_command(CLI::App& app, ControlText& text, int& exit_status);

}  // namespace weft::cli
