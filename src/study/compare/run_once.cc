#include "study/compare/run_once.h"

#include "study/run/collector.h"
#include "study/run/whole_step.h"

namespace weft::study::compare {

Result<results::RunResults> run_once(const scenario::Scenario& scenario, const RunOnce& options) {
  run::Collector collector;
  auto simulation = run::Simulation::create(scenario, collector);
  if (!simulation) {
    return pass_on(simulation);
  }
  collector.watch(**simulation);
  const run::Simulation::End end = (*simulation)->run(options.keep_going);
  const run::Progress last = (*simulation)->progress();
  results::RunResults results = collector.finish(end, {}, [&] { return options.keep_going(last); });
  if (results.run.end == results::RunEnd::kFinished) {
    if (const std::optional<scenario::Scenario> whole = run::with_every_packet(scenario, **simulation); whole) {
      return run_once(*whole, {.keep_going = options.keep_going, .look = options.look, .composed = &results});
    }
    if (options.composed != nullptr) {
      run::keep_collectives(*options.composed, **simulation, results);
    }
    options.look(**simulation);
  }
  return results;
}

}  // namespace weft::study::compare
