// The order in which a pipeline stage works through its micro-batches: 1F1B, and interleaved 1F1B.
//
// Source: Narayanan et al. 2021 (SC'21), section 2.2, in Megatron-LM's order: a stage runs some forward passes ahead,
// then one forward and one backward in turn, then the backward passes that are left. With v chunks per stage,
// micro-batches go through in groups of as many as there are stages. Nothing is stored: any step can be asked for.
#pragma once

#include <cstdint>

#include "base/assert.h"

namespace weft::workload {

enum class PassDirection : std::uint8_t { kForward, kBackward };

/// One pass of one micro-batch through one chunk of a stage's layers.
struct Pass {
  PassDirection direction = PassDirection::kForward;
  std::int64_t micro_batch = 0;
  std::int64_t chunk = 0;  // from 0, in the order of the layers

  friend bool operator==(const Pass&, const Pass&) = default;
};

struct PipelineShape {
  std::int64_t stages = 1;
  std::int64_t stage = 0;
  std::int64_t chunks = 1;         // above 1: `micro_batches` is a multiple of `stages`
  std::int64_t micro_batches = 1;  // at least 1
};

class PipelineSchedule {
 public:
  explicit PipelineSchedule(const PipelineShape& shape);

  /// Passes of one step: 2 x micro-batches x chunks.
  [[nodiscard]] std::int64_t size() const { return 2 * total_; }
  /// The pass at place `index`, 0 <= index < size().
  [[nodiscard]] Pass at(std::int64_t index) const;
  /// Forward passes before the first backward one.
  [[nodiscard]] std::int64_t warm_up() const { return warm_up_; }
  /// The most passes that have gone forward and not back at any time: their activations are all in memory.
  [[nodiscard]] std::int64_t max_in_flight() const;

 private:
  [[nodiscard]] Pass pass(PassDirection direction, std::int64_t turn) const;

  PipelineShape shape_;
  std::int64_t total_;
  std::int64_t warm_up_;
};

}  // namespace weft::workload
