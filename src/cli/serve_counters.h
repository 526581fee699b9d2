// Port counters of a served subnet from a finished run of the same scenario.
//
// Of each port: words and packets in both directions, discards, receive errors, and PortXmitWait. A word is 4 bytes
// from the LRH to the ICRC, so without the VCRC of each packet. A tick of PortXmitWait is the time of a word on the
// wire, and all lanes of the port count that had something to send and no credits. Counters that a run has nothing of
// stay zero: symbol errors, link recoveries, links that went down, remote physical and relay errors, constraint errors,
// local link integrity, buffer overruns, and dropped packets of QP1 and VL15.
#pragma once

#include <string>

#include "base/result.h"
#include "study/results/results.h"
#include "subnet/agent/served_subnet.h"

namespace weft::cli {

/// Adds what the run has counted to the ports that its labels name. Errors: the run is not one of InfiniBand, or of
/// another network: a port or a cable that the subnet does not have.
[[nodiscard]] Result<void> add_run_counters(const study::results::RunResults& run, const subnet::Subnet& subnet,
                                            subnet::ServedSubnet& served);

/// The only InfiniBand run of a file of results. Errors: as read_results; none, or several.
[[nodiscard]] Result<study::results::RunResults> read_counters(const std::string& file);

}  // namespace weft::cli
