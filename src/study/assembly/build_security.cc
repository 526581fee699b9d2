#include "study/assembly/build_security.h"

#include <algorithm>

#include "study/scenario/packet_sizes.h"

namespace weft::study::assembly {
namespace {

host::InlineServer server_of(const std::optional<Rate>& rate, const std::optional<std::int64_t>& packet_rate) {
  constexpr std::int64_t kSecond = 1'000'000'000'000;
  host::InlineServer server{.rate = rate.value_or(Rate::max()), .per_packet = {}};
  if (packet_rate) {
    server.per_packet = Duration::picoseconds((kSecond + *packet_rate - 1) / *packet_rate);
  }
  return server;
}

std::uint8_t lossless_priorities(const scenario::EthernetSettings& ethernet) {
  std::uint8_t bits = 0;
  for (std::size_t i = 0; i < ethernet.priorities.size(); ++i) {
    if (ethernet.priorities[i].lossless && !ethernet.priorities[i].credits) {
      bits = static_cast<std::uint8_t>(bits | 1U << i);
    }
  }
  return bits;
}

}  // namespace

std::optional<host::BumpOptions> bump_options(const scenario::Scenario& scenario) {
  const scenario::SecuritySettings& own = scenario.security;
  if (!own.encrypts() && !own.filters()) {
    return std::nullopt;
  }
  host::BumpOptions options{.added = scenario::protection_of(scenario),
                            .counted = static_cast<std::uint16_t>(scenario::security_bytes(scenario).count()),
                            .cipher = {},
                            .firewall = {},
                            .buffer = own.buffer};
  if (own.encrypts()) {
    options.cipher = server_of(own.encryption_rate, own.encryption_packet_rate);
  }
  if (own.filters()) {
    options.firewall = server_of(own.firewall_rate, own.firewall_packet_rate);
  }
  if (own.overflow == scenario::InlineOverflow::kPause &&
      scenario.routing.policy != scenario::RoutingPolicy::kScheduled) {
    options.paused_priorities = lossless_priorities(scenario.devices.ethernet);
  }
  return options;
}

std::optional<Rate> protected_rate(const scenario::Scenario& scenario) {
  const std::optional<host::BumpOptions> options = bump_options(scenario);
  if (!options || !options->limits()) {
    return std::nullopt;
  }
  const Bytes packet = scenario::data_packet(scenario, Bytes(scenario.fabric.mtu)).wire;
  const Duration slowest = std::max(options->cipher.time_of(packet), options->firewall.time_of(packet));
  return Rate::bits_per_second(static_cast<std::int64_t>(static_cast<double>(packet.count()) * 8 / slowest.seconds()));
}

}  // namespace weft::study::assembly
