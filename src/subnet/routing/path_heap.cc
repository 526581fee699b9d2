#include "subnet/routing/path_heap.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::subnet {
namespace {

constexpr std::size_t kChildren = 4;

}  // namespace

void PathHeap::insert(const Entry& entry) {
  entries_.push_back(entry);
  place_[entry.vertex] = entries_.size() - 1;
  up(entries_.size() - 1);
}

void PathHeap::change(const Entry& entry) {
  const std::size_t at = place_[entry.vertex];
  const std::uint64_t before = entries_[at].distance;
  entries_[at].distance = entry.distance;
  if (entry.distance < before) {
    up(at);
  } else if (entry.distance > before) {
    down(at);
  }
}

void PathHeap::remove(std::uint32_t vertex) {
  const std::size_t at = place_[vertex];
  WEFT_ASSERT(at < entries_.size() && entries_[at].vertex == vertex);
  const Entry last = entries_.back();
  entries_.pop_back();
  if (at == entries_.size()) {
    return;
  }
  put(at, last);
  const std::uint64_t above = at > 0 ? entries_[(at - 1) / kChildren].distance : 0;
  if (at == 0 || above < last.distance) {
    down(at);
  } else {
    up(at);
  }
}

std::uint32_t PathHeap::take() {
  WEFT_ASSERT(!entries_.empty());
  const std::uint32_t nearest = entries_.front().vertex;
  const Entry last = entries_.back();
  entries_.pop_back();
  if (!entries_.empty()) {
    put(0, last);
    down(0);
  }
  return nearest;
}

void PathHeap::up(std::size_t at) {
  const Entry entry = entries_[at];
  while (at > 0) {
    const std::size_t parent = (at - 1) / kChildren;
    if (entry.distance >= entries_[parent].distance) {
      break;
    }
    put(at, entries_[parent]);
    at = parent;
  }
  put(at, entry);
}

void PathHeap::down(std::size_t at) {
  const Entry entry = entries_[at];
  for (std::size_t first = at * kChildren + 1; first < entries_.size(); first = at * kChildren + 1) {
    std::size_t nearest = first;
    for (std::size_t child = first + 1; child < std::min(first + kChildren, entries_.size()); ++child) {
      nearest = entries_[child].distance <= entries_[nearest].distance ? child : nearest;
    }
    if (entry.distance <= entries_[nearest].distance) {
      break;
    }
    put(at, entries_[nearest]);
    at = nearest;
  }
  put(at, entry);
}

}  // namespace weft::subnet
