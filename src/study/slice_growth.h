// How long the slices of a composed step become: twice as long again where senders were slowed down and the last two
// did not promise the same time for the whole, since congestion control takes longer to settle than a slice without it
// takes.
//
// What counts is the slowest communicator. One object serves the phases of one run, in their order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "study/step_phases.h"

namespace weft::study {

class SliceGrowth {
 public:
  /// What the network has done so far.
  struct Load {
    std::uint64_t signs = 0;  // of congestion (study/congestion_signs.h)
    std::uint64_t packet_hops = 0;
  };
  struct Options {
    StepPhases& phases;  // all of them must outlive this
    const workload::PhaseBoard& board;
    std::uint64_t most_hops = 0;  // of the run; a sample that would lead beyond is not run
    std::function<Load()> load{};
  };
  explicit SliceGrowth(const Options& options) : options_(options) {}

  /// To be asked of every phase but the first, in their order, once the one before has ended: whether to leave it out.
  [[nodiscard]] bool skips(std::uint32_t phase);

  /// Samples that met congestion, were not followed by one that promises the same, and may not be followed by longer
  /// ones.
  struct Unsettled {
    Bytes longest{};                 // of them
    std::optional<double> change{};  // the greatest, of what the last promised against the one before; none: of but one
  };
  [[nodiscard]] const std::optional<Unsettled>& unsettled() const { return unsettled_; }

 private:
  [[nodiscard]] bool is_settled(std::uint32_t last) const;
  [[nodiscard]] Duration time_of(std::uint32_t phase) const;
  /// What the whole takes by this sample against what it takes by the one before; none for the first two samples.
  [[nodiscard]] std::optional<double> change_at(std::uint32_t phase) const;
  [[nodiscard]] Load during(std::uint32_t phase) const;
  void give_up(std::uint32_t last);

  Options options_;
  std::vector<Load> ends_;  // at the end of each phase so far
  std::optional<Unsettled> unsettled_;
};

}  // namespace weft::study
