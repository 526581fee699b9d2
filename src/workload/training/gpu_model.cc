#include "workload/training/gpu_model.h"

#include <algorithm>
#include <array>

#include "base/format_quantity.h"

namespace weft::workload {
namespace {

Duration from_seconds(double seconds) {
  const double picoseconds = seconds * 1e12;
  const auto whole = static_cast<std::int64_t>(picoseconds);
  return Duration::picoseconds(whole + (static_cast<double>(whole) < picoseconds ? 1 : 0));
}

}  // namespace

std::string_view to_string(Precision precision) {
  constexpr std::array<std::string_view, 3> kWords{"bf16", "fp16", "fp8"};
  return kWords[static_cast<std::size_t>(precision)];
}

Result<void> check_gpu(const GpuModel& gpu) {
  if (gpu.bf16_flops_per_second <= 0 || gpu.fp8_flops_per_second < 0) {
    return fail("GPU {}: {} flop/s at bf16, {} at fp8; the first must be above 0", gpu.name, gpu.bf16_flops_per_second,
                gpu.fp8_flops_per_second);
  }
  if (gpu.memory <= Bytes::zero() || gpu.memory_rate <= Rate::zero()) {
    return fail("GPU {}: {} of memory at {}; both must be above 0", gpu.name, gpu.memory, gpu.memory_rate);
  }
  const auto is_share = [](double share) { return share > 0 && share <= 1; };
  if (!is_share(gpu.gemm_peak_share) || !is_share(gpu.memory_share)) {
    return fail("GPU {}: {} of peak and {} of memory rate reached; above 0 and at most 1", gpu.name,
                gpu.gemm_peak_share, gpu.memory_share);
  }
  if (!(gpu.gemm_half_length >= 0 && gpu.gemm_half_length <= 1e9) || gpu.kernel_time < Duration::zero() ||
      gpu.reserved < Bytes::zero()) {
    return fail("GPU {}: half length {}, kernel time {}, reserved memory {}; none below 0", gpu.name,
                gpu.gemm_half_length, gpu.kernel_time, gpu.reserved);
  }
  return {};
}

Result<std::int64_t> peak_flops_per_second(const GpuModel& gpu, Precision precision) {
  if (precision != Precision::kFp8) {
    return gpu.bf16_flops_per_second;
  }
  if (gpu.fp8_flops_per_second == 0) {
    return fail("GPU {} has no fp8", gpu.name);
  }
  return gpu.fp8_flops_per_second;
}

Result<GpuTimer> GpuTimer::make(const GpuModel& gpu, Precision precision) {
  if (auto checked = check_gpu(gpu); !checked) {
    return pass_on(checked);
  }
  auto peak = peak_flops_per_second(gpu, precision);
  if (!peak) {
    return pass_on(peak);
  }
  return GpuTimer(gpu, precision, *peak);
}

GpuTimer::GpuTimer(const GpuModel& gpu, Precision precision, std::int64_t peak)
    : peak_(static_cast<double>(peak)),
      bytes_per_second_(static_cast<double>(gpu.memory_rate.bits_per_second()) / 8 * gpu.memory_share),
      peak_share_(gpu.gemm_peak_share),
      half_length_(gpu.gemm_half_length),
      kernel_time_(gpu.kernel_time),
      element_bytes_(precision == Precision::kFp8 ? 1 : 2) {}

double GpuTimer::gemm_efficiency(const Gemm& sides) const {
  const double inverse =
      1 / static_cast<double>(sides.m) + 1 / static_cast<double>(sides.n) + 1 / static_cast<double>(sides.k);
  return peak_share_ / (1 + half_length_ * inverse);
}

Duration GpuTimer::gemm(const Gemm& sides) const {
  if (sides.m == 0 || sides.n == 0 || sides.k == 0 || sides.count == 0) {
    return Duration::zero();
  }
  const auto m = static_cast<double>(sides.m);
  const auto n = static_cast<double>(sides.n);
  const auto k = static_cast<double>(sides.k);
  const auto count = static_cast<double>(sides.count);
  const double arithmetic = 2 * count * m * n * k / (peak_ * gemm_efficiency(sides));
  const double traffic = count * (m * k + k * n + m * n) * static_cast<double>(element_bytes_) / bytes_per_second_;
  return kernel_time_ + from_seconds(std::max(arithmetic, traffic));
}

Duration GpuTimer::memory_bound(Bytes traffic) const {
  if (traffic == Bytes::zero()) {
    return Duration::zero();
  }
  return kernel_time_ + from_seconds(static_cast<double>(traffic.count()) / bytes_per_second_);
}

}  // namespace weft::workload
