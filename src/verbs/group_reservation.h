// Room in a network's reducers that is kept for groups before they are created.
//
// A provider of groups whose reducers have limits implements this beside GroupProvider; one that does not takes every
// group.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace weft::verbs {

/// Groups that are to be created together or not at all, as those of a communicator, one for each of its rails.
struct GroupReservation {
  std::uint64_t owner = 0;                        // the caller's own name for them
  std::vector<std::vector<EndpointId>> groups{};  // the members of each, as these will name them
};

class GroupReservations {
 public:
  virtual ~GroupReservations() = default;

  /// Keeps room until the groups are created. What the first who asks for an owner is told is what all later ones are,
  /// so that members of a communicator come to the same choice. Errors: no aggregation tree, no room in a reducer;
  /// nothing is kept then.
  [[nodiscard]] virtual Result<void> reserve_groups(const GroupReservation& reservation) = 0;
};

}  // namespace weft::verbs
