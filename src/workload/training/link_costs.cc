#include "workload/training/link_costs.h"

#include <algorithm>
#include <set>

#include "base/format_quantity.h"

namespace weft::workload {
namespace {

std::int64_t host_of(RankId rank, const ClusterLinks& links) { return rank.value() / links.gpus_per_host; }

// `rounds` times round a ring whose every step moves a share of the size.
Duration ring_time(const ClusterLinks& links, const GroupSpan& group, Bytes size, std::int64_t rounds) {
  const std::int64_t n = group.members;
  const Bytes moved = rounds * size * (n - 1) / n;
  if (group.hosts == 1) {
    return rounds * (n - 1) * links.scale_up_latency + links.scale_up.transmit_time(moved);
  }
  // Of the n links of the ring as many lead between hosts as there are hosts; one step goes over each in turn.
  const std::int64_t out = rounds * (group.hosts - 1);
  const std::int64_t up = rounds * (n - 1) - out;
  const Rate nics = links.scale_out * group.per_host();
  const Rate rate = group.per_host() == 1 ? nics : std::min(nics, links.scale_up);
  return up * links.scale_up_latency + out * links.scale_out_latency + rate.transmit_time(moved);
}

Duration all_to_all_time(const ClusterLinks& links, const GroupSpan& group, Bytes size) {
  const std::int64_t near = group.per_host() - 1;
  const std::int64_t far = group.members - group.per_host();
  const Duration up = links.scale_up.transmit_time(size * near / group.members) + near * links.scale_up_latency;
  const Duration out = links.scale_out.transmit_time(size * far / group.members) + far * links.scale_out_latency;
  return std::max(up, out);
}

Duration message_time(const ClusterLinks& links, bool between_hosts, Bytes size) {
  return between_hosts ? links.scale_out_latency + links.scale_out.transmit_time(size)
                       : links.scale_up_latency + links.scale_up.transmit_time(size);
}

}  // namespace

Result<void> check_links(const ClusterLinks& links) {
  if (links.gpus_per_host < 1 || links.scale_up <= Rate::zero() || links.scale_out <= Rate::zero()) {
    return fail("{} GPUs per host, {} inside, {} outside: none may be zero", links.gpus_per_host, links.scale_up,
                links.scale_out);
  }
  if (links.scale_up_latency < Duration::zero() || links.scale_out_latency < Duration::zero()) {
    return fail("latencies of {} and {}", links.scale_up_latency, links.scale_out_latency);
  }
  return {};
}

GroupSpan span_of(const Communicator& communicator, const ClusterLinks& links) {
  std::set<std::int64_t> hosts;
  for (const RankId rank : communicator.members) {
    hosts.insert(host_of(rank, links));
  }
  return {.members = static_cast<std::int64_t>(communicator.members.size()),
          .hosts = static_cast<std::int64_t>(hosts.size())};
}

Duration collective_time(const ClusterLinks& links, const GroupSpan& group, const CollectiveRequest& request) {
  if (group.members == 1) {
    return Duration::zero();
  }
  switch (request.kind) {
    case CollectiveKind::kAllReduce:
      return ring_time(links, group, request.size, 2);
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
      return ring_time(links, group, request.size, 1);
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:  // pipelined along the ring: the whole size, every step's latency
      return ring_time(links, group, request.size * group.members / (group.members - 1), 1);
    case CollectiveKind::kBarrier:
      return ring_time(links, group, Bytes::zero(), 2);
    case CollectiveKind::kAllToAll:
      return all_to_all_time(links, group, request.size);
    case CollectiveKind::kSend:
    case CollectiveKind::kReceive:
      return message_time(links, group.hosts > 1, request.size);
  }
  return Duration::zero();
}

Duration least_time(const ClusterLinks& links, const GroupSpan& group, const CollectiveRequest& request) {
  if (group.members == 1) {
    return Duration::zero();
  }
  const std::int64_t rounds = request.kind == CollectiveKind::kAllReduce ? 2 : 1;
  const std::int64_t parts = group.hosts > 1 ? group.hosts : group.members;
  const Rate rate = group.hosts > 1 ? links.scale_out * group.per_host() : links.scale_up;
  return rate.transmit_time(rounds * request.size * (parts - 1) / parts);
}

CollectiveCost closed_form_cost(const ClusterLinks& links) {
  return [links](const CostedOperation& operation) {
    if (operation.sender.is_valid()) {
      return message_time(links, host_of(operation.sender, links) != host_of(operation.receiver, links),
                          operation.request.size);
    }
    return collective_time(links, span_of(operation.communicator, links), operation.request);
  };
}

}  // namespace weft::workload
