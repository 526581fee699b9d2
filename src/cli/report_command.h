// `weft report`: the report of a comparison, made again from its results file; also the report of runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace weft::cli {

struct ReportText {
  std::vector<std::string> results{};
  std::string baseline{};  // file; empty: none
  std::string html{};      // file
  std::string json{};      // file, or "-"
  std::string csv{};       // folder, or "-"
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_report_command(CLI::App& app, ReportText& text, int& exit_status);

}  // namespace weft::cli
