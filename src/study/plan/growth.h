// What of a network stays when the cluster grows, what is bought then, and what is left over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/cost/bill.h"
#include "study/plan/design.h"

namespace weft::study::plan {

/// The same devices for so many hosts, in all shapes that they can become, the same one first: one switch becomes a
/// leaf of two tiers, and all become fat-trees. Empty: they do not take so many.
[[nodiscard]] std::vector<Design> grown(const Design& design, std::int64_t hosts);

/// With this switch in place of its own, in its shape and in those of two and three tiers, as far as they take so many.
[[nodiscard]] std::vector<Design> grown_with(const Design& design, std::int64_t hosts, const Device& other);

struct GrowthLine {
  std::string name;
  std::int64_t kept = 0;
  std::int64_t added = 0;
  std::int64_t left_over = 0;
  scenario::Money price{};  // of what is added
};

struct Growth {
  bool possible = true;
  std::string reason{};  // why it is not
  std::int64_t gpus = 0;
  std::string shape{};          // it then has
  std::string switch_{};        // that replaces today's; empty: the same
  bool rewired = false;         // leaves or spines are cabled in another way than before
  scenario::Money cost{};       // of the network's parts that are added, at today's prices
  scenario::Money left_over{};  // what was paid for parts that are not needed any more
  std::vector<GrowthLine> lines{};
};

/// Lines of the two bills with the same name are the same part. Hosts and GPUs are in neither.
[[nodiscard]] Growth growth_between(const cost::Bill& today, const cost::Bill& later);

}  // namespace weft::study::plan
