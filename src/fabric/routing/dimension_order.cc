#include "fabric/routing/dimension_order.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::fabric {

DimensionOrder::DimensionOrder(const Graph& graph) {
  for (const Link& link : graph.links) {
    dimensions_ = std::max<std::uint32_t>(dimensions_, link.ring.dimension);
  }
  steps_.resize(std::size_t{graph.switches()} * dimensions_ * 2);
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    const Link& link = graph.links[i];
    if (link.ring.dimension == 0) {
      continue;
    }
    WEFT_ASSERT(link.a.node.value() >= graph.endpoints && link.b.node.value() >= graph.endpoints);
    const std::uint32_t below = link.a.node.value() - graph.endpoints;
    const std::uint32_t above = link.b.node.value() - graph.endpoints;
    const auto add = [&](std::uint32_t from, std::uint32_t to, std::uint16_t port, Direction direction) {
      Step& made = steps_[(std::size_t{from} * dimensions_ + link.ring.dimension - 1) * 2 + direction];
      WEFT_ASSERT(made.to == kNone || made.to == to);
      made.to = to;
      made.cables.push_back({.link = i, .port = port});
    };
    add(below, above, link.a.port, kUpwards);
    add(above, below, link.b.port, kDownwards);
  }
  for (Step& made : steps_) {
    std::ranges::sort(made.cables, {}, &Cable::port);
  }
  places_.assign(std::size_t{graph.switches()} * dimensions_, 0);
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    if (const Link& link = graph.links[i]; link.ring.wraps) {
      const std::uint32_t dimension = link.ring.dimension - 1U;
      const std::uint32_t first = link.b.node.value() - graph.endpoints;
      std::uint32_t place = 0;
      for (std::uint32_t node = step(first, dimension, kUpwards).to; node != first;
           node = step(node, dimension, kUpwards).to) {
        places_[std::size_t{node} * dimensions_ + dimension] = ++place;
      }
    }
  }
}

bool DimensionOrder::has_cable(const Step& step, const IsUp& is_up) {
  return std::ranges::any_of(step.cables, [&](const Cable& cable) { return is_up(cable.link); });
}

DimensionOrder::Ring DimensionOrder::ring_of(std::uint32_t node, std::uint32_t dimension, const IsUp& is_up) const {
  Ring ring;
  // Upwards from the node: who is found there goes downwards to it.
  bool whole = true;
  std::uint32_t last = node;
  while (true) {
    const Step& up = step(last, dimension, kUpwards);
    if (up.to == kNone || up.to == node) {
      ring.closed = up.to == node;
      break;
    }
    whole = whole && has_cable(up, is_up);
    last = up.to;
    ring.members.push_back({.at = last, .reaches_down = whole});
  }
  whole = true;
  if (ring.closed) {
    for (std::size_t i = ring.members.size(); i-- > 0;) {
      whole = whole && has_cable(step(ring.members[i].at, dimension, kUpwards), is_up);
      ring.members[i].reaches_up = whole;
    }
    return ring;
  }
  for (const Step* down = &step(node, dimension, kDownwards); down->to != kNone;
       down = &step(down->to, dimension, kDownwards)) {
    whole = whole && has_cable(*down, is_up);
    ring.members.push_back({.at = down->to, .reaches_up = whole});
  }
  return ring;
}

// From the last dimension to the first: whoever has its place in all dimensions before one of them is a switch that
// others of its ring in that dimension have to reach.
void DimensionOrder::route_to(std::uint32_t leaf, const IsUp& is_up, const Found& found) const {
  std::vector<std::uint32_t> reached{leaf};
  std::vector<std::uint16_t> ports;
  for (std::uint32_t dimension = dimensions_; dimension-- > 0;) {
    const std::size_t targets = reached.size();
    for (std::size_t i = 0; i < targets; ++i) {
      const Ring ring = ring_of(reached[i], dimension, is_up);
      const std::size_t size = ring.members.size() + 1;
      for (std::size_t at = 0; at < ring.members.size(); ++at) {
        const Member& member = ring.members[at];
        if (!member.reaches_up && !member.reaches_down) {
          continue;
        }
        const std::size_t down = at + 1;  // hops, in a closed ring
        const bool is_even = places_[std::size_t{member.at} * dimensions_ + dimension] % 2 == 0;
        const bool prefers_up = size - down < down || (size - down == down && is_even);
        const Direction direction = member.reaches_up && (prefers_up || !member.reaches_down) ? kUpwards : kDownwards;
        ports.clear();
        for (const Cable& cable : step(member.at, dimension, direction).cables) {
          if (is_up(cable.link)) {
            ports.push_back(cable.port);
          }
        }
        found(member.at, ports);
        reached.push_back(member.at);
      }
    }
  }
}

std::size_t DimensionOrder::heap_bytes() const {
  std::size_t bytes = steps_.capacity() * sizeof(Step) + places_.capacity() * sizeof(places_[0]);
  for (const Step& made : steps_) {
    bytes += made.cables.capacity() * sizeof(Cable);
  }
  return bytes;
}

}  // namespace weft::fabric
