#include "fabric/topology/dragonfly_plus.h"

#include <fmt/core.h>

#include <vector>

#include "fabric/topology/option_check.h"

namespace weft::fabric {
namespace {

Result<void> check_options(const DragonflyPlusOptions& options) {
  const std::uint64_t per_leaf = saturating_product({options.hosts_per_leaf, options.nics_per_host});
  const std::uint64_t upward = saturating_product({options.spines, options.parallel_links});
  const std::uint64_t downward = saturating_product({options.leaves, options.parallel_links});
  const std::uint64_t others = options.groups > 0 ? options.groups - 1 : 0;
  const std::uint64_t global = saturating_product({others, options.global_links});
  const std::uint64_t per_spine = options.spines > 0 ? (global + options.spines - 1) / options.spines : 0;
  return OptionCheck("dragonfly-plus")
      .positive({"groups", options.groups})
      .positive({"leaves", options.leaves})
      .positive({"spines", options.spines})
      .positive({"hosts_per_leaf", options.hosts_per_leaf})
      .positive({"nics_per_host", options.nics_per_host})
      .positive({"parallel_links", options.parallel_links})
      .positive({"global_links", options.global_links})
      .cable("host_link", options.host_link)
      .cable("leaf_link", options.leaf_link)
      .cable("global_link", options.global_link)
      .size({.endpoints = saturating_product({options.groups, options.leaves, per_leaf}),
             .switches = saturating_product({options.groups, std::uint64_t{options.leaves} + options.spines}),
             .largest_switch = per_leaf + upward})
      .size({.largest_switch = downward + per_spine})
      .result();
}

class DragonflyBuilder {
 public:
  explicit DragonflyBuilder(const DragonflyPlusOptions& options)
      : options_(options),
        per_leaf_(options.hosts_per_leaf * options.nics_per_host),
        first_switch_(options.groups * options.leaves * per_leaf_),
        builder_(options.domains) {}

  Graph build() && {
    builder_.add_hosts({.hosts = options_.groups * options_.leaves * options_.hosts_per_leaf,
                        .nics_per_host = options_.nics_per_host});
    for (std::uint32_t group = 0; group < options_.groups; ++group) {
      add_switches(group);
    }
    for (std::uint32_t endpoint = 0; endpoint < first_switch_; ++endpoint) {
      const std::uint32_t leaf = endpoint / per_leaf_;
      builder_.connect({.lower = NodeIndex(endpoint), .upper = leaf_of(leaf / options_.leaves, leaf % options_.leaves)},
                       options_.host_link);
    }
    for (std::uint32_t group = 0; group < options_.groups; ++group) {
      join_leaves(group);
    }
    join_groups();
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] NodeIndex leaf_of(std::uint32_t group, std::uint32_t leaf) const {
    return NodeIndex(first_switch_ + group * (options_.leaves + options_.spines) + leaf);
  }
  [[nodiscard]] NodeIndex spine_of(std::uint32_t group, std::uint32_t spine) const {
    return leaf_of(group, options_.leaves + spine);
  }
  void add_switches(std::uint32_t group) {
    const auto number = static_cast<std::uint16_t>(group + 1);
    for (std::uint32_t leaf = 0; leaf < options_.leaves; ++leaf) {
      builder_.add_switch({.name = fmt::format("group{}/leaf{}", group, leaf), .group = number});
    }
    for (std::uint32_t spine = 0; spine < options_.spines; ++spine) {
      builder_.add_switch({.name = fmt::format("group{}/spine{}", group, spine), .tier = 2, .group = number});
    }
  }
  void join_leaves(std::uint32_t group) {
    for (std::uint32_t leaf = 0; leaf < options_.leaves; ++leaf) {
      for (std::uint32_t i = 0; i < options_.spines * options_.parallel_links; ++i) {
        builder_.connect({.lower = leaf_of(group, leaf), .upper = spine_of(group, i % options_.spines)},
                         options_.leaf_link);
      }
    }
  }
  void join_groups() {
    std::vector<std::uint32_t> used(options_.groups, 0);  // global cables so far
    for (std::uint32_t a = 0; a < options_.groups; ++a) {
      for (std::uint32_t b = a + 1; b < options_.groups; ++b) {
        for (std::uint32_t i = 0; i < options_.global_links; ++i) {
          builder_.connect(
              {.lower = spine_of(a, used[a]++ % options_.spines), .upper = spine_of(b, used[b]++ % options_.spines)},
              options_.global_link);
        }
      }
    }
  }

  DragonflyPlusOptions options_;
  std::uint32_t per_leaf_;
  std::uint32_t first_switch_;
  GraphBuilder builder_;
};

}  // namespace

Result<Graph> build_graph(const DragonflyPlusOptions& options) {
  if (Result<void> valid = check_options(options); !valid) {
    return pass_on(valid);
  }
  return DragonflyBuilder(options).build();
}

}  // namespace weft::fabric
