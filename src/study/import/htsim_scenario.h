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
#include "study/scenario/path_rule.h"

namespace weft::study::import {

/// What tells of a loss that no switch reports: timeouts alone, or packets out of order and probes too (SLEEK).
enum class HtsimLosses : std::uint8_t { kTimeouts, kSleek };

/// Who limits what is sent: the sender by a window (NSCC), the receiver by credit (RCCC), or both.
enum class HtsimControl : std::uint8_t { kSender, kReceiver, kBoth };

/// Options that are of Ultra Ethernet alone, with what the reference does by itself.
struct HtsimProtocol {
  HtsimControl control = HtsimControl::kSender;
  scenario::PathRule paths_by = scenario::PathRule::kMixed;
  std::int64_t paths = 64;                         // a power of two
  Bytes sack_threshold{16384};                     // received per acknowledgement
  Bytes trimmed{64};                               // left of a packet, at least 64
  std::optional<Duration> target_delay{};          // none: 0.75 round trips with trimming, one without
  std::optional<std::int64_t> quick_adapt_gate{};  // none: 3, windows / 2^3
  HtsimLosses losses = HtsimLosses::kTimeouts;
};

struct HtsimInputs {
  std::string matrix_file;    // named in comments
  std::string topology_file;  // empty: a whole tree, by options
  ConnectionMatrix matrix;
  HtsimTopology topology;
  HtsimSettings settings{};
  HtsimProtocol protocol{};
  std::uint32_t failed = 0;  // links at a quarter of their speed: of three tiers only from the core down
  std::uint64_t seed = 13;
  std::optional<Duration> end{};
  scenario::Family family = scenario::Family::kUet;
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
