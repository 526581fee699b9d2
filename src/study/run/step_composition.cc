#include "study/run/step_composition.h"

#include <deque>
#include <utility>

#include "study/world/compute_world.h"
#include "workload/training/training_program.h"

namespace weft::study::run {
namespace {

using workload::RankId;

constexpr std::uint64_t kEventsPerLook = 200'000;  // events between two looks at the outside world

struct ComposedRank {
  std::unique_ptr<workload::CostedCollectives> collectives;
  std::unique_ptr<workload::TrainingProgram> program;
  const std::string* job = nullptr;
  bool started = false;
};

Result<void> add_ranks(const ComposedStep& step, workload::CostedNetwork& network, world::ComputeWorld& world,
                       std::deque<ComposedRank>& made) {
  for (std::uint32_t i = 0; i < step.ranks; ++i) {
    host::SimMachine& machine = world.machine(made.size());
    ComposedRank& rank = made.emplace_back();
    rank.job = &step.job;
    rank.collectives = std::make_unique<workload::CostedCollectives>(network, machine, RankId(i));
    auto program =
        workload::TrainingProgram::make(machine, *rank.collectives, step.graph(RankId(i)), step.stragglers(RankId(i)),
                                        {.rank = RankId(i), .gpu = verbs::GpuIndex(0), .sink = &step.log});
    if (!program) {
      return pass_on(program);
    }
    rank.program = std::move(*program);
    machine.set_program(
        [&rank] { return std::exchange(rank.started, true) ? rank.program->on_event() : rank.program->start(); });
  }
  return {};
}

}  // namespace

Result<void> compose_steps(std::span<const ComposedStep> steps, std::uint64_t seed,
                           const std::function<bool()>& keep_going) {
  world::ComputeWorld::Options shape{.seed = seed, .names = {}, .machine = {.gpus = 1}};
  for (const ComposedStep& step : steps) {
    for (std::uint32_t rank = 0; rank < step.ranks; ++rank) {
      shape.names.push_back(step.job + "/rank" + std::to_string(rank));
    }
  }
  world::ComputeWorld world(shape);
  std::deque<workload::CostedNetwork> networks;
  std::deque<ComposedRank> made;
  for (const ComposedStep& step : steps) {
    workload::CostedNetwork& network = networks.emplace_back(step.cost, step.sharing);
    if (Result<void> added = add_ranks(step, network, world, made); !added) {
      return added;
    }
  }
  world.start();
  for (;;) {
    switch (world.run(kEventsPerLook)) {
      case world::ComputeWorld::Stop::kError:
        return tl::unexpected<Error>(*world.error());
      case world::ComputeWorld::Stop::kIdle: {
        const auto waits =
            std::ranges::find_if_not(made, [](const ComposedRank& rank) { return rank.program->done(); });
        return waits == made.end()
                   ? Result<void>()
                   : fail("job '{}': deadlock: ranks of the composed step wait for one another", *waits->job);
      }
      case world::ComputeWorld::Stop::kBudget:
        if (!keep_going()) {
          return fail("job '{}': interrupted while its step was composed", steps.front().job);
        }
    }
  }
}

}  // namespace weft::study::run
