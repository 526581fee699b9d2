#include "subnet/lids.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::subnet {
namespace {

struct LidRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] std::uint32_t end() const { return first + count; }
};

class LidPool {
 public:
  /// `kept`: LIDs that ports have already, in any order.
  explicit LidPool(std::vector<LidRange> kept) : assigned_(std::size_t{kLastUnicastLid} + 1, false) {
    std::ranges::sort(kept, {}, &LidRange::first);
    std::uint32_t next = 1;
    for (const LidRange& range : kept) {
      if (range.first > next) {
        free_.push_back({.first = next, .count = range.first - next});
      }
      next = std::max(next, range.end());
    }
    if (next <= kLastUnicastLid) {
      free_.push_back({.first = next, .count = kLastUnicastLid + 1U - next});
    }
  }

  [[nodiscard]] bool is_unassigned(const LidRange& range) const {
    for (std::uint32_t lid = range.first; lid < range.end(); ++lid) {
      if (lid > kLastUnicastLid || assigned_[lid]) {
        return false;
      }
    }
    return true;
  }

  void assign(const LidRange& range) {
    for (std::uint32_t lid = range.first; lid < range.end(); ++lid) {
      assigned_[lid] = true;
    }
  }

  /// The first free LIDs of that number, aligned to it; 0: none.
  [[nodiscard]] std::uint32_t take(std::uint32_t count) {
    for (auto range = free_.begin(); range != free_.end(); ++range) {
      const std::uint32_t first = (range->first + count - 1) / count * count;
      if (first + count > range->end()) {
        continue;
      }
      const std::uint32_t rest = range->end() - (first + count);
      if (rest == 0) {
        free_.erase(range);
      } else {
        *range = {.first = first + count, .count = rest};
      }
      return first;
    }
    return 0;
  }

 private:
  std::vector<LidRange> free_;
  std::vector<bool> assigned_;  // per LID
};

std::uint32_t lids_of(const Node& node, const LidOptions& options) {
  const bool one = node.type == NodeType::kSwitch && !(node.enhanced_port0 && options.lmc_of_enhanced_port0);
  return one ? 1U : 1U << options.lmc;
}

std::vector<LidRange> kept_ranges(const Subnet& subnet, const std::vector<PortPlace>& places,
                                  const LidOptions& options) {
  std::vector<LidRange> kept;
  for (const PortPlace& place : places) {
    const std::uint32_t count = lids_of(subnet[place.node], options);
    const Lid lid = subnet.port(place).lid;
    if (lid != 0 && lid % count == 0) {
      kept.push_back({.first = lid, .count = count});
    }
  }
  return kept;
}

}  // namespace

std::vector<PortPlace> end_ports(const Subnet& subnet) {
  std::vector<PortPlace> places;
  for (std::size_t i = 0; i < subnet.nodes.size(); ++i) {
    const Node& node = subnet.nodes[i];
    const NodeIndex index(static_cast<std::uint32_t>(i));
    if (node.type == NodeType::kSwitch) {
      places.push_back({.node = index, .port = 0});
      continue;
    }
    for (std::size_t port = 1; port < node.ports.size(); ++port) {
      if (node.ports[port].peer) {
        places.push_back({.node = index, .port = static_cast<PortNumber>(port)});
      }
    }
  }
  std::ranges::stable_sort(places, {}, [&](const PortPlace& place) { return sweep_key(subnet.port(place).guid); });
  return places;
}

Result<void> assign_lids(Subnet& subnet, const LidOptions& options) {
  WEFT_ASSERT(subnet.manager.has_value());
  if (options.lmc > kMostLmc) {
    return fail("an LMC of {} is above {}", options.lmc, kMostLmc);
  }
  std::vector<PortPlace> places = end_ports(subnet);
  const auto manager = std::ranges::find(places, *subnet.manager);
  WEFT_ASSERT(manager != places.end());
  std::rotate(places.begin(), manager, manager + 1);
  LidPool pool(kept_ranges(subnet, places, options));
  for (const PortPlace& place : places) {
    Port& port = subnet.port(place);
    const std::uint32_t count = lids_of(subnet[place.node], options);
    LidRange range{.first = port.lid, .count = count};
    if (port.lid == 0 || port.lid % count != 0 || !pool.is_unassigned(range)) {
      range.first = pool.take(count);
    }
    if (range.first == 0) {
      return fail("{} end ports with an LMC of {} need more LIDs than the {} of a subnet; lower the LMC", places.size(),
                  options.lmc, kLastUnicastLid);
    }
    pool.assign(range);
    port.lid = static_cast<Lid>(range.first);
    port.lmc = count == 1 ? std::uint8_t{0} : options.lmc;
  }
  return {};
}

}  // namespace weft::subnet
