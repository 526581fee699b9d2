// Checkpoints and restarts in closed form: how much of its time a job works, and how long it should wait between two
// checkpoints.
//
// Failures that end the job are a Poisson process, also while a checkpoint is written and while the job restarts. Young
// 1974 ("A first order approximation to the optimum checkpoint interval"), Daly 2006 ("A higher order estimate of the
// optimum checkpoint interval for restart dumps"). All times in seconds.
#pragma once

namespace weft::study::failures {

struct CheckpointTerms {
  double time = 0;          // to write one, while the job waits; >= 0
  double restart = 0;       // from a failure until it computes again; >= 0
  double mean_between = 0;  // failures that end the job; > 0
};

/// sqrt(2 time x mean_between).
[[nodiscard]] double young_interval(const CheckpointTerms& terms);
/// Daly's equation 37; mean_between itself where a checkpoint takes longer than twice that.
[[nodiscard]] double daly_interval(const CheckpointTerms& terms);
/// Share of the time that becomes work which is kept, with so much work between two checkpoints; > 0. Exact: a piece of
/// work with its checkpoint takes M e^(R/M) (e^((interval + time)/M) - 1) on average (Daly, equation 20).
[[nodiscard]] double efficiency(const CheckpointTerms& terms, double interval);
/// The interval with the highest efficiency, to a part in a million; 0 without a time to write.
[[nodiscard]] double best_interval(const CheckpointTerms& terms);

/// That at least `needed` of `all` components work, each with this probability by itself.
[[nodiscard]] double binomial_availability(int all, int needed, double each);

}  // namespace weft::study::failures
