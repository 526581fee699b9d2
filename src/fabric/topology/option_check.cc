#include "fabric/topology/option_check.h"

#include <limits>

#include "base/format_quantity.h"
#include "base/int128.h"

namespace weft::fabric {

std::uint64_t saturating_product(std::initializer_list<std::uint64_t> factors) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors) {
    const Uint128 next = static_cast<Uint128>(product) * factor;
    product = next > kMax ? kMax : static_cast<std::uint64_t>(next);
  }
  return product;
}

OptionCheck& OptionCheck::positive(const NamedCount& count) {
  if (result_ && count.value == 0) {
    result_ = fail("{}: {} is 0, it must be at least 1", topology_, count.key);
  }
  return *this;
}

OptionCheck& OptionCheck::cable(std::string_view key, const Cable& cable) {
  if (result_ && cable.rate <= Rate::zero()) {
    result_ = fail("{}: the rate of {} is {}, it must be above 0", topology_, key, cable.rate);
  }
  if (result_ && cable.propagation <= Duration::zero()) {
    result_ = fail("{}: the propagation delay of {} is {}, it must be above 0 (5 ns per metre)", topology_, key,
                   cable.propagation);
  }
  return *this;
}

OptionCheck& OptionCheck::size(const GraphSize& size) {
  const auto limit = [this](std::string_view what, std::uint64_t value, std::uint64_t most) {
    if (result_ && value > most) {
      result_ = fail("{}: these options ask for {} {}, the most is {}", topology_, value, what, most);
    }
  };
  limit("endpoints", size.endpoints, kMaxEndpoints);
  limit("switches", size.switches, kMaxSwitches);
  limit("ports of one switch", size.largest_switch, kMaxPorts);
  return *this;
}

OptionCheck& OptionCheck::last_part(const HostParts& parts) {
  const std::uint64_t places = saturating_product({parts.parts, parts.of_part});
  const bool fits = parts.hosts <= places && parts.hosts > places - parts.of_part;
  if (result_ && parts.hosts > 0 && !fits) {
    result_ = fail("{}: hosts is {}, {} {} of {} take {} to {}", topology_, parts.hosts, parts.parts, parts.names,
                   parts.of_part, places - parts.of_part + 1, places);
  }
  return *this;
}

}  // namespace weft::fabric
