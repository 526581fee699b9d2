// What an edge between two ranks is reduced to while it has no connection: 16 bytes.
//
// Everything that was sent has arrived and was taken, so that four counts say all: of chunks sent and credits received
// as sender, of chunks taken and credits given back as receiver. A table per communicator and slot, by member, is made
// with the first edge that goes there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "workload/collective/collectives.h"

namespace weft::workload {

struct IdleEdge {
  std::uint32_t sent = 0;
  std::uint32_t credits = 0;
  std::uint32_t taken = 0;
  std::uint32_t returned = 0;

  friend bool operator==(const IdleEdge&, const IdleEdge&) = default;
};
static_assert(sizeof(IdleEdge) == 16);

class IdleEdges {
 public:
  struct Place {
    CommunicatorId communicator{};
    std::uint32_t slot = 0;
    MemberIndex peer{};
  };
  /// `members`: of the communicator. Something of the edge must be other than zero.
  void put(const Place& place, std::uint32_t members, const IdleEdge& edge) {
    std::vector<IdleEdge>& table = tables_[{place.communicator, place.slot}];
    table.resize(members);
    table[place.peer.value()] = edge;
  }
  /// Takes it out; none: nothing was put there.
  [[nodiscard]] std::optional<IdleEdge> take(const Place& place) {
    const auto table = tables_.find({place.communicator, place.slot});
    if (table == tables_.end() || table->second[place.peer.value()] == IdleEdge{})
      return std::nullopt;
    return std::exchange(table->second[place.peer.value()], IdleEdge{});
  }
  [[nodiscard]] std::size_t heap_bytes() const {
    std::size_t bytes = 0;
    for (const auto& [name, table] : tables_)
      bytes += table.capacity() * sizeof(IdleEdge);
    return bytes;
  }

 private:
  std::map<std::pair<CommunicatorId, std::uint32_t>, std::vector<IdleEdge>> tables_;
};

}  // namespace weft::workload
