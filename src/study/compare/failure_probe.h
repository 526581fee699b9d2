// What is run to see what a failure does: a ring all-reduce over a few hosts of the scenario, far from one another,
// whose queue pairs are those of the job's library; and the component that is made to fail under it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/failures/network_failures.h"
#include "study/results/results.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

/// Operations of the ring, one after the other.
inline constexpr std::int64_t kRingRepetitions = 10;

/// Errors: fewer than two hosts.
[[nodiscard]] Result<scenario::Scenario> ring_probe(const scenario::Scenario& scenario, const fabric::Graph& graph);

/// Kinds of failure that are told apart, with the words of their rows.
enum class FailureCase : std::uint8_t {
  kHostLink,    // the cable of a NIC port, or the port
  kFabricLink,  // a cable between switches
  kFlapping,    // the same, once down and up
  kDegraded,    // the same, with lost lanes
  kLeaf,        // a switch with hosts reboots
  kSpine,       // another one
  kManager,     // a cable fails while the subnet manager is away
  kGpuSlow,
};
inline constexpr std::size_t kFailureCases = 8;
[[nodiscard]] std::string_view word_of(FailureCase which);

/// Components that the ring uses, in a healthy run; none: it uses none of the kind. Not those that cut off the host of
/// a simulated subnet manager, `manager`, where there are others: nobody is left then to time the sweep of.
struct UsedComponents {
  std::optional<std::string> host_port{};    // of a NIC
  std::optional<std::string> fabric_port{};  // of a leaf, towards another switch
  std::optional<std::string> leaf{};
  std::optional<std::string> spine{};
};
[[nodiscard]] UsedComponents used_components(const results::RunResults& healthy, const fabric::Graph& graph,
                                             const std::optional<std::string>& manager);
/// The component of a kind; none: there is none under the ring.
[[nodiscard]] std::optional<std::string> component_of(const UsedComponents& used, FailureCase which);

/// Adds the failure from `at` on, as [failures] says it is like, until it is repaired if that is while a queue pair
/// might still wait for it; `component` is that of component_of. Of kManager two.
void add_failure(scenario::Scenario& scenario, FailureCase which, const std::string& component, Duration at);
/// Adds it from the start, known to routes at once, for so long; none: for ever.
void add_steady_failure(scenario::Scenario& scenario, FailureCase which, const std::string& component,
                        std::optional<Duration> until);

/// The host of the manager that times failures, with `routing.reroute_delay = "auto"`.
[[nodiscard]] std::optional<std::string> manager_host(const scenario::Scenario& scenario, const fabric::Graph& graph);
/// From the scenario's first failure until routes avoid it: with "auto" what its manager takes, none where no cable
/// fails. Errors: those of run::add_sweep_times.
[[nodiscard]] Result<std::optional<Duration>> reroute_delay_of(const scenario::Scenario& scenario,
                                                               const fabric::Graph& graph);

/// When operations of the ring had ended on all ranks, since the start, in order.
[[nodiscard]] std::vector<double> ring_ends(const results::RunResults& results);

/// What a run with a failure from `at` on shows, against a healthy operation's time; times in seconds.
struct RingReading {
  double stall = 0;
  double speed = 1;  // of the last operations
  std::vector<failures::TimelinePoint> timeline{};
};
[[nodiscard]] RingReading read_ring(const std::vector<double>& ends, double at, double healthy);
/// Median of the times between ends; 0 without any.
[[nodiscard]] double usual_time(const std::vector<double>& ends);

}  // namespace weft::study::compare
