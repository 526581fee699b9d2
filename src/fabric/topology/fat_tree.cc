#include "fabric/topology/fat_tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "fabric/topology/option_check.h"
#include "fabric/topology/racks.h"

namespace weft::fabric {
namespace {

/// Counts of a tree, whole or partial, of each plane. A tree of two tiers is one pod whose aggregation switches are the
/// spines. A rack is the hosts that share their leaves: one leaf, or one for each port of a NIC.
struct Shape {
  PortPlaces places{};
  std::uint32_t hosts_per_rack = 0;
  std::uint32_t racks_per_pod = 0;
  std::uint32_t aggs_per_pod = 0;
  std::uint32_t cores_per_agg = 0;
  std::uint32_t pods = 0;

  std::uint32_t hosts = 0;
  std::uint32_t racks = 0;

  [[nodiscard]] std::uint32_t cores() const { return aggs_per_pod * cores_per_agg; }
};

std::uint32_t uplinks(const FatTreeOptions& options) {
  return options.leaf_uplinks == 0 ? options.radix / 2 : options.leaf_uplinks;
}

Result<void> check_switches(const FatTreeOptions& options) {
  if (options.tiers != 2 && options.tiers != 3) {
    return fail("fat-tree: tiers is {}, it must be 2 or 3", options.tiers);
  }
  if (options.radix < 2 || options.radix % 2 != 0 || options.radix > OptionCheck::kMaxPorts) {
    return fail("fat-tree: radix is {}, it must be an even number from 2 to {}", options.radix,
                OptionCheck::kMaxPorts - 1);
  }
  return OptionCheck("fat-tree")
      .positive({"nics_per_host", options.nics_per_host})
      .positive({"ports_per_nic", options.ports_per_nic})
      .positive({"parallel_links", options.parallel_links})
      .positive({"core_parallel_links", options.core_parallel_links})
      .cable("host_link", options.host_link)
      .cable("leaf_link", options.leaf_link)
      .cable("core_link", options.core_link)
      .result();
}

Result<void> check_splits(const FatTreeOptions& options) {
  const std::uint32_t up = uplinks(options);
  if (up >= options.radix) {
    return fail("fat-tree: leaf_uplinks is {}, it must be below the radix, {}", up, options.radix);
  }
  const std::uint32_t down = options.radix - up;
  if (down % options.nics_per_host != 0) {
    return fail("fat-tree: nics_per_host is {}, it must divide the {} host ports of a leaf", options.nics_per_host,
                down);
  }
  if (up % options.parallel_links != 0) {
    return fail("fat-tree: parallel_links is {}, it must divide the {} uplinks of a leaf", options.parallel_links, up);
  }
  const std::uint32_t agg_down = options.tiers == 2 ? options.radix : options.radix / 2;
  if (agg_down % options.parallel_links != 0) {
    return fail("fat-tree: parallel_links is {}, it must divide the {} downward ports of the second tier",
                options.parallel_links, agg_down);
  }
  const std::uint32_t beside = PortPlaces::of(options.ports_per_nic, options.port_spread).leaves;
  if (agg_down / options.parallel_links % beside != 0) {
    return fail("fat-tree: ports_per_nic is {}, it must divide the {} leaves of a {}", beside,
                agg_down / options.parallel_links, options.tiers == 2 ? "tree" : "pod");
  }
  if (options.tiers == 3 && options.radix / 2 % options.core_parallel_links != 0) {
    return fail("fat-tree: core_parallel_links is {}, it must divide half of the radix, {}",
                options.core_parallel_links, options.radix / 2);
  }
  return {};
}

/// The whole tree, then what of it the hosts need.
Result<Shape> shape_of(const FatTreeOptions& options) {
  const std::uint32_t half = options.radix / 2;
  const bool has_cores = options.tiers == 3;
  Shape shape;
  shape.places = PortPlaces::of(options.ports_per_nic, options.port_spread);
  shape.hosts_per_rack = (options.radix - uplinks(options)) / options.nics_per_host;
  shape.racks_per_pod = (has_cores ? half : options.radix) / options.parallel_links / shape.places.leaves;
  shape.aggs_per_pod = uplinks(options) / options.parallel_links;
  shape.cores_per_agg = has_cores ? half / options.core_parallel_links : 0;
  shape.pods = has_cores ? options.radix / options.core_parallel_links : 1;
  const std::uint64_t most = saturating_product({shape.hosts_per_rack, shape.racks_per_pod, shape.pods});
  if (options.hosts > most) {
    return fail("fat-tree: hosts is {}, a tree of {} tiers and radix {} with these options has room for {}",
                options.hosts, options.tiers, options.radix, most);
  }
  const std::uint64_t hosts = options.hosts == 0 ? most : options.hosts;
  const std::uint64_t racks = (hosts + shape.hosts_per_rack - 1) / shape.hosts_per_rack;
  const std::uint64_t pods = (racks + shape.racks_per_pod - 1) / shape.racks_per_pod;
  const std::uint64_t above = pods * shape.aggs_per_pod + shape.cores();
  Result<void> fits = OptionCheck("fat-tree")
                          .size({.endpoints = saturating_product({hosts, options.nics_per_host, options.ports_per_nic}),
                                 .switches = saturating_product({racks, options.ports_per_nic}) +
                                             saturating_product({above, shape.places.planes})})
                          .result();
  if (!fits) {
    return pass_on(fits);
  }
  shape.hosts = static_cast<std::uint32_t>(hosts);
  shape.racks = static_cast<std::uint32_t>(racks);
  shape.pods = static_cast<std::uint32_t>(pods);
  if (shape.racks * shape.places.leaves == 1) {
    shape.aggs_per_pod = 0;
  }
  if (shape.pods == 1) {
    shape.cores_per_agg = 0;
  }
  return shape;
}

class FatTreeBuilder {
 public:
  FatTreeBuilder(const FatTreeOptions& options, const Shape& shape)
      : options_(options), shape_(shape), builder_(options.domains) {}

