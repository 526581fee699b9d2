// What a scenario says of the work: traffic, jobs, and events that happen to the network meanwhile.
//
// Lists are in the order of the file. An empty optional stands for the word given in docs/scenario.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/data_size.h"
#include "base/probability.h"
#include "base/rate.h"
#include "base/time.h"
#include "study/scenario/family.h"
#include "study/scenario/scenario_training.h"
#include "workload/collective/collectives.h"
#include "workload/queue_pair_use.h"

namespace weft::study::scenario {

enum class TrafficKind : std::uint8_t {
  kFlows,
  kPermutation,
  kIncast,
  kAllToAll,
  kPoisson,
  kRingAllReduce,
  kCollective,
  kCheckpoint,
  kMulticast
};
enum class Operation : std::uint8_t { kWrite, kRead, kSend, kWriteImm };

/// Which network carries a traffic: that of [fabric], or the links of [scale_up].
enum class TrafficRoute : std::uint8_t { kFabric, kScaleUp };

/// Who a flow is from and to: a port of a NIC, or a NIC, whose ports take the queue pairs of a connection in turn.
enum class TrafficEnds : std::uint8_t { kPorts, kNics };

/// One [[traffic]]. Which members mean something depends on the kind.
struct TrafficSettings {
  std::string name;  // "traffic0" where the file gives none
  TrafficKind kind = TrafficKind::kFlows;
  Operation operation = Operation::kWrite;
  Bytes size;                        // per message; per rank for ring-all-reduce
  std::int64_t count = 1;            // messages per flow, or repetitions of the collective
  std::int64_t depth = 1;            // messages of a flow in flight
  Duration start;                    // since the start of the run
  Duration start_jitter;             // each rank starts up to so much later
  std::optional<Duration> stop;      // no new message from then on; none: until the run ends
  Probability load;                  // poisson: of each host's rate
  std::string cdf;                   // poisson: name of a size distribution, or a file
  std::int64_t shift = 0;            // permutation: host i sends to i + shift; 0: drawn from the seed
  std::optional<Rate> rate;          // multicast: of each sender's payload; none: that of its port
  std::int64_t fan_in = 0;           // incast: senders; 0: all other hosts
  std::vector<std::string> sources;  // selectors of hosts or NICs, or of ranks of `job`; empty: all
  std::vector<std::string> destinations;
  std::string file;                      // flows: a list in a file, relative to the scenario
  std::optional<std::int64_t> priority;  // none: [qos]
  std::optional<Family> family;          // none: that of [fabric]
  bool required = true;                  // no: left out where the network's family cannot carry it
  std::string job;                       // empty: hosts are the participants
  TrafficRoute over = TrafficRoute::kFabric;
  TrafficEnds ends = TrafficEnds::kPorts;
  // Collectives; a value that is not given is that of [collectives].
  workload::CollectiveKind collective = workload::CollectiveKind::kAllReduce;
  workload::CollectiveAlgorithm algorithm = workload::CollectiveAlgorithm::kAutomatic;
  std::int64_t root = 0;
  std::optional<std::int64_t> channels;
  std::optional<Bytes> chunk;
  // Of all traffic; not given: those of [collectives] for collectives, else one.
  std::optional<std::int64_t> queue_pairs;
  std::optional<workload::QueuePairUse> queue_pair_use;
};

/// A [[traffic]] that is not required, and why this network cannot carry it.
struct TrafficLeftOut {
  std::string name;
  std::string reason;
};

enum class Placement : std::uint8_t { kPacked, kSpread, kRandom, kListed };

/// One [[job]]: ranks, one on each of its GPUs. Which members mean something depends on the workload.
struct JobSettings {
  std::string name;
  std::int64_t ranks = 0;  // 0 in a file: what the parallelism needs
  Placement placement = Placement::kPacked;
  std::vector<std::string> places;  // listed: one "host3/gpu0" per rank
  JobWorkload workload = JobWorkload::kTraining;
  TrainingSettings training{};
  DecodeSettings decode{};
  HaloSettings halo{};

  [[nodiscard]] bool trains() const { return workload == JobWorkload::kTraining && !training.model.empty(); }
  /// Whether its ranks run steps; else they are there for [[traffic]] alone.
  [[nodiscard]] bool runs_steps() const { return workload != JobWorkload::kTraining || trains(); }
};

enum class EventAction : std::uint8_t { kFail, kDegrade, kRestore };
/// Of a degraded link: both, or only what leaves the selected ports.
enum class EventDirection : std::uint8_t { kBoth, kOut };

/// One [[event]].
struct EventSettings {
  Duration at;         // since the start of the run
  std::string select;  // devices, ports, or links by one of their ports
  EventAction action = EventAction::kFail;
  Rate rate;  // degrade
  EventDirection direction = EventDirection::kBoth;
};

}  // namespace weft::study::scenario
