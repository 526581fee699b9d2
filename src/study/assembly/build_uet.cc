#include "study/assembly/build_uet.h"

#include <algorithm>
#include <bit>

#include "study/scenario/packet_sizes.h"

namespace weft::study::assembly {
namespace {

/// Eight bandwidth-delay products: what is in flight while a loss is found and repaired, and more where rates differ.
std::uint32_t window_of(const scenario::Scenario& scenario, const UetSite& site) {
  if (scenario.uet.window) {
    return static_cast<std::uint32_t>(*scenario.uet.window);
  }
  constexpr std::int64_t kProducts = 8;
  const std::int64_t path = site.line.bytes_in(site.round_trip).count() / scenario.fabric.mtu + 1;
  const auto packets = static_cast<std::uint64_t>(std::clamp<std::int64_t>(kProducts * path, 256, 16'384));
  return static_cast<std::uint32_t>(std::bit_ceil(packets));
}

std::optional<std::uint16_t> narrow(const std::optional<std::int64_t>& bytes) {
  return bytes ? std::optional(static_cast<std::uint16_t>(*bytes)) : std::nullopt;
}

}  // namespace

bool allows_trimming(const scenario::Scenario& scenario) {
  return scenario.uet.trimming.value_or(scenario.devices.ethernet.trimming.enabled);
}

transport::UetOptions uet_options(const scenario::Scenario& scenario, const UetSite& site) {
  const scenario::UetSettings& from = scenario.uet;
  const bool trims = allows_trimming(scenario);
  constexpr std::int64_t kRoundTripsOfQueue = 6;
  const Duration timeout = from.timeout.value_or(Duration::microseconds(15) + site.round_trip * kRoundTripsOfQueue);
  transport::UetOptions to;
  to.mode = from.delivery == scenario::UetDelivery::kRod ? transport::UetMode::kRod : transport::UetMode::kRud;
  to.secure_start = from.secure_start == scenario::UetStart::kOneRtt ? transport::SecureStart::kOneRtt
                                                                     : transport::SecureStart::kZeroRtt;
  to.max_pdcs = static_cast<std::uint16_t>(from.contexts);
  to.idle_close = from.idle_close;
  to.psn_window = window_of(scenario, site);
  to.ack_every = from.ack_every;
  to.timeout = timeout;
  to.max_timeout = timeout * 16;
  to.max_retries = static_cast<std::uint8_t>(from.retries);
  to.probe_after = from.probe_after.value_or(trims ? Duration::zero() : site.round_trip * 3);
  to.loss_by_count = from.loss_by_count.value_or(!trims);
  to.loss_window = site.line.bytes_in(site.round_trip) * 3 / 2;
  to.trimming = trims;
  to.receiver_penalty = static_cast<std::uint8_t>(from.receiver_penalty);
  to.sizes = {.data_headers = narrow(from.header_bytes),
              .control = narrow(from.control_bytes),
              .gap = std::nullopt,
              .security = static_cast<std::uint16_t>(scenario::security_bytes(scenario).count())};
  return to;
}

}  // namespace weft::study::assembly
