// `weft help [NAME]`: prints the manual page of a subcommand, or what a key of the scenario file or a term of the field
// means, or lists what there is. Where a subcommand is called like a term, its page is printed.
//
// An unknown name is a usage error: the nearest names go to standard error and the exit status is 2.
#pragma once

#include <CLI/CLI.hpp>

namespace weft::cli {

/// Adds the subcommand; when it is chosen, parsing runs it and sets `exit_status`, which must outlive `app`'s parsing.
void add_help_command(CLI::App& app, int& exit_status);

}  // namespace weft::cli
