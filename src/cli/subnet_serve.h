// `weft subnet serve`: a subnet for real managers and tools, over the sockets of ibsim.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/subnet_input.h"

namespace weft::cli {

/// Adds the part to `command`, which writes into `text` while it is parsed, and then serves until it is ended.
void add_subnet_serve(CLI::App& command, SubnetText& text, int& exit_status);

}  // namespace weft::cli
