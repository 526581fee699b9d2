// Whether a run fits into the machine's memory, asked before it is built.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::cli {

/// Bytes that MemAvailable of /proc/meminfo says; none if the text does not have it.
[[nodiscard]] std::optional<std::uint64_t> available_memory(std::string_view meminfo);

struct MemoryNeed {
  std::uint64_t estimated = 0;  // bytes
  std::uint64_t available = 0;
};
/// The error has both numbers.
[[nodiscard]] Result<void> check_memory(const MemoryNeed& need);
/// Of a scenario on this machine; none: its topology cannot be built, or the system does not say what is available.
[[nodiscard]] std::optional<MemoryNeed> memory_need(const study::scenario::Scenario& scenario);
/// `graph` is the scenario's.
[[nodiscard]] std::optional<MemoryNeed> memory_need(const study::scenario::Scenario& scenario,
                                                    const fabric::Graph& graph);
/// The same for a scenario on this machine; errors of its topology come out here as well. Where the system does not
/// say what is available, everything fits.
[[nodiscard]] Result<void> check_memory(const study::scenario::Scenario& scenario);

}  // namespace weft::cli
