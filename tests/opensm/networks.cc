#include "tests/opensm/networks.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/random.h"

namespace weft::test {
namespace {

/// Nodes and cables; ports are taken in the order of cables.
class NetBuilder {
 public:
  void add_switch(const std::string& name, const std::string& guid = {}) {
    nodes_.push_back({.name = name, .is_switch = true, .guid = guid, .cables = {}});
    index_[name] = nodes_.size() - 1;
  }
  void add_host(const std::string& name, const std::string& at) {
    nodes_.push_back({.name = name, .is_switch = false, .guid = {}, .cables = {}});
    index_[name] = nodes_.size() - 1;
    cable(name, at);
  }
  void cable(const std::string& a, const std::string& b) {
    Node& from = nodes_[index_.at(a)];
    Node& to = nodes_[index_.at(b)];
    from.cables.push_back({.peer = b, .port = to.cables.size() + 1});
    to.cables.push_back({.peer = a, .port = from.cables.size()});
  }
  /// The cable stays in its ports and carries nothing.
  void kill(const std::string& a, const std::string& b) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      for (Cable& cable : nodes_[index_.at(from)].cables) {
        cable.dead |= cable.peer == to;
      }
    }
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const bool hosts : {true, false}) {  // the first record must be a host: the manager's
      for (const Node& node : nodes_) {
        if (node.is_switch != hosts) {
          text += record(node);
        }
      }
    }
    return text;
  }

 private:
  struct Cable {
    std::string peer;
    std::size_t port = 0;
    bool dead = false;
  };
  struct Node {
    std::string name;
    bool is_switch = false;
    std::string guid;
    std::vector<Cable> cables;
  };

  static std::string record(const Node& node) {
    std::string text = node.guid.empty() ? "" : fmt::format("switchguid={}\n", node.guid);
    text += fmt::format("{} {} \"{}\"\n", node.is_switch ? "Switch" : "Hca", node.cables.size(), node.name);
    for (std::size_t i = 0; i < node.cables.size(); ++i) {
      if (!node.cables[i].dead) {
        text += fmt::format("[{}] \"{}\"[{}]\n", i + 1, node.cables[i].peer, node.cables[i].port);
      }
    }
    return text + "\n";
  }

  std::vector<Node> nodes_;
  std::map<std::string, std::size_t> index_;
};

struct LeafSpine {
  int leaves = 4;
  int spines = 2;
  int hosts = 4;     // per leaf
  int parallel = 1;  // cables between a leaf and a spine
};

NetBuilder leaf_spine(const LeafSpine& size) {
  NetBuilder net;
  for (int leaf = 0; leaf < size.leaves; ++leaf) {
    net.add_switch(fmt::format("leaf{}", leaf));
  }
  for (int spine = 0; spine < size.spines; ++spine) {
    net.add_switch(fmt::format("spine{}", spine));
  }
  for (int host = 0; host < size.leaves * size.hosts; ++host) {
    net.add_host(fmt::format("host{}", host), fmt::format("leaf{}", host / size.hosts));
  }
  for (int leaf = 0; leaf < size.leaves; ++leaf) {
    for (int i = 0; i < size.spines * size.parallel; ++i) {
      net.cable(fmt::format("leaf{}", leaf), fmt::format("spine{}", i / size.parallel));
    }
  }
  return net;
}

/// Three tiers: pods of k/2 leaves and k/2 aggregation switches, (k/2)^2 cores; `hosts` per leaf.
NetBuilder three_tiers(int pods, int half, int hosts) {
  NetBuilder net;
  for (int core = 0; core < half * half; ++core) {
    net.add_switch(fmt::format("core{}", core));
  }
  for (int pod = 0; pod < pods; ++pod) {
    for (int i = 0; i < half; ++i) {
      net.add_switch(fmt::format("agg{}_{}", pod, i));
      net.add_switch(fmt::format("leaf{}_{}", pod, i));
    }
    for (int leaf = 0; leaf < half; ++leaf) {
      for (int host = 0; host < hosts; ++host) {
        net.add_host(fmt::format("host{}_{}_{}", pod, leaf, host), fmt::format("leaf{}_{}", pod, leaf));
      }
      for (int agg = 0; agg < half; ++agg) {
        net.cable(fmt::format("leaf{}_{}", pod, leaf), fmt::format("agg{}_{}", pod, agg));
      }
    }
    for (int core = 0; core < half * half; ++core) {
      net.cable(fmt::format("agg{}_{}", pod, core / half), fmt::format("core{}", core));
    }
  }
  return net;
}