  Graph build() && {
    const HostsSpec hosts{.hosts = shape_.hosts,
                          .nics_per_host = options_.nics_per_host,
                          .ports_per_nic = options_.ports_per_nic,
                          .port_spread = options_.port_spread};
    builder_.add_hosts(hosts);
    add_leaves();
    add_upper_switches();
    connect_hosts(builder_, hosts, shape_.hosts_per_rack, NodeIndex(first_leaf_), options_.host_link);
    connect_leaves();
    connect_cores();
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] bool has_pods() const { return options_.tiers == 3; }
  [[nodiscard]] std::string pod_prefix(std::uint32_t pod) const {
    return has_pods() ? fmt::format("pod{}/", pod) : std::string();
  }

  // Leaves of the same hosts are together, a port after the other.
  void add_leaves() {
    first_leaf_ = shape_.hosts * options_.nics_per_host * options_.ports_per_nic;
    leaves_ = shape_.racks * options_.ports_per_nic;
    for (std::uint32_t i = 0; i < leaves_; ++i) {
      const std::uint32_t rack = i / options_.ports_per_nic % shape_.racks_per_pod;
      const std::uint32_t plane = plane_of_leaf(i);
      const std::string own = shape_.places.leaves > 1 ? fmt::format("rack{}/leaf{}", rack, i % options_.ports_per_nic)
                                                       : fmt::format("leaf{}", rack);
      builder_.add_switch({.name = plane_prefix(shape_.places.planes, plane) + pod_prefix(pod_of_leaf(i)) + own,
                           .plane = static_cast<std::uint16_t>(plane)});
    }
  }

  void add_upper_switches() {
    first_agg_ = first_leaf_ + leaves_;
    const std::uint32_t aggs = shape_.pods * shape_.aggs_per_pod;
    for (std::uint32_t i = 0; i < shape_.places.planes * aggs; ++i) {
      const std::uint32_t plane = i / aggs;
      const std::uint32_t agg = i % aggs;
      const std::string own =
          has_pods() ? fmt::format("{}agg{}", pod_prefix(agg / shape_.aggs_per_pod), agg % shape_.aggs_per_pod)
                     : fmt::format("spine{}", agg);
      builder_.add_switch({.name = plane_prefix(shape_.places.planes, plane) + own,
                           .tier = 2,
                           .plane = static_cast<std::uint16_t>(plane)});
    }
    first_core_ = first_agg_ + shape_.places.planes * aggs;
    for (std::uint32_t i = 0; i < shape_.places.planes * shape_.cores(); ++i) {
      const std::uint32_t plane = i / shape_.cores();
      builder_.add_switch(
          {.name = fmt::format("{}core{}", plane_prefix(shape_.places.planes, plane), i % shape_.cores()),
           .tier = 3,
           .plane = static_cast<std::uint16_t>(plane)});
    }
  }

  void connect_leaves() {
    for (std::uint32_t leaf = 0; leaf < leaves_; ++leaf) {
      for (std::uint32_t i = 0; i < shape_.aggs_per_pod * options_.parallel_links; ++i) {
        builder_.connect({.lower = NodeIndex(first_leaf_ + leaf),
                          .upper = agg_of(plane_of_leaf(leaf), pod_of_leaf(leaf), i % shape_.aggs_per_pod)},
                         options_.leaf_link);
      }
    }
  }

  void connect_cores() {
    for (std::uint32_t i = 0; i < shape_.places.planes * shape_.pods; ++i) {
      const std::uint32_t plane = i / shape_.pods;
      for (std::uint32_t link = 0; link < shape_.cores() * options_.core_parallel_links; ++link) {
        const std::uint32_t core = link % shape_.cores();
        builder_.connect({.lower = agg_of(plane, i % shape_.pods, core / shape_.cores_per_agg),
                          .upper = NodeIndex(first_core_ + plane * shape_.cores() + core)},
                         options_.core_link);
      }
    }
  }

  [[nodiscard]] std::uint32_t plane_of_leaf(std::uint32_t leaf) const {
    return shape_.places.plane_of(leaf % options_.ports_per_nic);
  }
  [[nodiscard]] std::uint32_t pod_of_leaf(std::uint32_t leaf) const {
    return leaf / options_.ports_per_nic / shape_.racks_per_pod;
  }
  [[nodiscard]] NodeIndex agg_of(std::uint32_t plane, std::uint32_t pod, std::uint32_t agg) const {
    return NodeIndex(first_agg_ + (plane * shape_.pods + pod) * shape_.aggs_per_pod + agg);
  }

  const FatTreeOptions& options_;
  Shape shape_;
  GraphBuilder builder_;
  std::uint32_t leaves_ = 0;  // of all planes
  std::uint32_t first_leaf_ = 0;
  std::uint32_t first_agg_ = 0;
  std::uint32_t first_core_ = 0;
};

}  // namespace

Result<Graph> build_graph(const FatTreeOptions& options) {
  if (Result<void> valid = check_switches(options); !valid) {
    return pass_on(valid);
  }
  if (Result<void> valid = check_splits(options); !valid) {
    return pass_on(valid);
  }
  Result<Shape> shape = shape_of(options);
  if (!shape) {
    return pass_on(shape);
  }
  return FatTreeBuilder(options, *shape).build();
}

}  // namespace weft::fabric
