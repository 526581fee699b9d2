// `weft completion SHELL`: prints the script by which bash or zsh completes command lines of weft; `weft completion
// keys` and the like print the words that such a script asks for.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

struct CompletionText {
  std::string what{};
  std::string catalogue{};
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that. The script
/// knows the subcommands that `app` has by then.
void add_completion_command(CLI::App& app, CompletionText& text, int& exit_status);

}  // namespace weft::cli
