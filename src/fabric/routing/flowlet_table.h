// The flowlets of a switch: the port that a flow was sent by last, and when; as many entries as the switch has memory.
//
// An entry belongs to whoever's hash names it, without a tag, as switches have it: two flows of one entry keep each
// other's flowlets alive and share a port (Alizadeh et al., "CONGA", SIGCOMM 2014, section 3.4).
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "fabric/routing/ecmp_hash.h"

namespace weft::fabric {

class FlowletTable {
 public:
  struct Entry {
    Time last = Time::never();  // never(): no packet yet
    std::uint16_t port = 0;
  };

  FlowletTable() = default;
  /// entries > 0.
  FlowletTable(std::uint32_t entries, Duration gap) : entries_(entries), gap_(gap) {}

  [[nodiscard]] Entry& entry_of(std::uint32_t hash) {
    return entries_[pick(hash, static_cast<std::uint32_t>(entries_.size()))];
  }
  /// The flow sent a packet less than a gap ago.
  [[nodiscard]] bool is_alive(const Entry& entry, Time now) const {
    return !entry.last.is_never() && now - entry.last < gap_;
  }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t heap_bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  std::vector<Entry> entries_;
  Duration gap_;
};

}  // namespace weft::fabric
