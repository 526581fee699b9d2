#include "study/import/htsim_values.h"

#include "base/format_quantity.h"

namespace weft::study::import {
namespace {

constexpr std::int64_t kTrimmingFactor = 1;
constexpr std::int64_t kDroppingFactor = 5;

// Two priorities of queue, three hops of an incast.
constexpr std::int64_t kQueuesInTimeout = 6;
constexpr Duration kLeastTimeout = 15_us;

std::int64_t ceiling(std::int64_t value, std::int64_t divisor) { return (value + divisor - 1) / divisor; }

}  // namespace

Result<HtsimValues> derive_values(const HtsimTopology& topology, const HtsimSettings& settings) {
  const Rate rate = topology.tier[0].downlink_speed;
  const Bytes packet = settings.mtu;
  HtsimValues values;
  values.round_trip =
      2 * topology.diameter_latency() +
      (rate.transmit_time(packet) + rate.transmit_time(HtsimSettings::kHeader)) * std::int64_t{topology.diameter()};
  const Bytes bdp = rate.bytes_in(values.round_trip);
  values.bdp_packets = ceiling(bdp.count(), packet.count());
  const bool trims = settings.overflow == HtsimOverflow::kTrim;
  const std::int64_t factor = settings.queue_bdp_factor > 0 ? settings.queue_bdp_factor
                              : trims                       ? kTrimmingFactor
                                                            : kDroppingFactor;
  values.queue = packet * settings.queue_packets.value_or(values.bdp_packets * factor);
  values.ecn_low = packet * (settings.ecn_packets ? settings.ecn_packets->first : ceiling(values.bdp_packets * 2, 10));
  values.ecn_high =
      packet * (settings.ecn_packets ? settings.ecn_packets->second : ceiling(values.bdp_packets * 8, 10));
  values.window = settings.window_packets ? packet * *settings.window_packets : Bytes(bdp.count() * 3 / 2);
  values.minimum_rto = kLeastTimeout + rate.transmit_time(values.queue * kQueuesInTimeout);
  if (values.ecn_low > values.ecn_high) {
    return fail("ecn: the lower bound, {}, is above the upper, {}", values.ecn_low, values.ecn_high);
  }
  if (values.ecn_high > values.queue) {
    return fail("ecn: the upper bound, {}, is above the queue, {}, which could never mark every packet",
                values.ecn_high, values.queue);
  }
  return values;
}

}  // namespace weft::study::import
