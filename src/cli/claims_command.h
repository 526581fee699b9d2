// `weft claims`: industry claims judged by simulation, as a list, as JSON and as docs/claims.md.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::cli {

struct ClaimsText {
  std::vector<std::string> ids;  // empty: all
  std::string folder = "examples/claims";
  std::string catalogue;   // a folder; empty: the embedded entries alone
  std::string comparison;  // a document of `weft compare --json`; empty: none
  std::string write;       // a file for the page; empty: none
  std::string json;        // a file, or "-"; empty: none
  std::string runs;        // a folder for the runs' own JSON; empty: none
  std::int64_t jobs = 0;   // 0: one per core
  bool no_cache = false;
  bool list = false;
  bool quiet = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_claims_command(CLI::App& app, ClaimsText& text, int& exit_status);

}  // namespace weft::cli
