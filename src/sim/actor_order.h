// Ranks of actors: their order by a key f(seed, stable name, kind), as dense numbers.
//
// Two actors keep their order whatever else exists, so adding or renaming an unrelated one changes no tie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/actor.h"

namespace weft::sim {

/// One actor's key: the hash of the stable name of whoever it belongs to, and which of its actors it is.
struct ActorKey {
  std::uint64_t owner = 0;
  std::uint32_t role = 0;
};

class ActorOrder {
 public:
  /// The wake must stay where it is until assign() has been called.
  void add(ActorKey key, Wake& wake, PartitionIndex partition = 0) {
    wake.set_partition(partition);
    entries_.push_back({mix(key), key, &wake});
  }
  /// Room for so many more, where they are known.
  void reserve(std::size_t actors) { entries_.reserve(entries_.size() + actors); }
  /// Gives every wake its rank, on so many threads. Two actors with the same key are a programmer's error.
  void assign(std::uint32_t threads = 1);

 private:
  struct Entry {
    std::uint64_t hash;
    ActorKey key;
    Wake* wake;
  };
  static std::uint64_t mix(ActorKey key);

  std::vector<Entry> entries_;
};

}  // namespace weft::sim
