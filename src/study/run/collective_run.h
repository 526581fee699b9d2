// Collectives timed as nccl-tests time them: one job on a cluster made for it, one size after the other.
//
// The scenario is made in memory from a few counts and rates; settings may change any key of it. Sizes whose
// simulation would be too long are extrapolated from two smaller ones with the same chunks, and say so.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/run/simulation.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

struct CollectiveRun {
  workload::CollectiveKind kind = workload::CollectiveKind::kAllReduce;
  workload::CollectiveAlgorithm algorithm = workload::CollectiveAlgorithm::kAutomatic;
  std::int64_t ranks = 16;
  std::int64_t gpus_per_host = 8;
  std::int64_t rails = 8;  // of a host
  std::string rate = "400 Gbps";
  std::string fabric = "infiniband";
  std::string topology = "rail-optimised";  // or "single-switch"
  std::string profile = "h100-cx7";
  std::string scale_up = "nvlink4";  // entry of the catalogue; no links among one GPU
  std::int64_t iterations = 1;
  std::string fidelity = "packet";  // or "flow"
  /// That a rank has open at a time, with packets (CollectiveOptions::connections); none: all of them up to
  /// `kFewRanks`, `kManyRanksConnections` beyond, where the family's connections can be closed.
  std::optional<std::int64_t> connections{};
  std::vector<std::string> settings{};  // "collectives.channels=4", stronger than all of the above
  /// Payload that all ranks together may send in a simulation; larger sizes are extrapolated.
  Bytes longest = Bytes(std::int64_t{64} << 30);
  Payload payload = Payload::kLengths;
  /// Asked now and then; false ends the run with an error.
  std::function<bool()> go_on = [] { return true; };
};

struct CollectiveTime {
  Bytes size{};     // 0 for barriers
  Duration time{};  // of one operation: from the first rank's beginning to the last rank's end, on average
  double algbw_gbytes_per_s = 0;  // size / time
  double busbw_gbytes_per_s = 0;  // times the factor of nccl-tests
  double nic_gbytes_per_s = 0;    // payload of a NIC, on average over all
  workload::CollectiveAlgorithm algorithm = workload::CollectiveAlgorithm::kAutomatic;  // what `auto` came to
  std::string wrong{};  // the first wrong number of a run with bytes; empty: all are right
  /// Of an extrapolated time: how far the same method was off for the largest simulated size.
  std::optional<double> extrapolation_error{};
  /// At the flow level: against its probes with packets, and what was compared.
  std::optional<double> flow_error{};
  std::string flow_check{};
};

inline constexpr std::int64_t kFewRanks = 256;
inline constexpr std::int64_t kManyRanksConnections = 32;

/// What nccl-tests multiply the algorithm's bandwidth with: what the busiest link must carry of each byte, at least.
[[nodiscard]] double bus_factor(workload::CollectiveKind kind, std::int64_t ranks);

/// A size that the ranks can deal with: a multiple of all their elements, at least one each; barriers have none.
[[nodiscard]] Bytes usable_size(const CollectiveRun& run, Bytes size);

/// The scenario of one size, as text of a scenario file.
[[nodiscard]] std::string collective_scenario(const CollectiveRun& run, Bytes size);
/// That scenario with the run's settings. Errors: those of parse_scenario, `connections` of a family or a fidelity that
/// cannot close them.
[[nodiscard]] Result<scenario::Scenario> read_collective_scenario(const CollectiveRun& run, Bytes size,
                                                                  const scenario::Catalogue& catalogue);

/// Errors: counts that do not divide, a topology that takes more than these counts, buffers beyond `kMaxCheckedBytes`
/// in a run with bytes.
[[nodiscard]] Result<void> check_collective_run(const CollectiveRun& run, Bytes size);

/// What the vectors of all ranks may take together where their numbers are checked.
inline constexpr Bytes kMaxCheckedBytes = Bytes(std::int64_t{1} << 30);

/// Errors: as check_collective_run, what the scenario or the ranks refuse, an end before its time.
[[nodiscard]] Result<CollectiveTime> time_collective(const CollectiveRun& run, Bytes size,
                                                     const scenario::Catalogue& catalogue);

}  // namespace weft::study::run
