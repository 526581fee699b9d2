// `weft import`: inputs of other simulators as scenarios.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace weft::cli {

/// What the command line says; empty: what the reference does by itself.
struct ImportText {
  std::string matrix;
  std::string topology{};
  std::string nodes{};
  std::string tiers{};
  std::string linkspeed{};
  std::string hop_latency{};
  std::string switch_latency{};
  std::string mtu{};
  std::string queue_size{};
  std::string queue_size_bdp_factor{};
  std::vector<std::string> ecn{};
  std::string cwnd{};
  std::string paths{};
  std::string load_balancing{};
  std::string sack_threshold{};
  std::string target_delay{};
  std::string quick_adapt_gate{};
  std::string trim_size{};
  std::string failed{};
  std::string seed{};
  std::string end{};
  std::string start_unit = "us";
  std::string family = "uet";
  std::string output{};
  bool sender_alone = false;
  bool receiver_alone = false;
  bool receiver_too = false;
  bool sleek = false;
  bool disable_trim = false;
  bool force = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_import_command(CLI::App& app, ImportText& text, int& exit_status);

}  // namespace weft::cli
