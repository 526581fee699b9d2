// `weft help [TERM]`: prints what a term of the field means and where it lives in weft, or lists the terms. The name of
// a subcommand, where it is no term, gives that subcommand's help.
//
// An unknown term is a usage error: the nearest terms go to standard error and the exit status is 2.
#pragma once

#include <CLI/CLI.hpp>

namespace weft::cli {

/// Adds the subcommand; when it is chosen, parsing runs it and sets `exit_status`, which must outlive `app`'s parsing.
void add_help_command(CLI::App& app, int& exit_status);

}  // namespace weft::cli
