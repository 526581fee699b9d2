#include "cli/control_command.h"

#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/run_output.h"
#include "cli/terminal.h"
#include "study/run/control_study.h"

namespace weft::cli {
namespace {

int run_control(const ControlText& text) {
  const Result<study::scenario::Scenario> scenario = read_scenario(text.scenario);
  if (!scenario) {
    return complain("control", scenario.error(), kUsageError);
  }
  if (const Result<void> possible = check_text_output(text.json); !possible) {
    return complain("control", possible.error(), kFault);
  }
  const Result<study::run::ControlStudy> study = study::run::study_control(*scenario, [](Time) { return true; });
  if (!study) {
    return complain("control", study.error(), kUsageError);
  }
  if (!text.quiet) {
    std::FILE* const stream = text.json == "-" ? stderr : stdout;
    fmt::print(stream, "{}", study::run::control_text(*study, terminal_columns(stream)));
  }
  if (!text.json.empty()) {
    if (const Result<void> written = write_json(text.json, study::run::control_study_json(*study)); !written) {
      return complain("control", written.error(), kFault);
    }
  }
  return kSuccess;
}

}  // namespace

void add_control_command(CLI::App& app, ControlText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("control", "How switches agree on routes after failures, without traffic");
  add_scenario_options(*command, text.scenario);
  command->add_option("--json", text.json, "Write everything as JSON to this file; - = standard output alone");
  command->add_flag("-q,--quiet", text.quiet, "No table");
  command->footer("Exit status: 0 done, 1 a file cannot be written, 2 wrong input.");
  command->callback([&text, &exit_status] { exit_status = run_control(text); });
}

}  // namespace weft::cli
