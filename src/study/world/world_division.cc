#include "study/world/world_division.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>

#include "fabric/topology/graph_query.h"
#include "study/world/world.h"

namespace weft::study::world {
namespace {

/// The time between two events of a busy cable's end, roughly.
constexpr std::int64_t kPicosecondsPerEvent = 100'000;
/// A window in which a partition has less to do costs more than it saves.
constexpr std::int64_t kEventsPerWindow = 4;
/// What watches the whole network (deadlocks) does so after some windows, not within one.
constexpr Duration kLongestWindow = 10_us;
constexpr std::uint32_t kFewestPartitions = 8;
/// A world with fewer ends of cables lies in the caches as a whole.
constexpr std::uint32_t kFewestPorts = 512;
/// What a partition of so many ends of cables has in hand no longer fits the caches next to the processor.
constexpr std::uint32_t kMaxPorts = 512;

constexpr std::uint64_t kOneListPorts = 32;
/// Of a bucket, in picoseconds, where all that happens in a few windows goes into one.
constexpr std::uint64_t kOneListWidth = std::uint64_t{1} << 23;
/// The width of a bucket elsewhere, times the ends of cables.
constexpr std::uint64_t kBusyPicoseconds = 2'560'000;

/// Sets of nodes that are being joined.
class Groups {
 public:
  explicit Groups(std::size_t nodes) : parents_(nodes) { std::iota(parents_.begin(), parents_.end(), 0U); }
  void join(std::uint32_t a, std::uint32_t b) { parents_[find(a)] = find(b); }
  [[nodiscard]] std::uint32_t find(std::uint32_t node) {
    while (parents_[node] != node) {
      parents_[node] = parents_[parents_[node]];
      node = parents_[node];
    }
    return node;
  }

 private:
  std::vector<std::uint32_t> parents_;
};

// The ports of a host share processors, memory and PCIe.
void join_hosts(const WorldOptions& options, Groups& groups) {
  std::unordered_map<std::string_view, std::uint32_t> first;  // lookup only
  for (std::uint32_t i = 0; i < options.graph.endpoints; ++i) {
    groups.join(i, first.try_emplace(fabric::host_name(options.graph.nodes[i]), i).first->second);
  }
  for (const MachinePlan& machine : options.machines) {
    for (const EndpointId rail : machine.rails) {
      groups.join(rail.value(), machine.rails.front().value());
    }
  }
}

WorldDivision cut_at(const WorldOptions& options, Duration lookahead) {
  const fabric::Graph& graph = options.graph;
  Groups groups(graph.nodes.size());
  join_hosts(options, groups);
  for (const fabric::Link& link : graph.links) {
    if (link.propagation < lookahead) {
      groups.join(link.a.node.value(), link.b.node.value());
    }
  }
  WorldDivision division{.lookahead = std::min(lookahead, kLongestWindow)};
  std::vector<sim::PartitionIndex> numbers(graph.nodes.size(), 0);
  division.ports.push_back(0);
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    sim::PartitionIndex& number = numbers[groups.find(i)];
    if (number == 0) {
      number = static_cast<sim::PartitionIndex>(division.ports.size());
      division.ports.push_back(0);
    }
    division.of_node.push_back(number);
    division.ports[number] += graph.nodes[i].ports;
  }
  return division;
}

bool is_worthwhile(const WorldDivision& division) {
  const std::size_t partitions = division.ports.size() - 1;
  const std::uint64_t ports = std::accumulate(division.ports.begin(), division.ports.end(), std::uint64_t{0});
  const auto events = static_cast<std::int64_t>(ports / std::max<std::size_t>(partitions, 1)) *
                      division.lookahead.picoseconds() / kPicosecondsPerEvent;
  return partitions >= kFewestPartitions && ports >= kFewestPorts && events >= kEventsPerWindow &&
         *std::ranges::max_element(division.ports) <= kMaxPorts;
}

// Of both directions.
std::uint64_t wires_of(const fabric::ScaleUpOptions& scale_up) {
  std::uint64_t wires = 0;
  for (const fabric::ScaleUpDomain& domain : scale_up.domains) {
    const std::uint64_t ports = domain.ports.size();
    wires += domain.shape == fabric::ScaleUpShape::kSwitch ? 2 * ports : ports * ports;
  }
  return wires;
}

// The end of a busy cable has an event about every 40 ns and seldom more than one pending. A partition of a few has one
// sorted list; elsewhere a bucket holds some thirty to sixty events (measured in docs/decisions, 0033).
sim::EventSet::Options event_set_for(std::uint64_t ports) {
  const std::uint64_t width = ports <= kOneListPorts ? kOneListWidth : kBusyPicoseconds / ports;
  const auto shift = static_cast<std::uint8_t>(std::bit_width(std::max<std::uint64_t>(width, 16)) - 1);
  // The ring spans about two microseconds, so that cables of the usual length need no overflow.
  const auto count = static_cast<std::uint8_t>(std::clamp(21 - int{shift}, 6, 17));
  return {.bucket_shift = shift, .bucket_count_shift = count};
}

}  // namespace

