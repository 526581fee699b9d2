// Networks on which weft's routing engines are held against OpenSM, as `.net` files of ibsim.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::test {

struct Network {
  std::string name;
  std::string text;  // the file
  std::uint8_t lmc = 0;
  bool is_tiered = false;  // no two switches of a tier are joined
};

/// Fat-trees full and pruned, with parallel links, with a dead link, of three tiers; rings, tori, a hypercube, a
/// dragonfly, random graphs; with GUIDs out of order; with an LMC of 1.
[[nodiscard]] std::vector<Network> networks();

}  // namespace weft::test
