// Prints ten published training runs beside what weft predicts for them: the table of docs/validation.md.
// With --fit: the two parameters of the GPU's efficiency that fit the first five best, by search over a grid.
#include <fmt/core.h>

#include <cmath>
#include <string_view>

#include "study/scenario/megatron_rows.h"

namespace weft::study::scenario {
namespace {

constexpr const char* kGpu = "a100-80gb";

// Root of the mean square of the relative errors of rows [0, count).
double error_of(const scenario::ModelCatalogue& catalogue, const workload::GpuModel& gpu, std::size_t count) {
  double sum = 0;
  for (const scenario::MegatronRow& row : megatron_rows().first(count)) {
    const auto predicted = predicted_teraflops(row, catalogue, gpu);
    const double error = predicted ? *predicted / row.teraflops - 1 : 1;
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(count));
}

workload::GpuModel fit(const scenario::ModelCatalogue& catalogue, workload::GpuModel gpu) {
  workload::GpuModel best = gpu;
  double least = error_of(catalogue, best, scenario::kFittedMegatronRows);
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
  const auto catalogue = scenario::ModelCatalogue::load(std::nullopt);
  if (!catalogue) {
    fmt::print(stderr, "{}\n", catalogue.error().message);
    return 1;
  }
  workload::GpuModel gpu = (*catalogue->find_gpu(kGpu))->gpu;
  if (fits) {
    gpu = fit(*catalogue, gpu);
  }
  auto table = scenario::megatron_table(*catalogue, gpu);
  if (!table) {
    fmt::print(stderr, "{}\n", table.error().message);
    return 1;
  }
  fmt::print("{}", *table);
  return 0;
}

}  // namespace
}  // namespace weft::study::scenario

int main(int argc, char** argv) { return weft::study::scenario::run(argc > 1 && std::string_view(argv[1]) == "--fit"); }
