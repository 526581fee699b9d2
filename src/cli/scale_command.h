// `weft scale`: one training job on clusters of growing size, a line per fabric and size.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/level_option.h"
#include "cli/scenario_options.h"

namespace weft::cli {

struct ScaleText {
  ScenarioText scenario{};
  std::string gpus;                  // "8..1024" or "64,512"
  std::vector<std::string> fabrics;  // families; empty: the scenario's cases, or its own
  LevelText level{};
  std::string extra_latency;
  std::int64_t job_steps = 0;
  std::string json;
  std::int64_t jobs = 0;  // 0: one per core
  bool strong = false;
  bool no_cache = false;
  bool quiet = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_scale_command(CLI::App& app, ScaleText& text, int& exit_status);

}  // namespace weft::cli
