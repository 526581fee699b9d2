#include "study/plan/front.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace weft::study::plan {
namespace {

bool is_worse(double a, double b, double same) {
  if (std::isinf(a) || std::isinf(b)) {
    return a > b;
  }
  return a - b > same * std::abs(b);
}

bool are_alike(const Criteria& a, const Criteria& b, double same) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (is_worse(a[i], b[i], same) || is_worse(b[i], a[i], same)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool dominates(const Criteria& a, const Criteria& b, double same) {
  WEFT_ASSERT(a.size() == b.size());
  bool is_better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (is_worse(a[i], b[i], same)) {
      return false;
    }
    is_better = is_better || is_worse(b[i], a[i], same);
  }
  return is_better;
}

std::vector<std::size_t> pareto_front(std::span<const Criteria> designs, double same) {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const bool beaten =
        std::ranges::any_of(designs, [&](const Criteria& other) { return dominates(other, designs[i], same); });
    const bool again =
        std::ranges::any_of(front, [&](std::size_t kept) { return are_alike(designs[kept], designs[i], same); });
    if (!beaten && !again) {
      front.push_back(i);
    }
  }
  // With a tolerance every one of a few may be beaten by the next: then exactly.
  return front.empty() && same > 0 ? pareto_front(designs) : front;
}

}  // namespace weft::study::plan
