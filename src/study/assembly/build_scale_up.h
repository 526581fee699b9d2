// The scale-up domains of a scenario: their ports, and which GPU or pool each belongs to.
//
// GPUs are counted host by host in the order of the topology, and every `scale_up.domain` of them are a domain. Its
// ports are its GPUs, then its pools, then its reducer's, one for each GPU. Endpoints are numbered behind those of the
// graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/scale_up/scale_up_options.h"
#include "fabric/topology/graph.h"
#include "host/nic_options.h"
#include "host/reduction_options.h"
#include "study/scenario/scenario.h"
#include "verbs/memory_place.h"

namespace weft::study::assembly {

struct ScaleUpPlan {
  struct Gpu {
    std::string host;
    verbs::GpuIndex gpu{};
    std::uint32_t domain = 0;
    EndpointId endpoint{};
  };
  struct Pool {
    std::string name;  // "domain0/pool0"
    std::uint32_t domain = 0;
    EndpointId endpoint{};
  };

  /// The domains as a graph, GPUs and reducers' ports alone, for trees of reduction; no nodes: nothing reduces.
  struct Reducers {
    fabric::Graph graph;
    std::vector<EndpointId> endpoints;  // by the graph's own number
    host::ReductionOptions options;
  };

  fabric::ScaleUpOptions options;
  std::vector<Gpu> gpus;
  std::vector<Pool> pools;
  Reducers reducers;

  /// Null if there is none.
  [[nodiscard]] const Gpu* find(const std::string& host, verbs::GpuIndex gpu) const;
  [[nodiscard]] const Gpu* find(EndpointId endpoint) const;
  /// Of an endpoint that exists.
  [[nodiscard]] std::uint32_t domain_of(EndpointId endpoint) const;
};

/// None if the scenario has no scale-up links. Errors: GPUs that do not fill the domains, with the numbers.
[[nodiscard]] Result<std::optional<ScaleUpPlan>> plan_scale_up(const scenario::Scenario& scenario,
                                                               const fabric::Graph& graph);

/// What a queue pair over the links is made with.
[[nodiscard]] transport::MemoryOptions memory_options(const scenario::ScaleUpSettings& settings);

/// The port of a GPU or a pool, as a NIC: everything but endpoint, seeds, address and path.
[[nodiscard]] host::NicOptions scale_up_nic(const scenario::ScaleUpSettings& settings);

}  // namespace weft::study::assembly
