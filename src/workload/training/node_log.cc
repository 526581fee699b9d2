#include "workload/training/node_log.h"

namespace weft::workload {

void NodeLog::on_node(RankId rank, NodeId node, const NodeRecord& record) {
  auto& records = ranks_[rank.value()];
  if (records.size() <= node.value()) {
    records.resize(std::size_t{node.value()} + 1);
  }
  records[node.value()] = record;
}

}  // namespace weft::workload
