#include "study/world/compute_world.h"

#include "base/assert.h"
#include "base/stable_hash.h"

namespace weft::study::world {
namespace {

struct Dispatch {
  std::vector<std::unique_ptr<host::SimMachine>>& machines;
  std::optional<Error>& error;

  [[nodiscard]] static bool prefetches() { return false; }
  static void prefetch_first(sim::ActorId) {}
  static void prefetch_second(sim::ActorId) {}
  static void prefetch_third(sim::ActorId) {}

  [[nodiscard]] bool on_event(sim::ActorId actor, Time now) {
    WEFT_ASSERT(actor.kind() == host::kProgram);
    if (Result<void> ran = machines[actor.index()]->on_wake(now); !ran) {
      error = ran.error();
    }
    return !error;
  }
};

}  // namespace

ComputeWorld::ComputeWorld(const Options& options) {
  sim::ActorOrder ranks;
  for (std::uint32_t i = 0; i < options.names.size(); ++i) {
    machines_.push_back(std::make_unique<host::SimMachine>(kernel_, i, options.machine));
    machines_.back()->register_actors(ranks, stable_hash(options.seed, "machine " + options.names[i]));
  }
  ranks.assign();
}

void ComputeWorld::start() {
  for (const auto& machine : machines_) {
    machine->on_completions(Time::zero());
  }
}

ComputeWorld::Stop ComputeWorld::run(std::uint64_t budget) {
  Dispatch dispatch{machines_, error_};
  if (kernel_.run(Time::never(), budget, dispatch) == sim::Kernel::Stop::kEmpty) {
    return Stop::kIdle;
  }
  return error_ ? Stop::kError : Stop::kBudget;
}

}  // namespace weft::study::world
