#include "workload/training/step_graph.h"

#include <array>

namespace weft::workload {

std::string_view to_string(Purpose purpose) {
  constexpr std::array<std::string_view, kPurposes> kWords{
      "forward", "backward", "recompute", "optimizer", "compute",   "tp",           "pp",
      "dp",      "zero",     "ep",        "cp",        "embedding", "communication"};
  return kWords[static_cast<std::size_t>(purpose)];
}

Bytes volume_sent(const CollectiveRequest& request, std::size_t members) {
  const auto n = static_cast<std::int64_t>(members);
  const Bytes share = request.size * (n - 1) / n;
  switch (request.kind) {
    case CollectiveKind::kAllReduce:
      return 2 * share;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
    case CollectiveKind::kAllToAll:
      return share;
    case CollectiveKind::kSend:
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
      return request.size;
    case CollectiveKind::kBarrier:
    case CollectiveKind::kReceive:
      return Bytes::zero();
  }
  return Bytes::zero();
}

}  // namespace weft::workload
