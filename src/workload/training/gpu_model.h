// A GPU as far as the time of a training step depends on it, and how long one operation takes there.
//
// A matrix product of m x k by k x n takes the longer of 2 m n k / (peak x efficiency) and its bytes / memory rate; the
// efficiency is gemm_peak_share / (1 + gemm_half_length (1/m + 1/n + 1/k)): short sides fill a GPU's tiles and
// pipelines badly. What is not a product takes its bytes / memory rate. Every kernel takes kernel_time in addition.
// Peaks are dense, without sparsity. Doubles with + - x / alone, rounded up to a picosecond: the same on every
// platform.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"
#include "workload/training/model_flops.h"

namespace weft::workload {

enum class Precision : std::uint8_t { kBf16, kFp16, kFp8 };
/// "bf16", "fp16", "fp8".
[[nodiscard]] std::string_view to_string(Precision precision);

struct GpuModel {
  std::string name{};
  std::int64_t bf16_flops_per_second = 0;  // fp16 is as fast
  std::int64_t fp8_flops_per_second = 0;   // 0: it has none
  Bytes memory{};
  Rate memory_rate{};
  std::string scale_up{};  // the generation of its links, a name for reports

  // Efficiency: what a user calibrates.
  double gemm_peak_share = 0.8;   // of the peak, reached by products with long sides; above 0, at most 1
  double gemm_half_length = 0.0;  // elements; at least 0
  double memory_share = 0.9;      // of the memory rate that streaming kernels reach; above 0, at most 1
  Duration kernel_time{};         // beginning and end of a kernel on the GPU
  Bytes reserved{};               // of the memory, for the runtime and its libraries
};

/// Errors, with the numbers: a rate or memory that is not above 0, a share outside (0, 1].
[[nodiscard]] Result<void> check_gpu(const GpuModel& gpu);

/// Operations per second at a precision. Errors: the GPU does not have it.
[[nodiscard]] Result<std::int64_t> peak_flops_per_second(const GpuModel& gpu, Precision precision);

/// Sides of a matrix product, and how many there are of one shape in a kernel.
struct Gemm {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t count = 1;
};

/// The time of operations on one GPU at one precision.
class GpuTimer {
 public:
  /// Errors: check_gpu, a precision that the GPU does not have.
  [[nodiscard]] static Result<GpuTimer> make(const GpuModel& gpu, Precision precision);

  /// 0 if a side is 0.
  [[nodiscard]] Duration gemm(const Gemm& sides) const;
  /// A kernel that reads and writes `traffic` bytes of the GPU's memory.
  [[nodiscard]] Duration memory_bound(Bytes traffic) const;
  [[nodiscard]] double gemm_efficiency(const Gemm& sides) const;
  /// Bytes of one element of an operand.
  [[nodiscard]] std::int64_t element_bytes() const { return element_bytes_; }

 private:
  GpuTimer(const GpuModel& gpu, Precision precision, std::int64_t peak);

  double peak_;
  double bytes_per_second_;
  double peak_share_;
  double half_length_;
  Duration kernel_time_;
  std::int64_t element_bytes_;
};

}  // namespace weft::workload
