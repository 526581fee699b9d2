// The same scenario with another number of GPUs: more or fewer copies of the model, on a network grown to match.
//
// Hosts, leaves and groups follow the GPUs; what hangs on one leaf, uplinks and so oversubscription stay. With weak
// scaling each copy keeps its batch; with strong scaling the global batch stays.
#pragma once

#include "base/result.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

enum class Scaling : std::uint8_t { kWeak, kStrong };

struct Resize {
  std::int64_t gpus = 0;
  Scaling scaling = Scaling::kWeak;
};

/// Errors: not exactly one job, or one without a model; GPUs that make no whole copies of the model or no whole batch;
/// a topology that cannot grow that far.
[[nodiscard]] Result<scenario::Scenario> resized(const scenario::Scenario& scenario, const Resize& resize);

/// GPUs of the smallest cluster: one copy of the model. The same errors.
[[nodiscard]] Result<std::int64_t> smallest_size(const scenario::Scenario& scenario);

}  // namespace weft::study::assembly
