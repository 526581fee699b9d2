// Hosts with one NIC per GPU: NIC r of all hosts of a group is on the leaf of rail r, and spines join the leaves.
// Groups are filled one after the other; the leaves of the last one may have fewer hosts, with as many uplinks.
//
// A message between GPUs of the same number in a group crosses one switch. With several ports per NIC, each goes to a
// leaf of its own: either all of one fabric (dual-ToR), or each of a fabric of its own (planes). Without spines the
// rails are separate fabrics (rail-only). Leaves are "group<g>/rail<r>", with "/leaf<p>" behind for dual-ToR; spines
// are "spine<s>"; in planes each name begins with "plane<p>/". Endpoints are "host<h>/nic<r>", with "/port<p>" behind
// if there are several.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_builder.h"
#include "fabric/topology/port_spread.h"

namespace weft::fabric {

struct RailOptimisedOptions {
  std::uint32_t groups = 1;
  std::uint32_t hosts_per_group = 8;
  std::uint32_t hosts = 0;           // of all groups; 0: all are full. None may be empty
  std::uint32_t rails = 8;           // NICs of a host
  std::uint32_t spines = 8;          // of each plane; 0: rails are not joined, for one group only
  std::uint32_t parallel_links = 1;  // from a leaf to a spine
  std::uint32_t ports_per_nic = 1;
  PortSpread port_spread = PortSpread::kLeaves;
  Cable host_link = kRackCable;
  Cable fabric_link = kRowCable;
  Domains domains = Domains::kOne;
};

/// Endpoints are numbered by host, NIC, port. Ports of a leaf: the hosts of its group, then the spines in turn; of
/// a spine: the leaves of its plane, parallel ones together.
[[nodiscard]] Result<Graph> build_graph(const RailOptimisedOptions& options);

}  // namespace weft::fabric
