// All-reduce by the reducers of scale-up switches inside domains and over double binary trees between them.
//
// Member l of every domain owns the l-th part of the vector. The domain's switch adds up each part and gives the sum to
// its owner, the owners of the same number add theirs up along two trees, half of the part each, and what comes back is
// given to the whole domain by its switch. A GPU sends S (1 + 1/n) to its switch and gets as much; a NIC sends and gets
// about 2 S/n, half of that between two domains. All at once, chunk by chunk. Compare NCCL's NVLSTree.
#pragma once

#include "workload/collective/lane.h"

namespace weft::workload {

void add_nvls_tree_all_reduce(const LaneContext& context, Lanes& lanes);

}  // namespace weft::workload
