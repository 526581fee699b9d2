// The parallelism nearest to what a training job asks for with which it would fit into its GPUs' memory.
//
// Tried are the divisions of the job's GPUs into tp, pp, dp and ep that the model and the batch allow; everything else,
// context parallelism and ZeRO too, stays as it is. Nearest: the fewest doublings and halvings of tp, pp and ep
// together; of equals the one with the smaller tp, then pp. A global batch that was derived follows. The search is
// bounded: divisors of the number of GPUs and of the model's layers, heads and experts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "study/scenario/scenario.h"

namespace weft::study::scenario {

enum class BatchOrigin : std::uint8_t { kGiven, kDerived };

/// The settings with other tp, pp, dp and ep; nothing if none fits. The job trains, and its own parallelism is legal.
[[nodiscard]] std::optional<TrainingSettings> nearest_that_fits(const JobSettings& job, BatchOrigin batch);

/// "tp = 8, pp = 4, dp = 2 on the same 64 GPUs would fit", or that nothing does.
[[nodiscard]] std::string fitting_text(const JobSettings& job, BatchOrigin batch);

}  // namespace weft::study::scenario
