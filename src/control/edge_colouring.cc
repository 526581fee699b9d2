#include "control/edge_colouring.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/assert.h"

namespace weft::control {
namespace {

constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

/// Names the nodes of one side anew, each new one with at most `most` edges.
class Splitter {
 public:
  explicit Splitter(std::uint32_t most) : most_(most) {}

  std::uint32_t next_of(std::uint32_t node) {
    Part& part = parts_[node];
    if (part.edges % most_ == 0) {
      part.name = names_++;
    }
    ++part.edges;
    return part.name;
  }
  [[nodiscard]] std::uint32_t names() const { return names_; }

 private:
  struct Part {
    std::uint32_t name = 0;
    std::uint32_t edges = 0;
  };
  std::uint32_t most_;
  std::uint32_t names_ = 0;
  std::map<std::uint32_t, Part> parts_;
};

/// The edge of each colour at each node of both sides, the right side's after the left side's.
class Colouring {
 public:
  Colouring(std::uint32_t nodes, std::uint32_t colours) : colours_(colours), at_(std::size_t{nodes} * colours, kFree) {}

  [[nodiscard]] std::uint32_t& at(std::uint32_t node, std::uint32_t colour) {
    return at_[std::size_t{node} * colours_ + colour];
  }
  [[nodiscard]] std::uint32_t first_free(std::uint32_t node) {
    std::uint32_t colour = 0;
    while (colour < colours_ && at(node, colour) != kFree) {
      ++colour;
    }
    WEFT_ASSERT(colour < colours_);
    return colour;
  }

 private:
  std::uint32_t colours_;
  std::vector<std::uint32_t> at_;
};

}  // namespace

std::vector<std::uint32_t> colour_edges(const std::vector<BipartiteEdge>& edges, std::uint32_t colours) {
  WEFT_ASSERT(colours > 0);
  Splitter left(colours);
  Splitter right(colours);
  std::vector<BipartiteEdge> split;
  for (const BipartiteEdge& edge : edges) {
    split.push_back({.left = left.next_of(edge.left), .right = right.next_of(edge.right)});
  }
  for (BipartiteEdge& edge : split) {
    edge.right += left.names();
  }
  Colouring colouring(left.names() + right.names(), colours);
  std::vector<std::uint32_t> colour(edges.size(), kFree);
  for (std::uint32_t i = 0; i < split.size(); ++i) {
    const auto [from, to] = split[i];
    const std::uint32_t here = colouring.first_free(from);
    const std::uint32_t there = colouring.first_free(to);
    // The path of edges from `to` whose colours are `here` and `there` in turn swaps them; it never comes to `from`,
    // which is on the other side and has no edge of the colour that would lead there.
    std::vector<std::uint32_t> path;
    std::uint32_t node = to;
    for (std::uint32_t wanted = here; colouring.at(node, wanted) != kFree; wanted = here + there - wanted) {
      path.push_back(colouring.at(node, wanted));
      node = split[path.back()].left == node ? split[path.back()].right : split[path.back()].left;
    }
    for (const std::uint32_t edge : path) {
      colouring.at(split[edge].left, colour[edge]) = kFree;
      colouring.at(split[edge].right, colour[edge]) = kFree;
    }
    path.push_back(i);
    for (const std::uint32_t edge : path) {
      colour[edge] = edge == i ? here : here + there - colour[edge];
      colouring.at(split[edge].left, colour[edge]) = edge;
      colouring.at(split[edge].right, colour[edge]) = edge;
    }
  }
  return colour;
}

}  // namespace weft::control
