// `weft emit`: the configuration of the devices of a scenario, and which key became which line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/scenario_options.h"

namespace weft::cli {

struct EmitText {
  ScenarioText scenario{};
  std::string syntax;
  std::string device;  // empty: all
  bool all = false;
  std::string out;  // a folder; empty: standard output
  std::string json;
  bool quiet = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_emit_command(CLI::App& app, EmitText& text, int& exit_status);

}  // namespace weft::cli
