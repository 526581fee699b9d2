// What a training step sends, before it is run: bytes through the network and over scale-up links, of each kind of
// operation, by where its ranks are placed. For estimates of work; algorithms are those that are usual: in rings over
// the members that share a domain and then over domains, all-to-alls by way of the rail of the receiver.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "study/assembly/build_traffic.h"
#include "study/run/step_phases.h"

namespace weft::study::run {

/// Bytes of all ranks together.
struct SentBytes {
  double network = 0;
  double scale_up = 0;
};

/// One kind of operation of a step.
struct OperationVolume {
  StepOperation operation{};
  double instances = 0;         // in a step, of one communicator
  SentBytes whole{};            // of one on each communicator
  double members = 0;           // of a communicator
  double domains = 0;           // in which they are, each without scale-up links being one of its own
  double ring_steps = 0;        // around rings over its domains; 0: none, or none that go through scale-up links
  bool stands_for_all = false;  // inside a domain: one communicator is run for all
  bool crosses = false;         // members are behind several switches
};

struct VolumeOptions {
  const assembly::TrafficPlan& plan;         // of a job that trains a model
  const std::vector<std::uint32_t>& leaves;  // the switch of each endpoint
  std::int64_t micro_batches = 0;            // of the step; 0: all
};
/// In the order of operations. Errors: a parallelism that does not fit.
[[nodiscard]] Result<std::vector<OperationVolume>> step_volumes(const VolumeOptions& options);

/// Ends of connections through the network that a rank has for them, roughly: to the neighbours on a ring, or to every
/// domain, either way, in an exchange and among few members. Operations of one purpose have the same communicators.
[[nodiscard]] double connection_ends(const std::vector<OperationVolume>& volumes);

/// Nodes of a step's graph that one rank has, as far as `most`; the largest of all pipeline stages. Errors: those of
/// step_volumes().
[[nodiscard]] Result<std::uint64_t> step_nodes(const scenario::JobSettings& job, std::uint64_t most);

}  // namespace weft::study::run
