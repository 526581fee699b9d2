// How evenly a run loaded the links between two tiers of switches.
#pragma once

#include <cstddef>
#include <string_view>

#include "study/results/results.h"

namespace weft::study::claims {

struct LinkLoad {
  std::size_t links = 0;
  std::size_t unused = 0;
  double max_over_mean = 0;  // of the bytes sent; 0: there is no such link, or nothing was sent
};

/// Tiers by the names of their switches: {"leaf", "spine"} is every direction from a "leaf3" or "pod0/leaf3" to a
/// "spine1".
struct Tiers {
  std::string_view from;
  std::string_view to;
};
[[nodiscard]] bool is_between(const results::PortRow& port, const Tiers& tiers);
[[nodiscard]] LinkLoad link_load(const results::RunResults& results, const Tiers& tiers);

}  // namespace weft::study::claims
