// What each kind of operation of a step that ran with every packet sent through the network, by flow.
//
// A message belongs to the operation that was under way on its communicator when it was posted: operations of one
// communicator follow one another, and messages of each go over connections of its own.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "study/run/step_phases.h"
#include "study/world/flow_paths.h"
#include "workload/message_record.h"
#include "workload/training/node_log.h"

namespace weft::study::run {

/// Of all communicators together, one operation each, the mean of those that they had. `messages` are those of the
/// step's collectives.
[[nodiscard]] std::map<StepOperation, std::vector<world::FlowDemand>> operation_demands(
    std::span<const workload::MessageRecord> messages, const workload::NodeLog& log);

}  // namespace weft::study::run
