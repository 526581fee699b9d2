// Closed forms for the time of collectives on a cluster of equal hosts, unloaded: links of two tiers and a ring.
//
// Ranks fill hosts in their order. Inside a host every GPU has its scale-up rate; between hosts every GPU has its NIC,
// and members of one host share theirs: a ring over hosts runs at the lesser of the scale-up rate and the NICs of the
// members on one host. An all-reduce of n members takes 2 (n-1) steps and 2 (n-1)/n of its size, half an all-reduce
// half of both, an all-to-all n-1 messages. For estimates, and for the parts of a composed run that nobody simulates.
#pragma once

#include "base/rate.h"
#include "base/result.h"
#include "workload/collective/costed_collectives.h"

namespace weft::workload {

struct ClusterLinks {
  std::int64_t gpus_per_host = 8;
  Rate scale_up{};  // of one GPU, one way, as collectives reach it
  Duration scale_up_latency{};
  Rate scale_out{};  // of one GPU's NIC, one way
  Duration scale_out_latency{};
};

/// Errors: no GPU on a host, a rate of zero, a negative latency.
[[nodiscard]] Result<void> check_links(const ClusterLinks& links);

/// How a group lies on the hosts: members, and hosts they are on.
struct GroupSpan {
  std::int64_t members = 1;
  std::int64_t hosts = 1;
  [[nodiscard]] std::int64_t per_host() const { return (members + hosts - 1) / hosts; }
};
[[nodiscard]] GroupSpan span_of(const Communicator& communicator, const ClusterLinks& links);

/// `links` are checked. A send or receive: between hosts if the group spans several.
[[nodiscard]] Duration collective_time(const ClusterLinks& links, const GroupSpan& group,
                                       const CollectiveRequest& request);

/// No algorithm is faster, as every byte is sent: what has to leave a host at the rate of the group's NICs, or a GPU at
/// that of its scale-up links. `links` are checked; an all-reduce, a reduce-scatter or an all-gather.
[[nodiscard]] Duration least_time(const ClusterLinks& links, const GroupSpan& group, const CollectiveRequest& request);

/// collective_time as a cost of CostedCollectives; sends look at where their two ends are.
[[nodiscard]] CollectiveCost closed_form_cost(const ClusterLinks& links);

}  // namespace weft::workload
