// One function out of several lambdas: what std::visit calls for each alternative of a variant.
#pragma once

namespace weft {

/// `std::visit(Match{[](const A& a) { ... }, [](const B& b) { ... }}, variant)`.
template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

}  // namespace weft
