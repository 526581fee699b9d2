// Two switches, "leaf0" and "leaf1", with hosts on both sides of one bottleneck.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_builder.h"

namespace weft::fabric {

struct DumbbellOptions {
  std::uint32_t left_hosts = 4;
  std::uint32_t right_hosts = 4;
  std::uint32_t nics_per_host = 1;
  std::uint32_t parallel_links = 1;  // of the bottleneck
  Cable host_link = kRackCable;
  Cable bottleneck = kRowCable;
  Domains domains = Domains::kOne;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("left_hosts", self.left_hosts, "hosts on leaf0");
    visit("right_hosts", self.right_hosts, "hosts on leaf1");
    visit("nics_per_host", self.nics_per_host, "NICs of a host");
    visit("parallel_links", self.parallel_links, "cables between the two switches");
    visit("host_link", self.host_link, "cable from a NIC to its switch");
    visit("bottleneck", self.bottleneck, "cable between the two switches");
    visit("domains", self.domains, "one layer-2 domain, or routed");
  }
};

/// Hosts of the left side come first. The ports of the bottleneck are the last of both switches.
[[nodiscard]] Result<Graph> build_graph(const DumbbellOptions& options);

}  // namespace weft::fabric
