// `weft pcap check FILE...`: one line per fault, "FILE:packet number: what", and a closing line with the counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::cli {

/// Prints faults and counts to standard output, unreadable files and link types to standard error (the other files are
/// still checked). Returns the exit status: 2 when a file cannot be read to its end, else 1 when a packet has a fault
/// or none was checked, else 0. `ports`: UDP ports of RoCEv2 besides 4791.
int run_pcap_check(const std::vector<std::string>& files, const std::vector<std::uint16_t>& ports);

}  // namespace weft::cli
