// Flows of which messages were posted and none had ended when the run did: senders that got nothing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "study/results/results.h"
#include "workload/message_record.h"

namespace weft::study::results {

/// Leaves those of which no message has ended. `flows` are in order.
void leave_out_ended(std::span<const workload::MessageRecord> ended, std::vector<SilentFlowRow>& flows);

/// Those of one job. `results` must outlive what is returned.
[[nodiscard]] std::span<const SilentFlowRow> silent_flows_of(const RunResults& results, std::size_t job);

}  // namespace weft::study::results
