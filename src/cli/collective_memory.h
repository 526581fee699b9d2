// Whether a collective fits into the machine's memory, asked before it is simulated; if not, what would.
#pragma once

#include <functional>
#include <optional>

#include "base/result.h"
#include "cli/run_memory.h"
#include "study/run/collective_run.h"

namespace weft::cli {

/// What a scenario needs and what there is; none: it is not known, and then everything fits.
using MemoryOf = std::function<std::optional<MemoryNeed>(const study::scenario::Scenario&)>;

/// Connections take the memory, whatever the size; flows have no engines, and always fit. The error has both numbers,
/// and says how many connections or ranks would fit.
[[nodiscard]] Result<void> check_collective_memory(
    const study::run::CollectiveRun& run, Bytes size, const study::scenario::Catalogue& catalogue,
    const MemoryOf& memory_of = [](const study::scenario::Scenario& own) { return memory_need(own); });

}  // namespace weft::cli
