// Ranks of a job, and the stable identity of a flow between two of them.
//
// Ranks count from 0 within their job. A flow's name is made of its job's name, its ends and its index, never of a
// counter shared with other flows, so that adding a flow between other ranks changes no name and no random choice.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace weft::workload {

using RankId = Id<struct RankTag>;
/// A job's place in the scenario: for look-up and reports, never for a random choice.
using JobId = Id<struct JobTag>;

/// `source` is the rank that posts the requests (for a READ the data come to it), `destination` its peer.
struct FlowId {
  JobId job{};
  RankId source{};
  RankId destination{};
  std::uint32_t index = 0;  // tells apart the flows between the same two ranks

  friend auto operator<=>(const FlowId&, const FlowId&) = default;
};

/// "training/3->7/0".
[[nodiscard]] std::string flow_name(std::string_view job_name, const FlowId& flow);

/// A job as its programs know it.
struct JobOptions {
  JobId id{};
  std::string name{};      // what random choices depend on
  std::uint64_t seed = 1;  // of the run
  std::uint32_t ranks = 0;
};

}  // namespace weft::workload
