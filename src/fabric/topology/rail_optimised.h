// Hosts with one NIC per GPU: NIC r of all hosts of a group is on the leaf of rail r, and spines join the leaves.
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
#include "fabric/topology/word.h"

namespace weft::fabric {

/// Where the ports of a NIC go.
enum class PortSpread : std::uint8_t {
  kLeaves,  // to leaves of the same fabric: dual-ToR
  kPlanes,  // port p into plane p, which is a fabric of its own
};

template <>
struct WordsOf<PortSpread> {
  static constexpr std::array<Word<PortSpread>, 2> kAll{
      {{"leaves", PortSpread::kLeaves}, {"planes", PortSpread::kPlanes}}};
};

struct RailOptimisedOptions {
  std::uint32_t groups = 1;
  std::uint32_t hosts_per_group = 8;
  std::uint32_t rails = 8;           // NICs of a host
  std::uint32_t spines = 8;          // of each plane; 0: rails are not joined, for one group only
  std::uint32_t parallel_links = 1;  // from a leaf to a spine
  std::uint32_t ports_per_nic = 1;
  PortSpread port_spread = PortSpread::kLeaves;
  Cable host_link = kRackCable;
  Cable fabric_link = kRowCable;
  Domains domains = Domains::kOne;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("groups", self.groups, "groups of hosts with leaves of their own");
    visit("hosts_per_group", self.hosts_per_group, "hosts of a group");
    visit("rails", self.rails, "NICs of a host, each on its own rail");
    visit("spines", self.spines, "spines of each plane; 0 for separate rails");
    visit("parallel_links", self.parallel_links, "cables from a leaf to a spine");
    visit("ports_per_nic", self.ports_per_nic, "ports of a NIC, each on its own leaf");
    visit("port_spread", self.port_spread, "ports of a NIC on leaves of one fabric, or each in a plane");
    visit("host_link", self.host_link, "cable from a NIC's port to its leaf");
    visit("fabric_link", self.fabric_link, "cable from a leaf to a spine");
    visit("domains", self.domains, "one layer-2 domain, or routed");
  }
};

/// Endpoints are numbered by host, NIC, port. Ports of a leaf: the hosts of its group, then the spines in turn; of
/// a spine: the leaves of its plane, parallel ones together.
[[nodiscard]] Result<Graph> build_graph(const RailOptimisedOptions& options);

}  // namespace weft::fabric
