// The map of a run: its nodes and links with their load at the sample instants, and its fullest queues.
#pragma once

#include "study/report/comparison.h"
#include "study/results/results.h"

namespace weft::study::report {

/// Adds topology, queues and pauses to the figures of a run. Load and queues are absent in a run without
/// samples; a port to which nothing happened had load 0 and the queue it had before. The tier of a node is its distance
/// from the nearest host.
void add_topology(RunFigures& figures, const results::RunResults& results);

}  // namespace weft::study::report
