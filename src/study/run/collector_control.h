// What switches that decide for themselves did in a simulation.
#pragma once

#include "fabric/any_fabric.h"
#include "study/results/results.h"

namespace weft::study::run {

/// Fills in the rows of control, if the fabric has it; outages are counted up to `at`, not before its last event.
void take_control(fabric::AnyFabric& fabric, Time at, results::RunResults& results);

}  // namespace weft::study::run
