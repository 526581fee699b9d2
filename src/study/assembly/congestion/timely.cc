#include "study/assembly/congestion/timely.h"

#include <algorithm>

#include "study/assembly/scaled.h"
#include "transport/congestion/timely.h"

namespace weft::study::assembly {

CongestionControls make_timely(const CongestionContext& context) {
  const scenario::TimelySettings& from = context.scenario.timely;
  return controls_of<transport::Timely>(transport::TimelyParameters{
      .line_rate = context.line,
      .minimum_rate = std::min(from.minimum_rate, context.line),
      .additive_increase = scaled(from.additive_increase, context.line, from.reference_rate),
      .base_round_trip = from.base_round_trip.value_or(context.round_trip),
      .low_threshold = from.low_threshold,
      .high_threshold = from.high_threshold,
      .weight = from.weight,
      .decrease = from.decrease,
      .hyper_after = static_cast<std::int32_t>(from.hyper_after),
      .hyper_multiple = from.hyper_multiple,
      .segment = from.segment,
      .window_limit = context.window.value_or(Bytes::max())});
}

}  // namespace weft::study::assembly
