// The table of algorithms: which kinds of collective each can do, what it asks of a communicator, how many channels it
// uses, and the function that makes its lanes. Adding an algorithm is a file pair, its test and a line here.
#pragma once

#include <cstdint>

#include "workload/collective/lane.h"

namespace weft::workload {

/// Whether an operation gets this algorithm only if it names it.
[[nodiscard]] bool is_chosen_by_name(CollectiveKind kind, CollectiveAlgorithm algorithm);

/// The members' places, the operation and the options must suit. Errors say what does not.
[[nodiscard]] Result<void> check_algorithm(const LaneContext& context, CollectiveAlgorithm algorithm);
/// As the options say, or the algorithm's own number.
[[nodiscard]] std::uint32_t channels_of(CollectiveAlgorithm algorithm, const MemberLayout& layout,
                                        const CollectiveOptions& options);
/// The most that any algorithm uses.
[[nodiscard]] std::uint32_t max_channels(const MemberLayout& layout, const CollectiveOptions& options);
/// Equal steps of one pass of an algorithm that goes around rings, as Collectives::ring_steps says.
[[nodiscard]] std::uint32_t ring_steps_of(CollectiveKind kind, CollectiveAlgorithm algorithm,
                                          const MemberLayout& layout);
/// Adds one rank's lanes. The algorithm has been checked; not kAutomatic.
void add_lanes(const LaneContext& context, CollectiveAlgorithm algorithm, Lanes& lanes);

}  // namespace weft::workload
