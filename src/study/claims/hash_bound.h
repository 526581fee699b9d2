// What a hash leaves a permutation, without any protocol: max-min rates of flows whose uplinks are drawn at random,
// over leaf and spine switches.
//
// Every host sends to one other and receives from one. A flow to another leaf takes one of the spines, drawn uniformly.
// Rates are shares of a line, all lines alike, averaged over draws. A bound for what any transport can make of ECMP
// with one path per flow.
#pragma once

#include <cstdint>

#include "study/claims/flow_goodput.h"

namespace weft::study::claims {

struct HashedTree {
  std::uint32_t leaves = 1;
  std::uint32_t hosts_per_leaf = 1;
  std::uint32_t spines = 1;
  std::uint32_t shift = 0;  // each sends to the host that many places on; 0: a permutation drawn at random
};

[[nodiscard]] FlowSpread hash_bound(const HashedTree& tree);

}  // namespace weft::study::claims
