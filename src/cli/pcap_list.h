// `weft pcap list FILE`: one line per packet.
#pragma once

#include <string>

namespace weft::cli {

/// Prints to standard output; returns 0, or 2 when the file cannot be read to its end (said on standard error, after
/// the lines of the packets before that place).
int run_pcap_list(const std::string& file);

}  // namespace weft::cli
