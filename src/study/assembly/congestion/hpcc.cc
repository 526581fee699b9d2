#include "transport/congestion/hpcc.h"

#include <algorithm>
#include <memory>

#include "study/assembly/congestion/makers.h"
#include "study/assembly/congestion/scaled.h"

namespace weft::study::assembly {

CongestionControls make_hpcc(const CongestionContext& context) {
  const scenario::HpccSettings& from = context.scenario.hpcc;
  const auto parameters = std::make_shared<const transport::HpccParameters>(transport::HpccParameters{
      .line_rate = context.line,
      .minimum_rate = std::min(from.minimum_rate, context.line),
      .base_round_trip = from.base_round_trip.value_or(context.round_trip),
      .target = from.target,
      .additive_increase = std::max(Bytes(1), scaled(from.additive_increase, context.line, from.reference_rate)),
      .stages = static_cast<std::int32_t>(from.stages),
      .window_limit = context.window.value_or(Bytes::max())});
  return {.sender = [parameters] { return std::make_unique<transport::Hpcc>(*parameters); }, .receiver = {}};
}

}  // namespace weft::study::assembly
