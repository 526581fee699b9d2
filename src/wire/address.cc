#include "wire/address.h"

#include <fmt/format.h>

namespace weft::wire {

namespace {

constexpr int kGroups = 8;

std::uint16_t group_of(const Ipv6Address& address, int group) {
  const auto at = static_cast<std::size_t>(2 * group);
  return static_cast<std::uint16_t>((address.octets[at] << 8) | address.octets[at + 1]);
}

struct ZeroRun {
  int start = 0;
  int length = 0;
};

/// The first of the longest runs of zero groups; a single zero group is not worth shortening.
//= rfc5952 4.2
ZeroRun longest_zero_run(const Ipv6Address& address) {
  ZeroRun best;
  ZeroRun run;
  for (int group = 0; group < kGroups; ++group) {
    run = group_of(address, group) == 0 ? ZeroRun{run.start, run.length + 1} : ZeroRun{group + 1, 0};
    if (run.length > best.length) {
      best = run;
    }
  }
  return best.length > 1 ? best : ZeroRun{};
}

bool is_mapped_ipv4(const Ipv6Address& address) {
  for (int group = 0; group < 5; ++group) {
    if (group_of(address, group) != 0) {
      return false;
    }
  }
  return group_of(address, 5) == 0xFFFF;
}

}  // namespace

std::string to_string(const MacAddress& address) { return fmt::format("{:02x}", fmt::join(address.octets, ":")); }

std::string to_string(Ipv4Address address) {
  const auto v = address.value;
  return fmt::format("{}.{}.{}.{}", v >> 24, (v >> 16) & 0xFFU, (v >> 8) & 0xFFU, v & 0xFFU);
}

std::string to_string(const Ipv6Address& address) {
  if (is_mapped_ipv4(address)) {
    const auto high = static_cast<std::uint32_t>(group_of(address, 6));
    return fmt::format("::ffff:{}", to_string(Ipv4Address{(high << 16) | group_of(address, 7)}));
  }
  const auto zeros = longest_zero_run(address);
  std::string text;
  for (int group = 0; group < kGroups; ++group) {
    if (zeros.length > 0 && group == zeros.start) {
      text += "::";
      group += zeros.length - 1;
      continue;
    }
    const bool separated = text.empty() || text.back() == ':';
    text += fmt::format("{}{:x}", separated ? "" : ":", group_of(address, group));
  }
  return text;
}

}  // namespace weft::wire
