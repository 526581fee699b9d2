// The multicast groups of a device: which of its UD queue pairs are attached to each.
//
// A packet names its group by the LID alone (wire/multicast.h), so a LID belongs to one GID here. What a queue pair
// sends to a group comes back at once to those of its own port that are attached, itself included unless it was made
// otherwise; the switch never sends a copy back to the port.
//= ibta-1.7 10.5
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "verbs/multicast.h"

namespace weft::transport {

class MulticastGroups {
 public:
  struct Limits {
    std::uint32_t groups = 0;
    std::uint32_t queue_pairs = 0;  // of each
  };
  explicit MulticastGroups(const Limits& limits) : limits_(limits) {}

  /// Of a UD queue pair that exists; twice is the same as once. Errors: no GID of a group, no LID of one, a LID that is
  /// attached by another GID, a limit.
  [[nodiscard]] Result<void> attach(Qpn qpn, const verbs::MulticastGroup& group);
  /// Errors: it is not attached.
  [[nodiscard]] Result<void> detach(Qpn qpn, const verbs::MulticastGroup& group);
  [[nodiscard]] bool is_attached(Qpn qpn) const;
  /// In the order in which they were attached.
  [[nodiscard]] std::span<const Qpn> attached(std::uint16_t lid) const;

  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  struct Group {
    verbs::MulticastGroup name{};
    std::vector<Qpn> queue_pairs{};
  };

  Limits limits_;
  std::map<std::uint16_t, Group> groups_;  // by LID; none is empty
};

}  // namespace weft::transport
