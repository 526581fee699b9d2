#include "study/claims/link_load.h"

#include <algorithm>
#include <string_view>

namespace weft::study::claims {
namespace {

/// "pod0/leaf3/port1" is of the tier "leaf".
bool is_of(std::string_view port, std::string_view tier) {
  const std::size_t end = port.rfind('/');
  if (end == std::string_view::npos) {
    return false;
  }
  const std::string_view device = port.substr(0, end);
  const std::size_t slash = device.rfind('/');
  std::string_view name = slash == std::string_view::npos ? device : device.substr(slash + 1);
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') {
    name.remove_suffix(1);
  }
  return name == tier;
}

}  // namespace

bool is_between(const results::PortRow& port, const Tiers& tiers) {
  return is_of(port.name, tiers.from) && is_of(port.peer, tiers.to);
}

LinkLoad link_load(const results::RunResults& results, const Tiers& tiers) {
  LinkLoad load;
  double most = 0;
  double sum = 0;
  for (const results::PortRow& port : results.ports) {
    if (!is_between(port, tiers)) {
      continue;
    }
    const double bytes = static_cast<double>(port.tx_bytes);
    ++load.links;
    load.unused += port.tx_bytes == 0 ? 1 : 0;
    most = std::max(most, bytes);
    sum += bytes;
  }
  load.max_over_mean = sum > 0 ? most * static_cast<double>(load.links) / sum : 0;
  return load;
}

}  // namespace weft::study::claims
