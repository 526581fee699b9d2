#include "fabric/routing/conga.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::fabric {

CongestionTables::CongestionTables(Size size, Duration age)
    : size_(size),
      age_(age),
      to_(std::size_t{size.leaves} * size.tags),
      from_(std::size_t{size.leaves} * size.tags),
      next_(size.leaves) {
  WEFT_ASSERT(size.tags > 0 && size.tags <= CongaHeader::kNone && age > Duration::zero());
}

void CongestionTables::take(std::uint32_t from_leaf, const CongaHeader& header, Time now) {
  if (header.tag != CongaHeader::kNone) {
    FromLeaf& entry = from_[at(from_leaf, header.tag)];
    entry.has_changed = entry.has_changed || !entry.is_known || entry.metric != header.congestion;
    entry.is_known = true;
    entry.at = now;
    entry.metric = header.congestion;
  }
  if (header.feedback_tag != CongaHeader::kNone) {
    to_[at(from_leaf, header.feedback_tag)] = {.at = now, .metric = header.feedback};
  }
}

void CongestionTables::give(std::uint32_t to_leaf, CongaHeader& header, Time now) {
  const std::uint32_t first = next_[to_leaf];
  std::uint32_t chosen = size_.tags;
  for (std::uint32_t i = 0; i < size_.tags; ++i) {
    const std::uint32_t tag = (first + i) % size_.tags;
    const FromLeaf& entry = from_[at(to_leaf, tag)];
    if (entry.has_changed) {
      chosen = tag;
      break;
    }
    if (entry.is_known && chosen == size_.tags) {
      chosen = tag;
    }
  }
  if (chosen == size_.tags) {
    return;
  }
  FromLeaf& entry = from_[at(to_leaf, chosen)];
  entry.has_changed = false;
  header.feedback_tag = static_cast<std::uint8_t>(chosen);
  header.feedback = aged(entry.metric, entry.at, now);
  next_[to_leaf] = static_cast<std::uint8_t>((chosen + 1) % size_.tags);
}

std::uint8_t CongestionTables::metric(std::uint32_t to_leaf, std::uint32_t tag, Time now) const {
  const ToLeaf& entry = to_[at(to_leaf, tag)];
  return aged(entry.metric, entry.at, now);
}

std::size_t CongestionTables::heap_bytes() const {
  return to_.capacity() * sizeof(to_[0]) + from_.capacity() * sizeof(from_[0]) + next_.capacity() * sizeof(next_[0]);
}

Result<void> check_two_tiers(const Graph& graph) {
  std::vector<bool> is_leaf(graph.nodes.size());
  std::vector<std::uint32_t> uplinks(graph.nodes.size());
  const auto is_endpoint = [&](NodeIndex node) { return node.value() < graph.endpoints; };
  for (const Link& link : graph.links) {
    if (is_endpoint(link.a.node) != is_endpoint(link.b.node)) {
      is_leaf[(is_endpoint(link.a.node) ? link.b : link.a).node.value()] = true;
    }
  }
  bool has_spine = false;
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    has_spine = has_spine || !is_leaf[i];
  }
  if (!has_spine) {
    return fail("its paths are those of leaves and spines, and no switch here is a spine: each has endpoints");
  }
  for (const Link& link : graph.links) {
    if (is_endpoint(link.a.node) || is_endpoint(link.b.node)) {
      continue;
    }
    if (is_leaf[link.a.node.value()] == is_leaf[link.b.node.value()]) {
      return fail("a path is named by the leaf's uplink alone, which takes two tiers, and {} - {} joins two {}",
                  graph[link.a.node].name, graph[link.b.node].name,
                  is_leaf[link.a.node.value()] ? "leaves" : "switches without endpoints");
    }
    const NodeIndex leaf = is_leaf[link.a.node.value()] ? link.a.node : link.b.node;
    if (++uplinks[leaf.value()] > CongaHeader::kNone) {
      return fail("{} has more than {} uplinks, which the tag of a packet cannot name", graph[leaf].name,
                  CongaHeader::kNone);
    }
  }
  return {};
}

}  // namespace weft::fabric
