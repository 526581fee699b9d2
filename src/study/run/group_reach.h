// Whether the ranks of a job's groups reach one another over the network and their scale-up links.
#pragma once

#include <span>

#include "base/result.h"
#include "workload/collective/collectives.h"

namespace weft::study::run {

/// Errors: the first group whose members are in disconnected parts of the network, such as rails without spines.
[[nodiscard]] Result<void> check_groups(std::span<const workload::Communicator> groups,
                                        const workload::JobLayout& layout);

}  // namespace weft::study::run
