#include "study/assembly/congestion/nscc.h"

#include <memory>
#include <utility>

#include "study/assembly/build_uet.h"
#include "study/scenario/packet_sizes.h"

namespace weft::study::assembly {

transport::NsccParameters nscc_parameters_of(const CongestionContext& context) {
  const scenario::NsccSettings& from = context.scenario.nscc;
  const Bytes payload(context.scenario.fabric.mtu);
  transport::NsccParameters to = transport::nscc_parameters(
      {.round_trip = from.round_trip.value_or(context.round_trip),
       .line = context.line,
       .packet = scenario::data_packet(context.scenario, payload).frame,
       .payload = payload,
       .trimming = allows_trimming(context.scenario) ? transport::Trimming::kOn : transport::Trimming::kOff,
       .target = from.target.value_or(Duration::zero())});
  to.decrease = from.decrease;
  to.least_left = from.least_left;
  to.delay_gain = from.delay_gain;
  to.fast_delay = from.fast_delay;
  to.quick_adapt_delay = to.target * from.quick_adapt_targets;
  to.quick_adapt_shift = static_cast<std::uint8_t>(from.quick_adapt_fraction);
  to.largest_percent = static_cast<std::int32_t>(from.window_percent);
  to.adjust_bytes = to.packet * from.adjust_packets;
  to.credits = scenario::uses_rccc(context.scenario);
  return to;
}

CongestionControls make_nscc(const CongestionContext& context) {
  struct Kept final : KeptParameters {
    transport::NsccParameters value{};
  };
  auto kept = std::make_unique<Kept>();
  kept->value = nscc_parameters_of(context);
  const Duration round_trip = context.scenario.nscc.round_trip.value_or(context.round_trip);
  return {
      .sender =
          [&value = kept->value,
           flow = transport::Nscc::Flow{.round_trip = round_trip,
                                        .initial_window = context.scenario.nscc.first_window.value_or(Bytes::zero())}] {
            return std::make_unique<transport::Nscc>(value, flow);
          },
      .receiver = {},
      .parameters = std::move(kept)};
}

}  // namespace weft::study::assembly
