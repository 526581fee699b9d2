// The earliest of many numbered things, each of which has one key that may change at any time.
//
// A heap with four children to a node, which knows where each number stands: a key that changes moves its number from
// there, and no entry is ever out of date. Equal keys are in order of their numbers, so what comes first depends on
// keys alone, not on the order of calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace weft {

/// `Key` has operator<. Memory: one entry for each number that is in, 4 bytes for each up to the highest that ever was.
template <typename Key>
class IndexedHeap {
 public:
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool contains(std::uint32_t number) const {
    return number < places_.size() && places_[number] != kNowhere;
  }

  // Of the first; only while not empty.
  [[nodiscard]] std::uint32_t first() const {
    WEFT_DCHECK(!empty());
    return entries_.front().number;
  }
  [[nodiscard]] const Key& first_key() const {
    WEFT_DCHECK(!empty());
    return entries_.front().key;
  }

  /// In place of the key that it has, if it is in.
  void set(std::uint32_t number, const Key& key) {
    if (number >= places_.size()) {
      places_.resize(std::size_t{number} + 1, kNowhere);
    }
    std::size_t place = places_[number];
    if (place == kNowhere) {
      place = entries_.size();
      entries_.push_back({});
    }
    settle(place, {.key = key, .number = number});
  }

  /// Nothing happens if it is not in.
  void erase(std::uint32_t number) {
    if (!contains(number)) {
      return;
    }
    const std::size_t place = places_[number];
    places_[number] = kNowhere;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (place < entries_.size()) {
      settle(place, last);
    }
  }

 private:
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kChildren = 4;

  struct Entry {
    Key key{};
    std::uint32_t number = 0;

    friend bool operator<(const Entry& a, const Entry& b) {
      return a.key < b.key || (!(b.key < a.key) && a.number < b.number);
    }
  };

  void put(std::size_t place, const Entry& entry) {
    entries_[place] = entry;
    places_[entry.number] = static_cast<std::uint32_t>(place);
  }

  /// `entry`, in place of what is there, to where it belongs.
  void settle(std::size_t place, const Entry& entry) {
    const std::size_t from = place;
    while (place > 0 && entry < entries_[(place - 1) / kChildren]) {
      put(place, entries_[(place - 1) / kChildren]);
      place = (place - 1) / kChildren;
    }
    if (place == from) {
      place = sink(place, entry);
    }
    put(place, entry);
  }

  /// Where it belongs, at `place` or below, with what is earlier moved up.
  std::size_t sink(std::size_t place, const Entry& entry) {
    for (;;) {
      const std::size_t first = place * kChildren + 1;
      const std::size_t end = std::min(first + kChildren, entries_.size());
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        least = entries_[child] < entries_[least] ? child : least;
      }
      if (first >= end || !(entries_[least] < entry)) {
        return place;
      }
      put(place, entries_[least]);
      place = least;
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> places_;  // by number: in entries_
};

}  // namespace weft
