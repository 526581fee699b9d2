#include "study/assembly/congestion/ib_congestion.h"

#include "transport/congestion/ib_congestion_control.h"
#include "transport/congestion/notification_point.h"

namespace weft::study::assembly {

CongestionControls make_ib_congestion(const CongestionContext& context) {
  const scenario::IbCongestionSettings& from = context.scenario.ib_congestion;
  const auto narrow = [](std::int64_t value) { return static_cast<std::uint16_t>(value); };
  return controls_of<transport::IbCongestionControl>(
      transport::IbCongestionParameters{
          .link_rate = context.line,
          .ccti_increase = narrow(from.ccti_increase),
          .ccti_min = narrow(from.ccti_min),
          .ccti_limit = narrow(from.ccti_limit),
          .ccti_timer = narrow(from.ccti_timer),
          .trigger_threshold = narrow(from.trigger_threshold),
          .table = transport::linear_cct({.entries = narrow(from.ccti_limit + 1),
                                          .step = narrow(from.cct_step),
                                          .shift = static_cast<std::uint8_t>(from.cct_shift)})},
      [] { return std::make_unique<transport::FecnReply>(transport::CongestionSignal::kEcho); });
}

}  // namespace weft::study::assembly
