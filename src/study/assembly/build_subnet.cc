#include "study/assembly/build_subnet.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/stable_hash.h"
#include "fabric/topology/graph_query.h"
#include "subnet/agent/link_rate.h"

namespace weft::study::assembly {
namespace {

constexpr std::uint64_t kVendor = 0x0002c9;  // the first three bytes of a GUID
constexpr std::uint64_t kHashBits = 32;      // then a number by the name; the last byte is for ports

class SubnetBuilder {
 public:
  explicit SubnetBuilder(const fabric::Graph& graph) : graph_(graph), places_(graph.nodes.size()) {}

  Result<PlacedSubnet> build() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (i < graph_.host_endpoints()) {
        add_endpoint(i);
      } else if (i >= graph_.endpoints) {
        add_switch(i);
      }
    }
    for (const subnet::Node& node : made_.nodes) {
      if (node.ports.size() - 1 > subnet::kMostPorts) {
        return fail("{} has {} ports, but a subnet numbers at most {} of a device", node.id, node.ports.size() - 1,
                    subnet::kMostPorts);
      }
    }
    for (const fabric::Link& link : graph_.links) {
      connect(link);
    }
    return PlacedSubnet{.subnet = std::move(made_), .places = std::move(places_)};
  }

 private:
  /// The first number by the name that no other node has.
  subnet::Guid guid_of(const std::string& name) {
    std::uint64_t hash = stable_hash(0, name) >> (64 - kHashBits);
    while (!taken_.insert(hash).second) {
      hash = (hash + 1) % (std::uint64_t{1} << kHashBits);
    }
    return {(kVendor << 40U) + (hash << 8U)};
  }

  std::uint32_t add_node(const std::string& name, subnet::NodeType type) {
    const subnet::Guid guid = guid_of(name);
    made_.nodes.push_back(
        {.id = name, .description = name, .type = type, .guid = guid, .system_guid = guid, .ports = {}});
    made_.nodes.back().ports.push_back({.guid = guid});
    return static_cast<std::uint32_t>(made_.nodes.size() - 1);
  }

  void add_endpoint(std::size_t i) {
    const std::string nic(fabric::nic_name(graph_.nodes[i]));
    const auto [known, added] = adapters_.try_emplace(nic, 0);
    if (added) {
      known->second = add_node(nic, subnet::NodeType::kChannelAdapter);
    }
    std::vector<subnet::Port>& ports = made_.nodes[known->second].ports;
    places_[i] = {.node = subnet::NodeIndex(known->second), .port = static_cast<subnet::PortNumber>(ports.size())};
    ports.push_back({.guid = {ports.front().guid.value + ports.size()}});
  }

  void add_switch(std::size_t i) {
    const std::uint32_t node = add_node(graph_.nodes[i].name, subnet::NodeType::kSwitch);
    std::vector<subnet::Port>& ports = made_.nodes[node].ports;
    const subnet::Port first = ports.front();
    ports.resize(std::size_t{graph_.nodes[i].ports} + 1, first);
    places_[i].node = subnet::NodeIndex(node);
  }

  void connect(const fabric::Link& link) {
    const subnet::PortPlace a = place_of(link.a, graph_, places_);
    const subnet::PortPlace b = place_of(link.b, graph_, places_);
    if (a.node.is_valid() && b.node.is_valid()) {
      made_.port(a).peer = b;
      made_.port(b).peer = a;
      made_.port(a).link = made_.port(b).link = subnet::nearest_link(link.rate);
    }
  }

  const fabric::Graph& graph_;
  std::vector<subnet::PortPlace> places_;  // per node of the graph; of a switch without port
  std::map<std::string, std::uint32_t> adapters_;
  std::set<std::uint64_t> taken_;
  subnet::Subnet made_;
};

}  // namespace

subnet::PortPlace place_of(const fabric::LinkEnd& end, const fabric::Graph& graph,
                           const std::vector<subnet::PortPlace>& places) {
  subnet::PortPlace place = places[end.node.value()];
  if (end.node.value() >= graph.endpoints) {
    place.port = static_cast<subnet::PortNumber>(end.port + 1);
  }
  return place;
}

Result<PlacedSubnet> place_subnet(const fabric::Graph& graph) { return SubnetBuilder(graph).build(); }

Result<subnet::Subnet> build_subnet(const fabric::Graph& graph) {
  Result<PlacedSubnet> made = place_subnet(graph);
  return made ? Result<subnet::Subnet>(std::move(made->subnet)) : pass_on(made);
}

Duration longest_cable(const fabric::Graph& graph) {
  Duration longest = Duration::zero();
  for (const fabric::Link& link : graph.links) {
    longest = std::max(longest, link.propagation);
  }
  return longest;
}

Result<std::vector<subnet::SweptSubnet>> swept_subnets(const PlacedSubnet& placed, const fabric::Graph& graph,
                                                       std::uint8_t lmc) {
  std::vector<subnet::SweptSubnet> subnets;
  std::set<std::uint64_t> seen;  // GUIDs of ports
  for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
    const subnet::Port& first = placed.subnet.port(placed.places[i]);
    if (!first.peer || seen.contains(first.guid.value)) {
      continue;
    }
    Result<subnet::SweptSubnet> swept = subnet::sweep(placed.subnet, placed.places[i], {.lmc = lmc});
    if (!swept) {
      return pass_on(swept);
    }
    for (const subnet::EndPort& end : swept->view.end_ports) {
      seen.insert(end.guid.value);
    }
    subnets.push_back(std::move(*swept));
  }
  return subnets;
}

}  // namespace weft::study::assembly
