// `weft perf`: bandwidth and latency of the RC engine between two processes, over UDP sockets, in perftest's form.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/perf_options.h"

namespace weft::cli {

/// What the command line says; of both subcommands, one of which is used.
struct PerfText {
  PerfServerText server{};
  PerfClientText client{};
};

/// Adds the subcommand with its own two, `server` and `client`; the chosen one runs while `app` parses, reads `text`
/// and sets `exit_status`; both must outlive that.
void add_perf_command(CLI::App& app, PerfText& text, int& exit_status);

}  // namespace weft::cli
