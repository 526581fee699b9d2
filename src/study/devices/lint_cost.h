// What mistakes of configurations cost: the plan's scenario as it is, and with each mistake, under the same seeds.
#pragma once

#include <functional>
#include <vector>

#include "study/devices/lint.h"

namespace weft::study::devices {

struct CostOptions {
  std::int64_t seeds = 3;  // the scenario's and those that follow
  /// Asked before and during each run, with how many are done and how many there will be; false: stop, and keep what is
  /// known.
  std::function<bool(std::size_t done, std::size_t all)> keep_going = [](std::size_t, std::size_t) { return true; };
};

/// Fills `cost`, or `no_cost` where a mistake could not be simulated. Errors: the plan itself cannot be run, or does
/// not finish.
[[nodiscard]] Result<void> add_costs(std::vector<Finding>& findings, const scenario::Scenario& plan,
                                     const CostOptions& options);

}  // namespace weft::study::devices
