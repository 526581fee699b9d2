// A scenario file from a few answers: the cluster, its network, and one job that trains a model on all of its GPUs.
//
// Every host has a NIC for each GPU. Hosts of a leaf, and how the job is divided, follow from the answers: the least
// tensor and pipeline parallelism that fits into the GPUs' memory.
#pragma once

#include <cstdint>
#include <string>

#include "base/rate.h"
#include "base/result.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/family.h"
#include "study/scenario/quantities.h"
#include "study/scenario/topology_kind.h"

namespace weft::cli {

struct ScenarioAnswers {
  std::int64_t hosts = 8;
  std::int64_t gpus_per_host = 8;
  std::string gpu = "h100-sxm";  // of the catalogue
  Rate rate = Rate::bits_per_second(400'000'000'000);
  study::scenario::TopologyKind topology = study::scenario::TopologyKind::kRailOptimised;
  study::scenario::Oversubscription oversubscription{};
  std::string model = "llama3-8b";  // of the catalogue; empty: there is no job yet
  study::scenario::Family family = study::scenario::Family::kRoceV2;
};

/// The commented file, which can be shown, run and compared. `file` names it in messages and in its own comments.
/// Errors: what cannot be built or does not fit, in the words of the scenario's keys.
[[nodiscard]] Result<std::string> new_scenario(const ScenarioAnswers& answers, const std::string& file,
                                               const study::scenario::Catalogue& catalogue);

}  // namespace weft::cli
