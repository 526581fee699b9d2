// The place in a scenario of what goes wrong only when its world is assembled.
//
// Layers below know no files; their errors name keys as the scenario does ("hosts is 1000, ..."). The place is that of
// the first key which the message names and somebody gave, or else of `fallback`.
#pragma once

#include <string_view>

#include "base/result.h"
#include "study/scenario/scenario.h"

namespace weft::study::scenario {

struct ErrorTable {
  std::string_view path;      // "topology", "traffic[0]"
  std::string_view fallback;  // a key of it: "kind"
};

/// "incast.toml:7:9: topology.hosts: ..."; an error that has a place of the scenario keeps it.
[[nodiscard]] tl::unexpected<Error> at_key(const Scenario& scenario, const ErrorTable& table, const Error& error);

}  // namespace weft::study::scenario
