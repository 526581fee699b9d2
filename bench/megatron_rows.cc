// Prints ten published training runs beside what weft predicts for them, as a table of docs/validation.md.
// With --fit: the two parameters of the GPU's efficiency that fit the first five best, by search over a grid.
#include <fmt/core.h>

#include <cmath>
#include <string_view>

#include "study/megatron_rows.h"

namespace weft::study {
namespace {

constexpr const char* kGpu = "a100-80gb";

// Root of the mean square of the relative errors of rows [0, count).
double error_of(const ModelCatalogue& catalogue, const workload::GpuModel& gpu, std::size_t count) {
  double sum = 0;
  for (const MegatronRow& row : megatron_rows().first(count)) {
    const auto predicted = predicted_teraflops(row, catalogue, gpu);
    const double error = predicted ? *predicted / row.teraflops - 1 : 1;
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(count));
}

workload::GpuModel fit(const ModelCatalogue& catalogue, workload::GpuModel gpu) {
  workload::GpuModel best = gpu;
  double least = error_of(catalogue, best, kFittedMegatronRows);
  for (int share = 500; share <= 1000; share += 5) {
    for (int half = 0; half <= 400; half += 10) {
      gpu.gemm_peak_share = share * 1e-3;
      gpu.gemm_half_length = half;
      if (const double error = error_of(catalogue, gpu, kFittedMegatronRows); error < least) {
        least = error;
        best = gpu;
      }
    }
  }
  return best;
}

int run(bool fits) {
  const auto catalogue = ModelCatalogue::load(std::nullopt);
  if (!catalogue) {
    fmt::print(stderr, "{}\n", catalogue.error().message);
    return 1;
  }
  workload::GpuModel gpu = (*catalogue->find_gpu(kGpu))->gpu;
  if (fits) {
    gpu = fit(*catalogue, gpu);
  }
  fmt::print("{}: gemm_peak_share {:.3f}, gemm_half_length {:.0f}; error of rows 1 to 5 {:.2f} %\n\n", kGpu,
             gpu.gemm_peak_share, gpu.gemm_half_length, 100 * error_of(*catalogue, gpu, kFittedMegatronRows));
  double mean = 0;
  for (const MegatronRow& row : megatron_rows().first(kFittedMegatronRows)) {
    mean += row.teraflops / kFittedMegatronRows;
  }
  fmt::print("| row | model | TP x PP x DP | micro-batch, chunks | published | weft | error | constant {:.0f} |\n",
             mean);
  fmt::print("|---|---|---|---|---|---|---|---|\n");
  int number = 0;
  for (const MegatronRow& row : megatron_rows()) {
    const auto job = job_of_row(row, *catalogue, gpu);
    const auto predicted = predicted_teraflops(row, *catalogue, gpu);
    if (!job || !predicted) {
      fmt::print(stderr, "{}\n", predicted.error().message);
      return 1;
    }
    const auto& p = job->parallelism;
    fmt::print("| {} | {} | {} x {} x {} | {}, {} | {:.0f} | {:.1f} | {:+.1f} % | {:+.1f} % |\n", ++number, row.model,
               p.tensor, p.pipeline, p.data, job->batch.micro, p.virtual_stages, row.teraflops, *predicted,
               100 * (*predicted / row.teraflops - 1), 100 * (mean / row.teraflops - 1));
  }
  return 0;
}

}  // namespace
}  // namespace weft::study

int main(int argc, char** argv) { return weft::study::run(argc > 1 && std::string_view(argv[1]) == "--fit"); }
