// The scripts by which shells complete command lines of weft, made of the commands and options that the program has.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

/// For bash 4 and newer, with and without the package bash-completion.
[[nodiscard]] std::string bash_completion(const CLI::App& app);

/// For zsh: to be sourced, or to stand in a folder of $fpath as `_weft`.
[[nodiscard]] std::string zsh_completion(const CLI::App& app);

}  // namespace weft::cli
