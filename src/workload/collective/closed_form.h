// What a collective takes on a network where nothing is in its way: the sums that simulated times are held against.
//
// One switch without other traffic, software that costs nothing, ranks that begin together, a NIC each. A message of
// b bytes posted to an idle link is with its receiver after startup + wire_time(b), and the sender knows of it `answer`
// later; links carry both directions at full rate, and one link's messages follow each other without a gap. `chunks`
// below is the number of messages that a vector or a part of it is cut into. Derivations stand beside each sum.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/data_size.h"
#include "base/time.h"
#include "workload/collective/collectives.h"

namespace weft::workload {

/// Messages over one kind of link; startup and answer as measured with one message, or said by a data sheet.
struct LinkCost {
  Duration startup{};
  Duration ack_latency{};
  std::function<Duration(Bytes)> wire_time{};  // of a message with its packets' headers
  Duration packet{};                           // wire time of a full one, where messages share a link by turns
  Duration acknowledgement{};                  // wire time of the one that goes back for a message
};

struct CollectiveForm {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::kRing;
  std::uint32_t ranks = 2;
  std::uint32_t locals = 1;  // hierarchical, nvls-tree: ranks of a scale-up domain
  Bytes size{};
  Bytes element = Bytes(4);
  Bytes chunk{};
  std::uint32_t channels = 1;    // over trees: one for each; all else has one channel
  std::uint32_t in_flight = 16;  // messages of a lane
  LinkCost scale_out{};
  LinkCost scale_up{};  // hierarchical
  LinkCost reducer{};   // nvls-tree: of one piece to the domain's switch and back; of further ones behind it
};

/// From the common beginning to the last rank's end. None where there is no such sum: automatic choice, in-network.
/// All-reduce over trees: worked out message by message (tree_times.h), since those on their way up and down share
/// links.
[[nodiscard]] std::optional<Duration> closed_form(const CollectiveForm& form);

}  // namespace weft::workload
