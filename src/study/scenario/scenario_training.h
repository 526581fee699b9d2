// What a [[job]] says of the steps that its ranks run: of training, of decoding, or of a stencil code.
//
// Counts of 0 stand for what docs/scenario.md says of the key: what follows from the others, or the model's own value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/data_size.h"
#include "base/probability.h"
#include "workload/training/gpu_model.h"
#include "workload/training/model_shape.h"
#include "workload/training/stragglers.h"
#include "workload/training/training_job.h"

namespace weft::study::scenario {

/// What the steps of a job are: training a model, making tokens with one (tensor-parallel decoding), or iterations of a
/// stencil code (halo exchange).
enum class JobWorkload : std::uint8_t { kTraining, kDecode, kHalo };

/// How a step becomes events: every packet of it, or its collectives measured packet by packet and put together.
enum class StepFidelity : std::uint8_t { kComposed, kPacket };

/// Ranks that compute more slowly: "none", "uniform to 5%", "exponential 2%", "1% by 30%".
struct StragglerSetting {
  workload::StragglerDistribution distribution;
};

/// Model, GPU, tp, dp, precision, steps and stragglers count for other workloads as well.
struct TrainingSettings {
  std::string model;            // of the catalogue; empty: the job trains and decodes nothing
  std::string gpu;              // of the catalogue
  std::int64_t layers = 0;      // 0: the model's
  std::int64_t tensor = 1;      // tp
  std::int64_t pipeline = 1;    // pp
  std::int64_t data = 0;        // dp; 0: what the GPUs leave
  std::int64_t context = 1;     // cp
  std::int64_t expert = 1;      // ep; inside dp
  std::int64_t interleave = 1;  // model chunks per pipeline stage
  workload::LayerSplit layer_split = workload::LayerSplit::kEven;
  std::int64_t micro_batch = 1;   // sequences
  std::int64_t global_batch = 0;  // sequences; 0: dp x micro_batch x 4 pp
  std::int64_t sequence = 0;      // tokens; 0: the model's
  bool sequence_parallel = true;
  std::int64_t zero = 1;  // 0, 1 or 3
  workload::Recomputation recomputation = workload::Recomputation::kSelective;
  workload::Precision precision = workload::Precision::kBf16;
  workload::GradientType gradients = workload::GradientType::kFp32;
  bool overlap = true;  // gradient reduction with the backward pass
  Bytes bucket;         // of gradients
  std::int64_t steps = 1;
  std::optional<Probability> efficiency;  // of the GPU's peak; none: the catalogue's
  StragglerSetting straggler;
  StepFidelity fidelity = StepFidelity::kComposed;
  Bytes slice;                  // composed: longest collective that is run packet by packet in any case
  std::int64_t slice_hops = 0;  // composed: packet-hops up to which slices grow that met congestion; 0: never

  // What the catalogue says of the two names.
  workload::ModelShape shape;
  workload::GpuModel gpu_model;
};

struct DecodeSettings {
  std::int64_t batch = 1;    // sequences of each copy of the model
  std::int64_t context = 1;  // tokens in the cache at the first step
};

struct HaloSettings {
  std::vector<std::int64_t> grid;   // ranks along x, y, z
  std::vector<std::int64_t> block;  // cells of a rank along x, y, z
  Bytes cell;                       // sent for a cell of a face
  Bytes cell_traffic;               // of memory to update a cell
  std::optional<Duration> compute;  // of a step; none: from the traffic and the GPU's memory
};

}  // namespace weft::study::scenario
