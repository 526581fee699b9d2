// The options of a fabric from a scenario: one profile per kind of port in use, and who has which.
#pragma once

#include "base/result.h"
#include "fabric/any_fabric.h"
#include "fabric/hash/header_hash.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Errors: more than 65,535 profiles, selectors of events that are no cable.
[[nodiscard]] Result<fabric::EthernetOptions> ethernet_options(const scenario::Scenario& scenario,
                                                               const fabric::Graph& graph);
[[nodiscard]] Result<fabric::InfiniBandOptions> infiniband_options(const scenario::Scenario& scenario,
                                                                   const fabric::Graph& graph);
/// Errors beside those of ethernet_options(): a topology that is not of two tiers.
[[nodiscard]] Result<fabric::ScheduledOptions> scheduled_options(const scenario::Scenario& scenario,
                                                                 const fabric::Graph& graph);
/// Of the discipline that the scenario has, with the tables of `routing.engine`. Errors beside those of the others: a
/// network of InfiniBand with more LIDs than a subnet can have; those of subnet_routes(). Prices and port needs of such
/// a network are known all the same, a run of it is not.
[[nodiscard]] Result<fabric::AnyFabricOptions> fabric_options(const scenario::Scenario& scenario,
                                                              const fabric::Graph& graph);

/// The bits of fabric::HashField.
[[nodiscard]] std::uint8_t hash_fields_of(const std::vector<scenario::HashedField>& fields);
/// What NICs are to hash for switches; none: the plain 5-tuple.
[[nodiscard]] std::optional<fabric::HeaderHash> header_hash_of(const scenario::RoutingSettings& routing);

/// The virtual lane of each service level.
[[nodiscard]] std::array<std::uint8_t, fabric::kServiceLevels> lanes_of(const scenario::Scenario& scenario,
                                                                        const scenario::InfinibandSettings& settings);
/// Whether switches choose among equally short paths by load, or by flowlets, which are longer where there is less.
[[nodiscard]] bool chooses_by_load(const scenario::Scenario& scenario);
[[nodiscard]] fabric::RouteRule route_rule_of(scenario::RoutingPolicy policy);

}  // namespace weft::study::assembly