WorldDivision divide_world(const WorldOptions& options) {
  const fabric::Graph& graph = options.graph;
  if (options.division == Division::kNever || options.scale_up || graph.reducer_ports > 0) {
    return {};
  }
  std::set<Duration, std::greater<>> delays;
  for (const fabric::Link& link : graph.links) {
    delays.insert(link.propagation);
  }
  // The longest windows first. Cables have few different lengths; of the many that a file may give not all are tried.
  int tries = 16;
  for (const Duration delay : delays) {
    WorldDivision division = cut_at(options, delay);
    const bool is_possible = division.ports.size() > 2 && division.lookahead > Duration::zero();
    if (is_possible && (options.division == Division::kWhereverPossible || is_worthwhile(division))) {
      return division;
    }
    if (--tries == 0) {
      break;
    }
  }
  return {};
}

// Partitions that are alike and follow one another, such as the pods of a fat-tree, are dealt in as many pieces as
// there are workers; what is left over goes to whoever has least.
std::vector<WorkerIndex> deal_among_workers(const WorldDivision& division, std::uint32_t workers) {
  const std::size_t partitions = division.ports.size();
  workers = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(workers, 1, std::min<std::size_t>(partitions - 1, kMaxWorkers)));
  std::vector<WorkerIndex> dealt(partitions, 0);
  std::vector<std::uint64_t> load(workers, 0);
  for (std::size_t first = 1; first < partitions;) {
    std::size_t end = first + 1;
    while (end < partitions && division.ports[end] == division.ports[first]) {
      ++end;
    }
    std::vector<WorkerIndex> order(workers);
    std::iota(order.begin(), order.end(), WorkerIndex{0});
    std::ranges::stable_sort(order, {}, [&](WorkerIndex worker) { return load[worker]; });
    const std::size_t pieces = std::min<std::size_t>(workers, end - first);
    for (std::size_t i = first; i < end; ++i) {
      const WorkerIndex worker = order[(i - first) * pieces / (end - first)];
      dealt[i] = worker;
      load[worker] += division.ports[i];
    }
    first = end;
  }
  return dealt;
}

sim::Kernel::Division event_sets_for(const WorldOptions& options, const WorldDivision& division) {
  sim::Kernel::Division sets{.lookahead = division.lookahead, .event_sets = {}};
  const fabric::Graph& graph = options.graph;
  if (division.lookahead == Duration::zero()) {
    const std::uint64_t ends = 2 * graph.links.size() + (options.scale_up ? wires_of(*options.scale_up) : 0);
    sets.event_sets.push_back(event_set_for(ends));
    sets.event_sets.front().prefetches = graph.endpoints >= options.prefetch_from;
  }
  for (const std::uint32_t ports : division.ports) {
    sets.event_sets.push_back(event_set_for(ports));
  }
  return sets;
}

}  // namespace weft::study::world
