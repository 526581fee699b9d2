// `weft diff`: what differs between two comparisons, or two results files of runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

struct DiffText {
  std::string a{};
  std::string b{};
  std::string json{};  // file, or "-"
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_diff_command(CLI::App& app, DiffText& text, int& exit_status);

}  // namespace weft::cli
