#include "study/world/max_min.h"

#include <algorithm>
#include <limits>

namespace weft::study::world {
namespace {

struct Link {
  double left = 0;                     // of its capacity, for flows that still grow
  double load = 0;                     // that one unit of rate of each of those puts on it
  std::vector<std::uint32_t> flows{};  // all that use it
  bool is_full = false;
};

std::vector<Link> links_of(std::span<const FlowLinks> flows, std::span<const double> capacities) {
  std::vector<Link> links(capacities.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    links[i].left = capacities[i];
  }
  for (std::uint32_t flow = 0; flow < flows.size(); ++flow) {
    for (const LinkUse& use : flows[flow]) {
      links[use.link].load += use.part;
      links[use.link].flows.push_back(flow);
    }
  }
  return links;
}

/// The link that is full first if all flows that still grow do so alike; null: none of them uses a link.
Link* find_bottleneck(std::vector<Link>& links) {
  Link* tightest = nullptr;
  for (Link& link : links) {
    const bool in_use = !link.is_full && link.load > 0;
    if (in_use && (tightest == nullptr || link.left * tightest->load < tightest->left * link.load)) {
      tightest = &link;
    }
  }
  return tightest;
}

}  // namespace

std::vector<double> max_min_rates(std::span<const FlowLinks> flows, std::span<const double> capacities) {
  constexpr double kGrows = -1;
  std::vector<double> rates(flows.size(), kGrows);
  std::vector<Link> links = links_of(flows, capacities);
  while (Link* const full = find_bottleneck(links)) {
    const double rate = std::max(full->left / full->load, 0.0);
    full->is_full = true;
    for (const std::uint32_t flow : full->flows) {
      if (rates[flow] != kGrows) {
        continue;
      }
      rates[flow] = rate;
      for (const LinkUse& use : flows[flow]) {
        Link& link = links[use.link];
        link.left -= rate * use.part;
        link.load -= use.part;
        // What rounding leaves of a link without flows must not become its bottleneck.
        link.load = link.load < 1e-9 ? 0 : link.load;
      }
    }
  }
  std::ranges::replace(rates, kGrows, std::numeric_limits<double>::infinity());
  return rates;
}

}  // namespace weft::study::world
