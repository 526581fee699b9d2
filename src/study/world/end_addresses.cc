#include "study/world/end_addresses.h"

#include <set>

#include "base/stable_hash.h"
#include "wire/lrh.h"

namespace weft::study::world {
namespace {

/// Link-local.
wire::Ipv6Address ipv6_of(std::uint64_t hash) {
  wire::Ipv6Address address{.octets = {0xFE, 0x80}};
  for (unsigned i = 0; i < 8; ++i) {
    address.octets[8 + i] = static_cast<std::uint8_t>(hash >> (56 - 8 * i));
  }
  return address;
}

/// Small numbers from large hashes; where two would agree, the later one takes the next that is free.
class Numbers {
 public:
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t count = 1;
  };
  explicit Numbers(Range range) : range_(range) {}
  std::uint64_t take(std::uint64_t hash) {
    std::uint64_t offset = hash % range_.count;
    while (taken_.size() < range_.count && !taken_.insert(offset).second) {
      offset = (offset + 1) % range_.count;
    }
    return range_.first + offset;
  }

 private:
  Range range_;
  std::set<std::uint64_t> taken_;
};

}  // namespace

wire::MacAddress mac_of(std::uint64_t hash) {
  wire::MacAddress mac{.octets = {0x02}};  // locally administered
  for (unsigned i = 1; i < mac.octets.size(); ++i) {
    mac.octets[i] = static_cast<std::uint8_t>(hash >> (8 * i));
  }
  return mac;
}

std::vector<wire::EndAddresses> end_addresses(const fabric::Graph& graph, std::uint64_t seed,
                                              std::uint8_t lid_mask_control) {
  Numbers hosts({.first = 1, .count = (1U << 24) - 2});  // of 10.0.0.0/8
  // Unicast, of which each end has as many as its LMC says.
  Numbers lids({.first = 1, .count = ((wire::kLastUnicastLid + 1U) >> lid_mask_control) - 1});
  std::vector<wire::EndAddresses> addresses;
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    const std::uint64_t hash = stable_hash(seed, graph.nodes[i].name);
    addresses.push_back({.mac = mac_of(hash),
                         .ipv4 = {0x0A000000U + static_cast<std::uint32_t>(hosts.take(hash))},
                         .ipv6 = ipv6_of(hash),
                         .lid = static_cast<std::uint16_t>(lids.take(hash) << lid_mask_control),
                         .lid_mask_control = lid_mask_control});
  }
  return addresses;
}

}  // namespace weft::study::world
