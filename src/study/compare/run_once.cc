#include "study/compare/run_once.h"

#include "study/collector.h"
#include "study/whole_step.h"

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
    if (const std::optional<Scenario> whole = with_every_packet(scenario, **simulation); whole) {
      return run_once(*whole, {.keep_going = options.keep_going, .look = options.look, .composed = &results});
    }
    if (options.composed != nullptr) {
      keep_collectives(*options.composed, **simulation, results);
    }
    options.look(**simulation);
  }
  return results;
}

}  // namespace weft::study
