#include "study/compare/run_once.h"

#include "study/collector.h"

namespace weft::study {

Result<RunResults> run_once(const Scenario& scenario, const RunOnce& options) {
  Collector collector;
  auto simulation = Simulation::create(scenario, collector);
  if (!simulation) {
    return pass_on(simulation);
  }
  collector.watch(**simulation);
  const Simulation::End end = (*simulation)->run(options.keep_going);
  const Progress last = (*simulation)->progress();
  RunResults results = collector.finish(end, {}, [&] { return options.keep_going(last); });
  if (results.run.end == RunEnd::kFinished) {
    options.look(**simulation);
  }
  return results;
}

}  // namespace weft::study
