#include "fabric/topology/fat_tree.h"

#include <fmt/core.h>

#include <algorithm>

#include "fabric/topology/option_check.h"

namespace weft::fabric {
namespace {

/// Counts of a tree, whole or partial. A tree of two tiers is one pod whose aggregation switches are the spines.
struct Shape {
  std::uint32_t hosts_per_leaf = 0;
  std::uint32_t leaves_per_pod = 0;
  std::uint32_t aggs_per_pod = 0;
  std::uint32_t cores_per_agg = 0;
  std::uint32_t pods = 0;

  std::uint32_t hosts = 0;
  std::uint32_t leaves = 0;

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
  shape.hosts_per_leaf = (options.radix - uplinks(options)) / options.nics_per_host;
  shape.leaves_per_pod = (has_cores ? half : options.radix) / options.parallel_links;
  shape.aggs_per_pod = uplinks(options) / options.parallel_links;
  shape.cores_per_agg = has_cores ? half / options.core_parallel_links : 0;
  shape.pods = has_cores ? options.radix / options.core_parallel_links : 1;
  const std::uint64_t most = saturating_product({shape.hosts_per_leaf, shape.leaves_per_pod, shape.pods});
  if (options.hosts > most) {
    return fail("fat-tree: hosts is {}, a tree of {} tiers and radix {} with these options has room for {}",
                options.hosts, options.tiers, options.radix, most);
  }
  const std::uint64_t hosts = options.hosts == 0 ? most : options.hosts;
  const std::uint64_t leaves = (hosts + shape.hosts_per_leaf - 1) / shape.hosts_per_leaf;
  const std::uint64_t pods = (leaves + shape.leaves_per_pod - 1) / shape.leaves_per_pod;
  Result<void> fits = OptionCheck("fat-tree")
                          .size({.endpoints = saturating_product({hosts, options.nics_per_host}),
                                 .switches = leaves + pods * shape.aggs_per_pod + shape.cores()})
                          .result();
  if (!fits) {
    return pass_on(fits);
  }
  shape.hosts = static_cast<std::uint32_t>(hosts);
  shape.leaves = static_cast<std::uint32_t>(leaves);
  shape.pods = static_cast<std::uint32_t>(pods);
  if (shape.leaves == 1) {
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
    builder_.add_hosts({.hosts = shape_.hosts, .nics_per_host = options_.nics_per_host});
    add_switches();
    connect_leaves();
    connect_cores();
    return std::move(builder_).finish();
  }

 private:
  void add_switches() {
    const bool has_pods = options_.tiers == 3;
    first_leaf_ = shape_.hosts * options_.nics_per_host;
    for (std::uint32_t i = 0; i < shape_.leaves; ++i) {
      builder_.add_switch({.name = has_pods ? fmt::format("pod{}/leaf{}", pod_of(i), i % shape_.leaves_per_pod)
                                            : fmt::format("leaf{}", i)});
    }
    first_agg_ = first_leaf_ + shape_.leaves;
    for (std::uint32_t i = 0; i < shape_.pods * shape_.aggs_per_pod; ++i) {
      builder_.add_switch({.name = has_pods
                                       ? fmt::format("pod{}/agg{}", i / shape_.aggs_per_pod, i % shape_.aggs_per_pod)
                                       : fmt::format("spine{}", i),
                           .tier = 2});
    }
    first_core_ = first_agg_ + shape_.pods * shape_.aggs_per_pod;
    for (std::uint32_t i = 0; i < shape_.cores(); ++i) {
      builder_.add_switch({.name = fmt::format("core{}", i), .tier = 3});
    }
  }

  void connect_leaves() {
    const std::uint32_t per_leaf = shape_.hosts_per_leaf * options_.nics_per_host;
    for (std::uint32_t endpoint = 0; endpoint < first_leaf_; ++endpoint) {
      builder_.connect({.lower = NodeIndex(endpoint), .upper = NodeIndex(first_leaf_ + endpoint / per_leaf)},
                       options_.host_link);
    }
    for (std::uint32_t leaf = 0; leaf < shape_.leaves; ++leaf) {
      for (std::uint32_t i = 0; i < shape_.aggs_per_pod * options_.parallel_links; ++i) {
        builder_.connect(
            {.lower = NodeIndex(first_leaf_ + leaf), .upper = agg_of(pod_of(leaf), i % shape_.aggs_per_pod)},
            options_.leaf_link);
      }
    }
  }

  void connect_cores() {
    for (std::uint32_t pod = 0; pod < shape_.pods; ++pod) {
      for (std::uint32_t i = 0; i < shape_.cores() * options_.core_parallel_links; ++i) {
        const std::uint32_t core = i % shape_.cores();
        builder_.connect({.lower = agg_of(pod, core / shape_.cores_per_agg), .upper = NodeIndex(first_core_ + core)},
                         options_.core_link);
      }
    }
  }

  [[nodiscard]] std::uint32_t pod_of(std::uint32_t leaf) const { return leaf / shape_.leaves_per_pod; }
  [[nodiscard]] NodeIndex agg_of(std::uint32_t pod, std::uint32_t agg) const {
    return NodeIndex(first_agg_ + pod * shape_.aggs_per_pod + agg);
  }

  const FatTreeOptions& options_;
  Shape shape_;
  GraphBuilder builder_;
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
