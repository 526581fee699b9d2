#include "study/assembly/congestion/dcqcn.h"

#include <algorithm>

#include "study/assembly/scaled.h"
#include "transport/congestion/notification_point.h"

namespace weft::study::assembly {

namespace {

transport::TargetClamp clamp_of(scenario::ClampRule rule) {
  switch (rule) {
    case scenario::ClampRule::kAlways:
      return transport::TargetClamp::kAlways;
    case scenario::ClampRule::kNever:
      return transport::TargetClamp::kNever;
    case scenario::ClampRule::kAfterTimeIncrease:
      break;
  }
  return transport::TargetClamp::kAfterTimeIncrease;
}

}  // namespace

transport::DcqcnParameters dcqcn_parameters(const scenario::Scenario& scenario, Rate line,
                                            std::optional<Bytes> window) {
  const scenario::DcqcnSettings& from = scenario.dcqcn;
  return {.line_rate = line,
          .minimum_rate = std::min(from.minimum_rate, line),
          .additive_increase = scaled(from.additive_increase, line, from.reference_rate),
          .hyper_increase = scaled(from.hyper_increase, line, from.reference_rate),
          .rate_on_first_cnp = from.rate_on_first_cnp.value_or(Rate::zero()),
          .alpha_timer = from.alpha_timer,
          .decrease_interval = from.decrease_interval,
          .increase_timer = scaled(from.increase_timer, line, from.timer_reference_rate),
          .byte_counter = from.byte_counter.value_or(Bytes::max()),
          .fast_recovery_threshold = static_cast<std::int32_t>(from.fast_recovery_threshold),
          .gain = from.gain,
          .initial_alpha = from.initial_alpha,
          .maximum_cut = from.maximum_cut,
          .target_clamp = clamp_of(from.target_clamp),
          .hyper_steps = from.hyper_steps == scenario::HyperRule::kGrowing ? transport::HyperIncrease::kGrowing
                                                                           : transport::HyperIncrease::kConstant,
          .window_limit = window.value_or(Bytes::max()),
          .cnp_interval = from.cnp_interval};
}

CongestionControls make_dcqcn(const CongestionContext& context) {
  const transport::DcqcnParameters parameters = dcqcn_parameters(context.scenario, context.line, context.window);
  return controls_of<transport::Dcqcn>(parameters, [interval = parameters.cnp_interval] {
    return std::make_unique<transport::NotificationPoint>(interval);
  });
}

}  // namespace weft::study::assembly
