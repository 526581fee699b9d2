// A priority queue of vertices by distance, whose order among equal distances is part of its contract.
//
// It is a heap with four children for each entry. An entry goes up past parents that are farther, and down below
// children that are nearer, to the nearest of them and of equally near ones to the last. Which of several equal paths
// is found first follows from that, and is that of OpenSM's engines sssp, dfsssp and nue.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::subnet {

class PathHeap {
 public:
  struct Entry {
    std::uint64_t distance = 0;
    std::uint32_t vertex = 0;
  };

  /// For vertices from 0 to `vertices` - 1, each at most once.
  explicit PathHeap(std::size_t vertices) : place_(vertices, 0) {}

  [[nodiscard]] bool is_empty() const { return entries_.empty(); }
  void insert(const Entry& entry);
  /// A vertex that is in the heap gets another distance.
  void change(const Entry& entry);
  /// A vertex that is in the heap leaves it.
  void remove(std::uint32_t vertex);
  /// The nearest. Not from an empty heap.
  std::uint32_t take();

 private:
  void up(std::size_t at);
  void down(std::size_t at);
  void put(std::size_t at, const Entry& entry) {
    entries_[at] = entry;
    place_[entry.vertex] = at;
  }

  std::vector<Entry> entries_;
  std::vector<std::size_t> place_;  // per vertex, of its entry
};

}  // namespace weft::subnet
