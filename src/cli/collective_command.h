// `weft collective`: a collective operation timed over a range of sizes, in the manner of nccl-tests.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "study/run/collective_run.h"

namespace weft::cli {

struct CollectiveText {
  std::string kind;
  std::string algorithm = "auto";
  std::string size;
  std::string channels;
  std::string chunk;
  std::string queue_pairs;
  std::string json;
  std::string catalogue;
  bool verify = false;
  bool exact = false;
  bool force = false;
  study::run::CollectiveRun run{};
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_collective_command(CLI::App& app, CollectiveText& text, int& exit_status);

}  // namespace weft::cli
