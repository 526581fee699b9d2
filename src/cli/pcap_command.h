// `weft pcap`: check and list the RDMA packets of capture files (pcap and pcapng).
#pragma once

#include <CLI/CLI.hpp>

namespace weft::cli {

/// Adds the subcommand with its own two, `check` and `list`; the chosen one runs while `app` parses and sets
/// `exit_status`, which must outlive that.
void add_pcap_command(CLI::App& app, int& exit_status);

}  // namespace weft::cli
