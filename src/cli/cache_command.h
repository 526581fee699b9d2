// `weft cache`: what is kept of earlier runs, and how to be rid of it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace weft::cli {

struct CacheText {
  std::string action = "show";
  std::optional<std::int64_t> older_than;  // days
  std::string limit;                       // "5 GiB"; empty: as it is
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_cache_command(CLI::App& app, CacheText& text, int& exit_status);

}  // namespace weft::cli
