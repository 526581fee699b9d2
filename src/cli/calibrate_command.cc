#include "cli/calibrate_command.h"

#include <fmt/core.h>

#include <cstdio>

#include "base/file.h"
#include "base/printable.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/run_interrupt.h"
#include "study/run/flow_calibration.h"
#include "study/run/flow_corrections_file.h"

namespace weft::cli {
namespace {

using study::run::CalibrationWorld;
using study::run::FittedCorrection;
using study::run::FittedValue;

void print_fit(const FittedCorrection& fit) {
  fmt::print("{}: {}; error of single messages (root mean square of the logarithm) {:.3f} before, {:.3f} after\n",
             fit.what, fit.kept ? "corrected" : "left out, for it would gain nothing", fit.before, fit.after);
  for (const FittedValue& value : fit.values) {
    fmt::print("  {:<14} {:.6g} (as good: {:.6g} to {:.6g})\n", value.name, value.value, value.low, value.high);
  }
  fmt::print("  {:<36} {:>12} {:>9} {:>9}\n", "runs with packets (geometric means)", "packets", "before", "after");
  for (const CalibrationWorld& world : fit.worlds) {
    fmt::print("  {:<36} {:>9.3f} us {:>+7.1f} % {:>+7.1f} %\n", world.name, world.packets * 1e6,
               100 * (world.before / world.packets - 1), 100 * (world.after / world.packets - 1));
  }
}

int calibrate(const CalibrateText& text) {
  const Result<study::scenario::Scenario> scenario = read_scenario(text.scenario);
  if (!scenario) {
    return complain("calibrate", scenario.error(), kUsageError);
  }
  if (const Result<void> possible = check_writable(text.out); !possible) {
    return complain("calibrate", possible.error(), kFault);
  }
  catch_interrupts();
  const Result<study::run::FlowCalibration> made =
      study::run::calibrate_flow_level(*scenario, [] { return !interrupted(); });
  if (!made) {
    return complain("calibrate", made.error(), interrupted() ? kInterrupted : kUsageError);
  }
  if (!text.quiet) {
    for (const FittedCorrection& fit : made->fitted) {
      print_fit(fit);
    }
  }
  if (const Result<void> written = write_file(text.out, study::run::corrections_text(*scenario, *made, WEFT_VERSION));
      !written) {
    return complain("calibrate", written.error(), kFault);
  }
  if (!text.quiet) {
    fmt::print("\ncorrections in {}\n", terminal_text(text.out));
  }
  return kSuccess;
}

}  // namespace

void add_calibrate_command(CLI::App& app, CalibrateText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("calibrate", "Corrections of the flow level, from small runs with packets");
  command->require_subcommand(1);
  CLI::App* flow = command->add_subcommand("flow", "Fit the corrections for a scenario's devices and settings");
  add_scenario_options(*flow, text.scenario);
  flow->add_option("--out", text.out, "File for the corrections")->capture_default_str();
  flow->add_flag("-q,--quiet", text.quiet, "Print nothing");
  flow->footer("Exit status: 0 done, 1 the file cannot be written, 2 wrong input, 130 interrupted.");
  flow->callback([&text, &exit_status] { exit_status = calibrate(text); });
}

}  // namespace weft::cli
