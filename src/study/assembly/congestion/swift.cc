#include "study/assembly/congestion/swift.h"

#include <algorithm>

#include "transport/congestion/swift.h"

namespace weft::study::assembly {

// Windows beyond what the line carries in the largest target could not be used without exceeding it.
CongestionControls make_swift(const CongestionContext& context) {
  using transport::PacketCount;
  const scenario::SwiftSettings& from = context.scenario.swift;
  const Bytes packet(context.scenario.fabric.mtu);
  const auto packets_in = [&](Duration time) {
    const Bytes most = context.window.value_or(Bytes::max());
    const Bytes bytes = std::min(context.line.bytes_in(time), most);
    return std::max(PacketCount::packets(1), PacketCount::packets(bytes / packet));
  };
  const Duration largest =
      from.base_target + from.flow_scaling_range + from.hop_delay * std::int64_t{wire::kTelemetryHops};
  return controls_of<transport::Swift>(
      transport::SwiftParameters{.packet = packet,
                                 .base_target = from.base_target,
                                 .hop_delay = from.hop_delay,
                                 .flow_scaling_range = from.flow_scaling_range,
                                 .flow_scaling_least = PacketCount::of(from.flow_scaling_least),
                                 .flow_scaling_most = PacketCount::packets(from.flow_scaling_most),
                                 .additive_increase = PacketCount::packets(from.additive_increase),
                                 .decrease = from.decrease,
                                 .maximum_decrease = from.maximum_decrease,
                                 .initial_window = packets_in(from.base_target),
                                 .least_window = PacketCount::of(from.least_window),
                                 .largest_window = packets_in(largest),
                                 .timeouts_before_reset = static_cast<std::int32_t>(from.timeouts_before_reset)});
}

}  // namespace weft::study::assembly
