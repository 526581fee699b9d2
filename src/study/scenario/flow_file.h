// Lists in files that a scenario refers to: flows, and distributions of sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cdf_table.h"
#include "base/data_size.h"
#include "base/result.h"
#include "base/time.h"
#include "workload/trigger.h"

namespace weft::study::scenario {

/// A list of flows or a distribution of sizes may be as long as this, in bytes: ten million flows.
inline constexpr std::uint64_t kLargestTrafficFile = std::uint64_t{1} << 30;

struct FlowLine {
  std::string source;       // a host or NIC
  std::string destination;  // likewise
  Bytes size{};
  Duration start{};   // beyond the traffic's own start; of a flow that waits for triggers, beyond the last of them
  std::string place;  // "flows.csv:3"
  workload::FlowTriggers triggers{};
};

struct FlowFile {
  std::vector<FlowLine> flows;
  std::vector<workload::Trigger> triggers;
  std::vector<std::string> trigger_places;  // of each
};

/// Lines "source, destination, size[, start]": "host0, host3/nic0, 1 MiB, 10 us"; empty lines and those that begin
/// with # mean nothing. A trigger is a line "trigger, NAME, oneshot", "trigger, NAME, multishot" or
/// "trigger, NAME, barrier, COUNT", anywhere in the file; flows name them in further fields "after NAME ...",
/// "sent NAME ..." and "received NAME ...". Errors: "file:line: ...".
[[nodiscard]] Result<FlowFile> read_flow_file(const std::string& path);

/// A published distribution ("websearch", "fb-hadoop", "alistorage"), or a file with lines "bytes percent".
[[nodiscard]] Result<CdfTable> size_table(const std::string& name);

}  // namespace weft::study::scenario
