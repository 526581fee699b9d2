// The time of a pipelined all-reduce over trees where a node has one link, which its messages share in equal parts.
//
// A node with a parent and two children sends three messages for each chunk and takes three. On their way up and down
// they meet, each at the rate that the fuller of its two links leaves it (max-min), so that no sum over one path is the
// time. It is worked out message by message instead: who sends what at which rate, until the next one ends or comes.
// Packets, credits, queue pairs and acknowledgements have no part in it. Behind some chunks the time grows by the same
// for each further one, and is continued so. Source: Bertsekas and Gallager, "Data Networks", section 6.5.2 (max-min).
#pragma once

#include <cstdint>

#include "base/time.h"
#include "workload/collective/tree.h"

namespace weft::workload {

struct TreePipeline {
  std::uint32_t nodes = 2;
  std::uint32_t trees = 2;  // all over the same nodes, TreeHalf by turns
  std::int64_t chunks = 1;  // of each tree
  Duration chunk{};         // wire time of each, but
  Duration last{};          // of the last one
  Duration startup{};       // from the end of a message on the wire until its receiver may send
};

/// Until the last node has the last sum; zero for one node.
[[nodiscard]] Duration tree_all_reduce_time(const TreePipeline& pipeline);

}  // namespace weft::workload
