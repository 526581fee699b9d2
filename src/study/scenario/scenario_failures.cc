#include "study/scenario/scenario_failures.h"

namespace weft::study::scenario {

std::int64_t fit_of(const FailureRates& rates, FailureKind kind) {
  switch (kind) {
    case FailureKind::kLinkDown:
      return rates.link_fit;
    case FailureKind::kFlapping:
      return rates.flap_fit;
    case FailureKind::kDegradedLanes:
      return rates.degraded_fit;
    case FailureKind::kSwitchReboot:
      return rates.switch_fit;
    case FailureKind::kNicPort:
      return rates.nic_fit;
    case FailureKind::kGpuSlow:
      return rates.gpu_slow_fit;
    case FailureKind::kSubnetManager:
      break;
  }
  return rates.manager_fit;
}

Duration duration_of(const FailureRates& rates, FailureKind kind) {
  switch (kind) {
    case FailureKind::kLinkDown:
      return rates.link_repair;
    case FailureKind::kFlapping:
      return rates.flap_duration;
    case FailureKind::kDegradedLanes:
      return rates.degraded_repair;
    case FailureKind::kSwitchReboot:
      return rates.switch_reboot;
    case FailureKind::kNicPort:
      return rates.nic_repair;
    case FailureKind::kGpuSlow:
      return rates.gpu_slow_repair;
    case FailureKind::kSubnetManager:
      break;
  }
  return rates.manager_takeover;
}

std::vector<std::string_view> fill_in(FailureSettings& failure, const FailureRates& rates) {
  std::vector<std::string_view> filled;
  const auto fill = [&filled](auto& member, std::string_view key, auto value) {
    if (!member) {
      member = value;
      filled.push_back(key);
    }
  };
  if (!failure.at) {
    fill(failure.fit, "fit", fit_of(rates, failure.kind));
  }
  // A manager is away until the standby has taken over, whenever that was.
  if (!failure.at || failure.kind == FailureKind::kSubnetManager) {
    fill(failure.duration, "duration", duration_of(rates, failure.kind));
  }
  if (failure.kind == FailureKind::kFlapping) {
    fill(failure.period, "period", rates.flap_period);
    fill(failure.down, "down", rates.flap_down);
  }
  if (failure.kind == FailureKind::kDegradedLanes) {
    fill(failure.width, "width", rates.degraded_width);
    fill(failure.bit_error_rate, "bit_error_rate", rates.degraded_bit_error_rate);
    fill(failure.fec_latency, "fec_latency", rates.degraded_fec_latency);
  }
  if (failure.kind == FailureKind::kGpuSlow) {
    fill(failure.speed, "speed", rates.gpu_slow_speed);
  }
  return filled;
}

}  // namespace weft::study::scenario
