#include "study/failures/checkpoint_formula.h"

#include <cmath>

#include "base/assert.h"

namespace weft::study::failures {

double young_interval(const CheckpointTerms& terms) { return std::sqrt(2 * terms.time * terms.mean_between); }

double daly_interval(const CheckpointTerms& terms) {
  const double mean = terms.mean_between;
  if (terms.time >= 2 * mean) {
    return mean;
  }
  const double ratio = terms.time / (2 * mean);
  return std::sqrt(2 * terms.time * mean) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - terms.time;
}

double efficiency(const CheckpointTerms& terms, double interval) {
  WEFT_ASSERT(interval > 0 && terms.mean_between > 0);
  const double mean = terms.mean_between;
  const double taken = mean * std::exp(terms.restart / mean) * std::expm1((interval + terms.time) / mean);
  return interval / taken;
}

// The efficiency has one maximum, left of which it rises.
double best_interval(const CheckpointTerms& terms) {
  if (terms.time <= 0) {
    return 0;
  }
  double low = 1e-9 * terms.mean_between;
  double high = 10 * (terms.mean_between + terms.time);
  const double part = (std::sqrt(5.0) - 1) / 2;
  for (int step = 0; step < 200 && high - low > 1e-7 * high; ++step) {
    const double left = high - part * (high - low);
    const double right = low + part * (high - low);
    if (efficiency(terms, left) < efficiency(terms, right)) {
      low = left;
    } else {
      high = right;
    }
  }
  return (low + high) / 2;
}

double binomial_availability(int all, int needed, double each) {
  WEFT_ASSERT(all >= 0 && needed >= 0 && needed <= all && each >= 0 && each <= 1);
  double sum = 0;
  for (int up = needed; up <= all; ++up) {
    double ways = 1;
    for (int i = 0; i < up; ++i) {
      ways = ways * (all - i) / (i + 1);
    }
    sum += ways * std::pow(each, up) * std::pow(1 - each, all - up);
  }
  return sum;
}

}  // namespace weft::study::failures
