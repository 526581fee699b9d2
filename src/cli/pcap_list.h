// `weft pcap list FILE`: one line per packet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::cli {

/// Prints to standard output; returns 0, or 2 when the file cannot be read to its end (said on standard error, after
/// the lines of the packets before that place). `ports`: UDP ports of RoCEv2 besides 4791.
int run_pcap_list(const std::string& file, const std::vector<std::uint16_t>& ports);

}  // namespace weft::cli
