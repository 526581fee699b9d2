// `weft subnet`: an InfiniBand subnet as its manager sees and routes it.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/subnet_input.h"

namespace weft::cli {

/// Adds the subcommand with its parts, which write into `text` while `app` parses, and then runs; both must outlive
/// that.
void add_subnet_command(CLI::App& app, SubnetText& text, int& exit_status);

}  // namespace weft::cli
