// Error text for a command line that cannot be parsed: one line with the command, what was found, and what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

/// "weft pcap: unknown subcommand 'chek'; did you mean 'check'? one of check, list". `app` is the program's, and has
/// just thrown `error`.
[[nodiscard]] std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace weft::cli
