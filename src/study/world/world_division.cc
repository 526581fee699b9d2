#include "study/world/world_division.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
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
/// No partition has more than this part of all ends of cables, or threads would wait for the one that has it.
constexpr std::uint32_t kFewestLargeParts = 4;

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

using FirstOfHost = std::unordered_map<std::string_view, std::uint32_t>;  // lookup only

/// The first port in the network of a host that has GPUs in the domain; none: of hosts without NICs.
std::optional<std::uint32_t> network_port_of(const fabric::ScaleUpDomain& domain, const FirstOfHost& first) {
  for (const fabric::ScaleUpPort& port : domain.ports) {
    if (const auto found = first.find(fabric::host_name(port.name)); found != first.end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

// Credits of scale-up links come back without an event, sooner than any cable is long.
void join_domains(const fabric::ScaleUpOptions& scale_up, const FirstOfHost& first, Groups& groups) {
  for (const fabric::ScaleUpDomain& domain : scale_up.domains) {
    const std::optional<std::uint32_t> port = network_port_of(domain, first);
    for (const fabric::ScaleUpPort& other : domain.ports) {
      if (const auto found = first.find(fabric::host_name(other.name)); found != first.end()) {
        groups.join(found->second, *port);
      }
    }
  }
}

FirstOfHost first_ports(const fabric::Graph& graph) {
  FirstOfHost first;
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    first.try_emplace(fabric::host_name(graph.nodes[i]), i);
  }
  return first;
}

// The ports of a host share processors, memory and PCIe.
void join_hosts(const WorldOptions& options, Groups& groups) {
  const FirstOfHost first = first_ports(options.graph);
  for (std::uint32_t i = 0; i < options.graph.endpoints; ++i) {
    groups.join(i, first.at(fabric::host_name(options.graph.nodes[i])));
  }
  for (const MachinePlan& machine : options.machines) {
    for (const EndpointId rail : machine.rails) {
      groups.join(rail.value(), machine.rails.front().value());
    }
  }
  if (options.scale_up) {
    join_domains(*options.scale_up, first, groups);
  }
}

// Of both directions.
std::uint32_t wires_of(const fabric::ScaleUpDomain& domain) {
  const auto ports = static_cast<std::uint32_t>(domain.ports.size());
  return domain.shape == fabric::ScaleUpShape::kSwitch ? 2 * ports : ports * ports;
}

std::uint64_t wires_of(const fabric::ScaleUpOptions& scale_up) {
  std::uint64_t wires = 0;
  for (const fabric::ScaleUpDomain& domain : scale_up.domains) {
    wires += wires_of(domain);
  }
  return wires;
}

/// What runs over a domain's links is work of the partition of its hosts.
void add_domains(const fabric::ScaleUpOptions& scale_up, const FirstOfHost& first, WorldDivision& division) {
  for (const fabric::ScaleUpDomain& domain : scale_up.domains) {
    const std::optional<std::uint32_t> port = network_port_of(domain, first);
    const sim::PartitionIndex number = port ? division.of_node[*port] : sim::PartitionIndex{1};
    division.of_domain.push_back(number);
    division.ports[number] += wires_of(domain);
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
  if (options.scale_up) {
    add_domains(*options.scale_up, first_ports(graph), division);
  }
  return division;
}

std::uint64_t ends_of(const WorldDivision& division) {
  return std::accumulate(division.ports.begin(), division.ports.end(), std::uint64_t{0});
}

std::int64_t events_per_window(const WorldDivision& division, std::uint64_t ends) {
  return static_cast<std::int64_t>(ends) * division.lookahead.picoseconds() / kPicosecondsPerEvent;
}

bool is_worthwhile(const WorldDivision& division) {
  const std::size_t partitions = division.ports.size() - 1;
  const std::uint64_t ends = ends_of(division);
  return partitions >= kFewestPartitions && ends >= kFewestPorts &&
         events_per_window(division, ends / std::max<std::size_t>(partitions, 1)) >= kEventsPerWindow &&
         *std::ranges::max_element(division.ports) <= kMaxPorts;
}

// Neighbours in the order of the graph go together until they have enough to do in a window. Switches come behind the
// hosts, so that few partitions have both.
WorldDivision coalesced(WorldDivision division) {
  std::vector<sim::PartitionIndex> numbers(division.ports.size(), 0);
  std::vector<std::uint32_t> ports{0};
  bool is_full = true;
  for (std::size_t i = 1; i < division.ports.size(); ++i) {
    if (is_full) {
      ports.push_back(0);
    }
    ports.back() += division.ports[i];
    numbers[i] = static_cast<sim::PartitionIndex>(ports.size() - 1);
    is_full = events_per_window(division, ports.back()) >= kEventsPerWindow;
  }
  for (std::vector<sim::PartitionIndex>* const all : {&division.of_node, &division.of_domain}) {
    for (sim::PartitionIndex& number : *all) {
      number = numbers[number];
    }
  }
  division.ports = std::move(ports);
  return division;
}

/// Whether parts that are too large for the caches next to the processor, or were made of several, still serve several
/// threads: none has most of the work.
bool serves_threads(const WorldDivision& division) {
  const std::uint64_t ends = ends_of(division);
  return division.ports.size() > kFewestPartitions && ends >= kFewestPorts &&
         *std::ranges::max_element(division.ports) * kFewestLargeParts <= ends;
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
  if (options.division == Division::kNever || options.scale_up_graph.reducer_ports > 0 || graph.reducer_ports > 0) {
    return {};
  }
  std::set<Duration, std::greater<>> delays;
  for (const fabric::Link& link : graph.links) {
    delays.insert(link.propagation);
  }
  // The longest windows first. Cables have few different lengths; of the many that a file may give not all are tried.
  constexpr int kTries = 16;
  WorldDivision second_best;
  int tries = 0;
  for (auto delay = delays.begin(); delay != delays.end() && tries < kTries; ++delay, ++tries) {
    WorldDivision division = cut_at(options, *delay);
    if (division.ports.size() <= 2 || division.lookahead == Duration::zero()) {
      continue;
    }
    if (options.division == Division::kWhereverPossible || is_worthwhile(division)) {
      return division;
    }
    if (division = coalesced(std::move(division)); !second_best.is_divided() && serves_threads(division)) {
      second_best = std::move(division);
    }
  }
  return second_best;
}

namespace {

// Partitions that are alike and follow one another, such as the pods of a fat-tree, are dealt in as many pieces as
// there are workers; what is left over goes to whoever has least.
std::vector<WorkerIndex> deal(const WorldDivision& division, std::uint32_t workers) {
  const std::size_t partitions = division.ports.size();
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

}  // namespace

std::vector<WorkerIndex> deal_among_workers(const WorldDivision& division, std::uint32_t workers) {
  const std::size_t most = std::min<std::size_t>(division.ports.size() - 1, kMaxWorkers);
  return deal(division, static_cast<std::uint32_t>(std::clamp<std::size_t>(workers, 1, most)));
}

ProcessShare deal_among_processes(const WorldDivision& division, std::uint32_t processes, std::uint32_t own,
                                  std::uint32_t threads) {
  if (division.ports.size() - 1 < processes) {
    return {};
  }
  const std::vector<WorkerIndex> process_of = deal(division, processes);
  for (std::uint32_t process = 0; process < processes; ++process) {
    if (std::find(process_of.begin() + 1, process_of.end(), process) == process_of.end()) {
      return {};  // in every process alike
    }
  }
  WorldDivision mine{.lookahead = division.lookahead};
  std::vector<std::size_t> numbers;  // of its partitions, in all
  mine.ports.push_back(0);
  for (std::size_t i = 1; i < process_of.size(); ++i) {
    if (process_of[i] == own) {
      mine.ports.push_back(division.ports[i]);
      numbers.push_back(i);
    }
  }
  const std::vector<WorkerIndex> dealt = deal_among_workers(mine, threads);
  const WorkerIndex workers = *std::ranges::max_element(dealt) + 1;
  ProcessShare share{.worker_of = std::vector<WorkerIndex>(process_of.size(), 0), .workers = workers};
  std::vector<WorkerIndex>& all = share.worker_of;
  for (std::size_t i = 1; i < process_of.size(); ++i) {
    all[i] = workers + process_of[i] - (process_of[i] > own ? 1 : 0);
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    all[numbers[i]] = dealt[i + 1];
  }
  return share;
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
