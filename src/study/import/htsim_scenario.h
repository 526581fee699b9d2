// A scenario from the inputs of htsim_uec: topology, flows and options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/import/connection_matrix.h"
#include "study/import/htsim_topology.h"
#include "study/import/htsim_values.h"
#include "study/scenario/family.h"

namespace weft::study::import {

struct HtsimInputs {
  std::string matrix_file;    // named in comments
  std::string topology_file;  // empty: a whole tree, by options
  ConnectionMatrix matrix;
  HtsimTopology topology;
  HtsimSettings settings{};
  std::uint32_t failed = 0;  // links at a quarter of their speed
  std::uint64_t seed = 13;
  std::optional<Duration> end{};
  scenario::Family family = scenario::Family::kRoceV2;
};

/// Files to write: the scenario names the others by what is given here.
struct HtsimFileNames {
  std::string flows;  // "one.flows.csv"
  std::string graph;  // "one.graph"
};

struct HtsimScenario {
  std::string scenario;            // TOML
  std::string flows;               // a flow list
  std::string graph;               // empty: the topology's keys say all
  std::vector<std::string> notes;  // what the scenario does otherwise than htsim
};

/// Errors: nodes of the two files that differ; failed links that the topology does not have; derive_values.
[[nodiscard]] Result<HtsimScenario> make_scenario(const HtsimInputs& inputs, const HtsimFileNames& names);

}  // namespace weft::study::import