/// Switches at the places of a grid, hosts at each, neighbours in each dimension joined around.
NetBuilder torus(const std::vector<int>& sizes, int hosts) {
  NetBuilder net;
  int places = 1;
  for (const int size : sizes) {
    places *= size;
  }
  for (int place = 0; place < places; ++place) {
    net.add_switch(fmt::format("sw{}", place));
  }
  for (int place = 0; place < places; ++place) {
    int stride = 1;
    for (const int size : sizes) {
      const int at = place / stride % size;
      if (size > 2 || at == 0) {
        net.cable(fmt::format("sw{}", place), fmt::format("sw{}", place + ((at + 1) % size - at) * stride));
      }
      stride *= size;
    }
  }
  for (int host = 0; host < places * hosts; ++host) {
    net.add_host(fmt::format("host{}", host), fmt::format("sw{}", host / hosts));
  }
  return net;
}

/// Groups of `routers`, each joined to all others of its group, with `links` to other groups each; all groups joined.
NetBuilder dragonfly(int routers, int links, int hosts) {
  NetBuilder net;
  const int groups = routers * links + 1;
  const auto name = [&](int group, int router) { return fmt::format("g{}r{}", group, router); };
  for (int i = 0; i < groups * routers; ++i) {
    net.add_switch(name(i / routers, i % routers));
  }
  for (int i = 0; i < groups * routers; ++i) {
    for (int host = 0; host < hosts; ++host) {
      net.add_host(fmt::format("host{}_{}", i, host), name(i / routers, i % routers));
    }
    for (int other = i % routers + 1; other < routers; ++other) {
      net.cable(name(i / routers, i % routers), name(i / routers, other));
    }
  }
  for (int a = 0; a < groups; ++a) {
    for (int b = a + 1; b < groups; ++b) {
      net.cable(name(a, (b - a - 1) / links), name(b, (groups - (b - a) - 1) / links));
    }
  }
  return net;
}

/// A random tree with further cables, GUIDs whose bytes are in no order, and switches without hosts.
NetBuilder random_graph(int switches, int more, std::uint64_t seed) {
  NetBuilder net;
  RandomStream random(seed, "network");
  for (int i = 0; i < switches; ++i) {
    const std::uint64_t guid =
        (random.uniform(1U << 24U) << 16U) + static_cast<std::uint64_t>(i) * 16 + 0x0008f10000000000;
    net.add_switch(fmt::format("sw{}", i), fmt::format("{:#x}", guid));
    if (i > 0) {
      net.cable(fmt::format("sw{}", i), fmt::format("sw{}", random.uniform(static_cast<std::uint64_t>(i))));
    }
  }
  for (int i = 0; i < more; ++i) {
    const std::uint64_t a = random.uniform(static_cast<std::uint64_t>(switches));
    const std::uint64_t b = random.uniform(static_cast<std::uint64_t>(switches));
    if (a != b) {
      net.cable(fmt::format("sw{}", a), fmt::format("sw{}", b));
    }
  }
  for (int host = 0; host < 2 * switches; ++host) {
    net.add_host(fmt::format("host{}", host),
                 fmt::format("sw{}", random.uniform(static_cast<std::uint64_t>(switches))));
  }
  return net;
}

}  // namespace

std::vector<Network> networks() {
  std::vector<Network> all;
  const auto add = [&](const std::string& name, const NetBuilder& net, std::uint8_t lmc = 0) -> Network& {
    all.push_back({.name = name, .text = net.text(), .lmc = lmc});
    return all.back();
  };
  add("fat_tree_4x2x4", leaf_spine({})).is_tiered = true;
  add("ring_6", torus({6}, 1));
  add("fat_tree_full_8x8x8", leaf_spine({.leaves = 8, .spines = 8, .hosts = 8})).is_tiered = true;
  add("parallel_links", leaf_spine({.leaves = 6, .spines = 3, .hosts = 5, .parallel = 2}));
  NetBuilder uneven = leaf_spine({.leaves = 5, .spines = 4, .hosts = 2});
  for (int host = 0; host < 7; ++host) {
    uneven.add_host(fmt::format("more{}", host), fmt::format("leaf{}", host * host % 5));
  }
  add("uneven_leaves", uneven);
  NetBuilder dead = leaf_spine({.leaves = 6, .spines = 3, .hosts = 5});
  dead.kill("leaf2", "spine1");
  add("dead_link", dead);
  add("three_tiers_full", three_tiers(4, 2, 2)).is_tiered = true;
  add("three_tiers_pruned", three_tiers(3, 3, 2));
  add("torus_4x4", torus({4, 4}, 2));
  add("torus_6x5", torus({6, 5}, 1));
  add("torus_6x6", torus({6, 6}, 1));
  add("torus_3x3x3", torus({3, 3, 3}, 1));
  add("hypercube_4", torus({2, 2, 2, 2}, 2));
  add("dragonfly", dragonfly(4, 1, 2));
  add("random_12", random_graph(12, 10, 1));
  add("random_20", random_graph(20, 24, 2));
  add("lmc_1_fat_tree", leaf_spine({.leaves = 5, .spines = 3, .hosts = 3, .parallel = 2}), 1);
  add("lmc_2_random", random_graph(10, 14, 3), 2);
  return all;
}

}  // namespace weft::test
