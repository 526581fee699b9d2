// Flows of which messages were posted and none had ended when the run did: senders that got nothing.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "study/results/results.h"
#include "workload/message_record.h"

namespace weft::study::results {

/// Those under way whose flow no message that has ended is of, in order.
[[nodiscard]] std::vector<SilentFlowRow> silent_flows(const std::set<SilentFlowRow>& under_way,
                                                      std::span<const workload::MessageRecord> ended);

/// Those of one job. `results` must outlive what is returned.
[[nodiscard]] std::span<const SilentFlowRow> silent_flows_of(const RunResults& results, std::size_t job);

}  // namespace weft::study::results
