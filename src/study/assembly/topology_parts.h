// What the options of several topologies have in common: cables, domains, and how many spines a leaf needs.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph_builder.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

[[nodiscard]] fabric::Cable cable_of(const scenario::Scenario& scenario, scenario::LinkTier tier);
[[nodiscard]] fabric::Domains domains_of(const scenario::Scenario& scenario);
[[nodiscard]] constexpr std::uint32_t count(std::int64_t value) { return static_cast<std::uint32_t>(value); }

/// Given, or as many as carry what the oversubscription leaves of the rate of a leaf's `downlinks`, rounded up.
[[nodiscard]] std::uint32_t spines_of(const scenario::Scenario& scenario, std::int64_t downlinks);

/// Groups of at most `most` that make up `hosts`, rounded up to whole groups.
struct HostGroups {
  std::int64_t count = 1;
  std::int64_t size = 1;
};
[[nodiscard]] HostGroups groups_of(std::int64_t hosts, std::int64_t most);

/// Leaves or groups that so many hosts take, or switches that so many links do; the last one may be partly filled.
[[nodiscard]] constexpr std::int64_t parts_of(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

/// Hosts of a leaf, as given or as they follow from the number of leaves; the last leaf may have fewer.
[[nodiscard]] std::int64_t hosts_of_leaf(const scenario::TopologySettings& topology);

}  // namespace weft::study::assembly
