// The results of a run that several processes have shared: what each gives to the first, and what that makes of them.
//
// Every process has the rows of all ports, hosts and jobs, of which those of its own partitions are right; messages,
// collectives and whatever else follows from the scenario are the same in all.
#pragma once

#include <vector>

#include "study/results/results.h"
#include "study/run/simulation.h"

namespace weft::study::run {

/// In a process but the first: leaves out what the first has itself.
void keep_own_results(const Simulation& simulation, results::RunResults& results);

/// In the first: puts in the others' rows, in the order of processes, as if this one had simulated all.
void join_results(const Simulation& simulation, std::vector<results::RunResults> others, results::RunResults& results);

}  // namespace weft::study::run
