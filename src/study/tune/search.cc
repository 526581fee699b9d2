#include "study/tune/search.h"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/assert.h"

namespace weft::study::tune {
namespace {

struct Closer {
  void operator()(nlopt_opt own) const { nlopt_destroy(own); }
};

struct Run {
  const Objective& objective;
  nlopt_opt own = nullptr;
  Found found{};
};

double evaluate(unsigned dimensions, const double* place, double* /*gradient*/, void* data) {
  Run& run = *static_cast<Run*>(data);
  std::vector<double> rounded(place, place + dimensions);
  std::ranges::transform(rounded, rounded.begin(), on_grid);
  const std::optional<double> value = run.objective(rounded);
  ++run.found.evaluations;
  if (!value) {
    nlopt_force_stop(run.own);
    return HUGE_VAL;
  }
  if (!run.found.value || *value < *run.found.value) {
    run.found.value = value;
    run.found.place = rounded;
  }
  return *value;
}

}  // namespace

double on_grid(double coordinate) {
  return std::clamp(std::round((coordinate + 1) / 2 * kPlaces) / kPlaces * 2 - 1, -1.0, 1.0);
}

Found search(const SearchOptions& options, const Objective& objective) {
  const auto dimensions = static_cast<unsigned>(options.start.size());
  Run run{.objective = objective, .found = {.place = options.start}};
  if (dimensions == 0 || options.evaluations == 0) {
    return run.found;
  }
  const bool global = options.method == SearchOptions::Method::kGlobal;
  const std::unique_ptr<nlopt_opt_s, Closer> own(nlopt_create(global ? NLOPT_GN_DIRECT_L : NLOPT_LN_SBPLX, dimensions));
  WEFT_ASSERT(own != nullptr);
  run.own = own.get();
  nlopt_set_lower_bounds1(own.get(), -1);
  nlopt_set_upper_bounds1(own.get(), 1);
  nlopt_set_min_objective(own.get(), evaluate, &run);
  nlopt_set_maxeval(own.get(), static_cast<int>(options.evaluations));
  nlopt_set_xtol_abs1(own.get(), 1.0 / kPlaces);
  nlopt_set_initial_step1(own.get(), options.step);
  std::vector<double> place = options.start;
  double least = 0;
  // Its own answer counts for nothing: the best place that was seen is the same or better.
  (void)nlopt_optimize(own.get(), place.data(), &least);
  return run.found;
}

}  // namespace weft::study::tune
