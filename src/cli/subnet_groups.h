// `weft subnet groups`: multicast groups that the user names, and their trees.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/subnet_input.h"
#include "subnet/multicast/spanning_tree.h"

namespace weft::cli {

struct RoutedGroups {
  std::vector<std::string> names;
  std::vector<subnet::MulticastGroup> groups;  // LIDs from 0xC000 on, in the order of the names
  subnet::MulticastRoutes routes;
  std::vector<subnet::MulticastCheck> checks;  // per group
  std::size_t switches = 0;                    // with entries
  std::size_t blocks = 0;                      // that a manager writes
};

/// Of `text.groups`, by the engine of `managed`. Errors: a group without a name or members, a name twice, a node that
/// the subnet does not have or that has no LID, with what would be right.
[[nodiscard]] Result<RoutedGroups> route_groups(const SubnetText& text, const ManagedSubnet& managed);

}  // namespace weft::cli
