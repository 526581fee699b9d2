// Multicast forwarding tables as a subnet manager writes them into switches: the egress ports of each group.
//
// Groups are named by their LIDs, and ports are those of the graph, from 0. Entries are few, and looked up for packets
// to groups alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "wire/multicast.h"

namespace weft::fabric {

class MulticastTables {
 public:
  struct Entry {
    std::uint32_t switch_ordinal = 0;
    std::uint16_t lid = 0;  // of a group

    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// In place of what it was; ports ascend.
  void set(const Entry& entry, std::vector<std::uint16_t> ports) {
    WEFT_ASSERT(wire::is_multicast_lid(entry.lid));
    entries_.insert_or_assign(entry, std::move(ports));
  }
  /// Without ports: the switch has no entry.
  [[nodiscard]] std::span<const std::uint16_t> ports(const Entry& entry) const {
    const auto found = entries_.find(entry);
    return found == entries_.end() ? std::span<const std::uint16_t>() : found->second;
  }

  [[nodiscard]] std::size_t heap_bytes() const {
    std::size_t bytes = entries_.size() * sizeof(std::pair<const Entry, std::vector<std::uint16_t>>);
    for (const auto& [entry, ports] : entries_) {
      bytes += ports.capacity() * sizeof(std::uint16_t);
    }
    return bytes;
  }

 private:
  std::map<Entry, std::vector<std::uint16_t>> entries_;
};

}  // namespace weft::fabric
