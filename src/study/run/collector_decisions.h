// Counts what load balancing decides between two sample instants, from counters that switches, NICs and the traffic
// controller keep anyway: packets cost nothing, a sample O(switch ports + queue pairs) where a scheme decides.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "study/results/decision_row.h"
#include "study/run/simulation.h"

namespace weft::study::run {

class DecisionMeter {
 public:
  /// Inert.
  DecisionMeter() = default;
  /// Which outlives the samples.
  explicit DecisionMeter(const Simulation& simulation);

  void sample(Time at);
  /// All until the last sample, by time and kind; entries of a controller up to the run's end. Once.
  [[nodiscard]] std::vector<results::DecisionRow> take();

 private:
  static constexpr std::size_t kKinds = static_cast<std::size_t>(results::Decision::kEntries) + 1;
  using Counts = std::array<std::uint64_t, kKinds>;
  [[nodiscard]] Counts counts(Time at) const;
  void add_switches(Counts& counts, Time at) const;

  const Simulation* simulation_ = nullptr;
  bool by_switches_ = false;
  bool by_senders_ = false;
  Counts seen_{};
  std::vector<results::DecisionRow> rows_;
};

}  // namespace weft::study::run
