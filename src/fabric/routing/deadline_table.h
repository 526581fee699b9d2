// Deadlines of pairs of numbers in a table of fixed size: which ports to avoid for which leaf, who was told what.
//
// A pair's place is a hash of it; a new one takes the place of whatever is there. Forgetting one only means that a port
// is not avoided, or that a notification is sent once more.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "fabric/routing/ecmp_hash.h"

namespace weft::fabric {

class DeadlineTable {
 public:
  struct Key {
    std::uint32_t port = 0;
    std::uint32_t leaf = 0;
  };

  DeadlineTable() = default;
  explicit DeadlineTable(std::uint32_t entries) : entries_(entries) {}

  void set(const Key& key, Time until) { entries_[place_of(key)] = {.key = packed(key), .until = until}; }
  /// The deadline of the pair is after `now`.
  [[nodiscard]] bool holds(const Key& key, Time now) const {
    const Entry& entry = entries_[place_of(key)];
    return entry.key == packed(key) && entry.until > now;
  }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t heap_bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  struct Entry {
    std::uint64_t key = ~std::uint64_t{0};
    Time until;
  };
  [[nodiscard]] static std::uint64_t packed(const Key& key) { return std::uint64_t{key.port} << 32 | key.leaf; }
  [[nodiscard]] std::size_t place_of(const Key& key) const {
    return pick(switch_hash(key.leaf, packed({.port = key.port, .leaf = 0})),
                static_cast<std::uint32_t>(entries_.size()));
  }

  std::vector<Entry> entries_;
};

}  // namespace weft::fabric
