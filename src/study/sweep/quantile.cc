#include "study/sweep/quantile.h"

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/assert.h"

namespace weft::study::sweep {
namespace {

/// Long doubles would be prepared at the start of every program, and valgrind does not have them.
using InDoubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

double student_quantile(double confidence, std::size_t freedom) {
  WEFT_ASSERT(freedom >= 1 && confidence > 0 && confidence < 1);
  const boost::math::students_t_distribution<double, InDoubles> distribution(static_cast<double>(freedom));
  return boost::math::quantile(boost::math::complement(distribution, (1 - confidence) / 2));
}

double fisher_quantile(double confidence, FisherFreedom freedom) {
  WEFT_ASSERT(freedom.above >= 1 && freedom.below >= 1 && confidence > 0 && confidence < 1);
  const boost::math::fisher_f_distribution<double, InDoubles> distribution(static_cast<double>(freedom.above),
                                                                           static_cast<double>(freedom.below));
  return boost::math::quantile(boost::math::complement(distribution, 1 - confidence));
}

std::optional<double> MeanOfSeeds::relative_half() const {
  return interval && mean != 0 ? std::optional((interval->high - interval->low) / 2 / std::abs(mean)) : std::nullopt;
}

MeanOfSeeds mean_of_seeds(std::span<const double> values, double confidence) {
  WEFT_ASSERT(!values.empty());
  const auto count = static_cast<double>(values.size());
  MeanOfSeeds made;
  for (const double value : values) {
    made.mean += value / count;
  }
  if (values.size() < 2) {
    return made;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - made.mean) * (value - made.mean);
  }
  const double half = student_quantile(confidence, values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  made.interval = Interval{.low = made.mean - half, .high = made.mean + half};
  return made;
}

}  // namespace weft::study::sweep
