// The `weft` program: one subcommand per file beside this one; each parses its arguments, calls a library and prints.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "base/printable.h"
#include "cli/cache_command.h"
#include "cli/calibrate_command.h"
#include "cli/catalogue_command.h"
#include "cli/claims_command.h"
#include "cli/collective_command.h"
#include "cli/compare_command.h"
#include "cli/complain.h"
#include "cli/completion_command.h"
#include "cli/control_command.h"
#include "cli/diff_command.h"
#include "cli/emit_command.h"
#include "cli/exit_status.h"
#include "cli/failures_command.h"
#include "cli/help_command.h"
#include "cli/import_command.h"
#include "cli/init_command.h"
#include "cli/lint_command.h"
#include "cli/paths_command.h"
#include "cli/pcap_command.h"
#include "cli/perf_command.h"
#include "cli/plan_command.h"
#include "cli/rank_session.h"
#include "cli/report_command.h"
#include "cli/run_command.h"
#include "cli/scale_command.h"
#include "cli/show_command.h"
#include "cli/standard_error.h"
#include "cli/subnet_command.h"
#include "cli/sweep_command.h"
#include "cli/tune_command.h"
#include "cli/usage_error.h"

namespace weft::cli {
namespace {

/// Output that never arrived (a full disk, a closed stream) must not look like success.
int end_of_output(int exit_status) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int number = errno;
  if (flushed && std::ferror(stdout) == 0 && !std::cout.fail()) {
    return exit_status;
  }
  fmt::print(stderr, "weft: cannot write to standard output{}\n",
             number != 0 ? ": " + std::generic_category().message(number) : std::string());
  return exit_status == kSuccess ? kFault : exit_status;
}

/// A standard stream that was closed would give its number to the next file that is opened, and that file our output.
void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) {
      // Opened the other way round: reading and writing fail, as they would have.
      [[maybe_unused]] const int opened = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

/// A script whose variable is not set must not get the file's seed, or all cases, in silence.
void refuse_empty_values(CLI::App& command) {
  for (CLI::Option* const option : command.get_options()) {
    if (option->get_items_expected_max() > 0) {
      option->check([](const std::string& value) { return std::string(value.empty() ? "the value is empty" : ""); });
    }
  }
  for (CLI::App* const subcommand : command.get_subcommands([](const CLI::App*) { return true; })) {
    refuse_empty_values(*subcommand);
  }
}

int run(int argc, char** argv) {
  CLI::App app{"weft: network simulator and laboratory for AI training networks", "weft"};
  const std::string mpi = cluster::mpi_library();
  app.set_version_flag("--version", "weft " WEFT_VERSION "\nMPI: " + (mpi.empty() ? "none" : mpi));
  app.require_subcommand(1);
  int exit_status = kSuccess;
  add_help_command(app, exit_status);
  add_pcap_command(app, exit_status);
  PerfText perf_text;
  add_perf_command(app, perf_text, exit_status);
  InitText init_text;
  add_init_command(app, init_text, exit_status);
  ImportText import_text;
  add_import_command(app, import_text, exit_status);
  ShowText show_text;
  add_show_command(app, show_text, exit_status);
  CollectiveText collective_text;
  add_collective_command(app, collective_text, exit_status);
  RunText run_text;
  add_run_command(app, run_text, exit_status);
  CalibrateText calibrate_text;
  add_calibrate_command(app, calibrate_text, exit_status);
  ScaleText scale_text;
  add_scale_command(app, scale_text, exit_status);
  SweepText sweep_text;
  add_sweep_command(app, sweep_text, exit_status);
  PlanText plan_text;
  add_plan_command(app, plan_text, exit_status);
  TuneText tune_text;
  add_tune_command(app, tune_text, exit_status);
  PathsText paths_text;
  add_paths_command(app, paths_text, exit_status);
  ControlText control_text;
  add_control_command(app, control_text, exit_status);
  EmitText emit_text;
  add_emit_command(app, emit_text, exit_status);
  LintText lint_text;
  add_lint_command(app, lint_text, exit_status);
  SubnetText subnet_text;
  add_subnet_command(app, subnet_text, exit_status);
  ReportText report_text;
  add_report_command(app, report_text, exit_status);
  DiffText diff_text;
  add_diff_command(app, diff_text, exit_status);
  CompareText compare_text;
  add_compare_command(app, compare_text, exit_status);
  FailuresText failures_text;
  add_failures_command(app, failures_text, exit_status);
  ClaimsText claims_text;
  add_claims_command(app, claims_text, exit_status);
  CatalogueText catalogue_text;
  add_catalogue_command(app, catalogue_text, exit_status);
  CacheText cache_text;
  add_cache_command(app, cache_text, exit_status);
  CompletionText completion_text;
  add_completion_command(app, completion_text, exit_status);
  refuse_empty_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      app.exit(error);
      return std::cout.flush() ? end_of_output(kSuccess) : end_of_output(kFault);
    }
    fmt::print(stderr, "{}\n", weft::terminal_text(usage_error(app, error)));
    return kUsageError;
  }
  return end_of_output(exit_status);
}

/// The command, and every error that it does not handle itself, as an exit status.
int run_caught(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "weft: out of memory\n");
    return kFault;
  } catch (const std::exception& error) {
    // What {fmt} throws where it cannot print; files are written otherwise.
    constexpr std::string_view kUnprinted = "cannot write to file";
    const std::string_view what = error.what();
    fmt::print(stderr, "weft: {}{}\n", what.starts_with(kUnprinted) ? "cannot write to standard output" : "",
               terminal_text(what.starts_with(kUnprinted) ? what.substr(kUnprinted.size()) : what));
    return kFault;
  }
}

}  // namespace
}  // namespace weft::cli

/// Read by jemalloc when it starts. Steps of a thousand ranks go around a gigabyte of small objects: on large pages
/// they take a quarter less time.
// NOLINTNEXTLINE(readability-identifier-naming): its name
extern "C" [[gnu::used]] const char* const malloc_conf = "thp:always,metadata_thp:auto";

int main(int argc, char** argv) {
  using namespace weft::cli;
  // A reader that leaves early (`| head`) ends the program quietly, also where the parent had the signal ignored.
  std::signal(SIGPIPE, SIG_DFL);
  // So does whoever asks for its end, from the beginning: a shell has `command &` of a script ignore SIGINT, which
  // would hold until a command catches interrupts for itself.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  occupy_standard_streams();
  tolerate_deaf_standard_error();
  const weft::Result<RankRole> role = take_role(argc > 1 ? argv[1] : "");
  if (!role) {
    return complain("under mpirun", role.error(), kUsageError);
  }
  return *role == RankRole::kIdle ? kSuccess : end_role(*role, run_caught(argc, argv));
}
