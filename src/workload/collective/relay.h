// Hierarchical all-to-all: data for another group go over scale-up links to the member of the own group that sits on
// the receiver's rail, and from there over that rail, so that no packet changes rails in the network.
//
// Step s deals with the group s places on; members inside a group exchange directly. What is passed on waits in the
// relay's staging memory. Groups must be of one size.
// Source: NCCL's PXN; DeepSeek-V3's dispatch.
#pragma once

#include "workload/collective/lane.h"

namespace weft::workload {

void add_relayed_all_to_all(const LaneContext& context, Lanes& lanes);

}  // namespace weft::workload
