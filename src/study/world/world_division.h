// Where a world is divided into partitions that the kernel runs through window by window (docs/decisions/0026).
//
// What lies close together stays together: a host with all its ports, the hosts of a scale-up domain, and what short
// cables join. The lookahead is the propagation delay of the shortest cable that is cut. A world that would fall into
// too few or too idle parts is left whole; so is one whose parts have more to do with one another than packets.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "base/worker.h"
#include "sim/kernel.h"

namespace weft::study::world {

struct WorldOptions;

enum class Division : std::uint8_t {
  kNever,
  kWhereItPays,
  kWhereverPossible,  // for tests: at the longest cables, however small or idle the parts
};

struct WorldDivision {
  Duration lookahead;                            // zero: not divided, and the rest is empty
  std::vector<sim::PartitionIndex> of_node{};    // from 1, in the order of the graph
  std::vector<sim::PartitionIndex> of_domain{};  // of scale-up links: that of its hosts
  std::vector<std::uint32_t> ports{};            // ends of cables, by partition; the first has none

  [[nodiscard]] bool is_divided() const { return lookahead > Duration::zero(); }
};

[[nodiscard]] WorldDivision divide_world(const WorldOptions& options);

/// Which worker each partition belongs to, of at most so many: equal numbers of cable ends for each, of partitions that
/// are alike as many for each, and neighbours in the graph together.
[[nodiscard]] std::vector<WorkerIndex> deal_among_workers(const WorldDivision& division, std::uint32_t workers);

/// Of one process: which worker each partition belongs to. Those of other processes have the numbers behind its own, by
/// process without this one.
struct ProcessShare {
  std::vector<WorkerIndex> worker_of{};  // empty: not every process would have a partition
  std::uint32_t workers = 0;             // of this process
};
/// The same among so many processes, each with so many threads, for process `own`.
[[nodiscard]] ProcessShare deal_among_processes(const WorldDivision& division, std::uint32_t processes,
                                                std::uint32_t own, std::uint32_t threads);

/// Event sets that fit what happens in each partition.
[[nodiscard]] sim::Kernel::Division event_sets_for(const WorldOptions& options, const WorldDivision& division);

}  // namespace weft::study::world
