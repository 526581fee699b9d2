// Routes of k-ary fat-trees: set-up, set-up after a failure, and the lookups that every packet-hop makes. `/radix`
#include <benchmark/benchmark.h>

#include <vector>

#include "base/random.h"
#include "fabric/routing/forwarding_table.h"
#include "fabric/routing/path_choice.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/fat_tree.h"

namespace weft::fabric {
namespace {

Graph tree(const benchmark::State& state) {
  return build_graph(FatTreeOptions{.radix = static_cast<std::uint32_t>(state.range(0))}).value();
}

void build_topology(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(tree(state));
  }
}
BENCHMARK(build_topology)->Arg(8)->Arg(16)->Arg(32)->Unit(benchmark::kMillisecond);

void set_up_routes(benchmark::State& state) {
  const Graph graph = tree(state);
  std::size_t bytes = 0;
  for (auto _ : state) {
    const Routes routes(graph);
    bytes = routes.heap_bytes();
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(set_up_routes)->Arg(8)->Arg(16)->Arg(32)->Unit(benchmark::kMillisecond);

void recompute_after_a_failure(benchmark::State& state) {
  const Graph graph = tree(state);
  Routes routes(graph);
  routes.set_link(LinkIndex(static_cast<std::uint32_t>(graph.links.size() - 1)), LinkState::kDown);
  for (auto _ : state) {
    routes.recompute();
  }
  state.counters["bytes"] = static_cast<double>(routes.heap_bytes());
}
BENCHMARK(recompute_after_a_failure)->Arg(32)->Unit(benchmark::kMillisecond);

struct Query {
  std::uint32_t node;
  EndpointId destination;
  std::uint32_t hash;
};

/// At random switches, to random destinations: no lookup is predicted by the last.
std::vector<Query> queries(const Graph& graph) {
  RandomStream random(1, "queries");
  std::vector<Query> made(1U << 16);
  for (Query& query : made) {
    query = {.node = static_cast<std::uint32_t>(random.uniform(graph.switches())),
             .destination = EndpointId(static_cast<std::uint32_t>(random.uniform(graph.endpoints))),
             .hash = static_cast<std::uint32_t>(random.next())};
  }
  return made;
}

void choose_by_ecmp(benchmark::State& state) {
  const Graph graph = tree(state);
  const Routes routes(graph);
  const std::vector<Query> asked = queries(graph);
  for (auto _ : state) {
    std::uint32_t sum = 0;
    for (const Query& query : asked) {
      const NextHops hops = routes.next_hops(query.node, query.destination);
      sum += hops.size() == 1 ? hops[0] : ecmp(hops, switch_hash(query.hash, query.node));
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(asked.size()));
}
BENCHMARK(choose_by_ecmp)->Arg(8)->Arg(16)->Arg(32);

void choose_by_forwarding_table(benchmark::State& state) {
  const Graph graph = tree(state);
  const Routes routes(graph);
  const ForwardingTable table(graph);
  const std::vector<Query> asked = queries(graph);
  for (auto _ : state) {
    std::uint32_t sum = 0;
    for (const Query& query : asked) {
      sum += table.choose(query.node, query.destination, routes.next_hops(query.node, query.destination));
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(asked.size()));
}
BENCHMARK(choose_by_forwarding_table)->Arg(8)->Arg(16)->Arg(32);

}  // namespace
}  // namespace weft::fabric
