// `weft init`: asks six questions about a cluster and writes a scenario file.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

/// What the command line answers; empty: it is asked, or with `yes` takes its default.
struct InitText {
  std::string file = "cluster.toml";
  std::string hosts{};
  std::string gpus{};  // "8", "8 h100-sxm"
  std::string rate{};
  std::string topology{};  // "leaf-spine 2:1"
  std::string model{};
  std::string family{};
  std::string catalogue{};
  bool yes = false;
  bool force = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_init_command(CLI::App& app, InitText& text, int& exit_status);

}  // namespace weft::cli
