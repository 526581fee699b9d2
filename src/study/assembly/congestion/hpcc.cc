#include "study/assembly/congestion/hpcc.h"

#include <algorithm>

#include "study/assembly/scaled.h"
#include "transport/congestion/hpcc.h"

namespace weft::study::assembly {

CongestionControls make_hpcc(const CongestionContext& context) {
  const scenario::HpccSettings& from = context.scenario.hpcc;
  return controls_of<transport::Hpcc>(transport::HpccParameters{
      .line_rate = context.line,
      .minimum_rate = std::min(from.minimum_rate, context.line),
      .base_round_trip = from.base_round_trip.value_or(context.round_trip),
      .target = from.target,
      .additive_increase = std::max(Bytes(1), scaled(from.additive_increase, context.line, from.reference_rate)),
      .stages = static_cast<std::int32_t>(from.stages),
      .window_limit = context.window.value_or(Bytes::max())});
}

}  // namespace weft::study::assembly
