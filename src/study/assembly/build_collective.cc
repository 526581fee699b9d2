#include "study/assembly/build_collective.h"

#include "study/assembly/build_layout.h"

namespace weft::study::assembly {
namespace {

workload::DataShape shape_of(const CollectivePlan& plan) {
  return {.kind = plan.program.kind,
          .type = plan.program.engine.collectives.data_type,
          .ranks = static_cast<std::uint32_t>(plan.layout.size()),
          .root = plan.program.root.value(),
          .iterations = plan.program.iterations,
          .elements = static_cast<std::uint64_t>(plan.program.size.count()) / 4};
}

}  // namespace

// Not set to anything: what no chunk ever comes to takes no memory of the machine's.
CollectiveBytes::CollectiveBytes(const CollectivePlan& plan)
    : each_(workload::memory_needed(plan.layout, plan.program.engine.collectives, plan.program.size)),
      data_(shape_of(plan), workload::MemoryAreas::of(each_)) {
  const auto size = static_cast<std::size_t>(each_.count());
  for (std::uint32_t rank = 0; rank < plan.layout.size(); ++rank) {
    bytes_.emplace_back(new std::byte[size]);
    data_.fill(rank, {bytes_.back().get(), size});
  }
}

workload::RankMemory CollectiveBytes::memory(std::uint32_t rank, verbs::MemoryPlace place) {
  return {.length = each_, .bytes = bytes_[rank].get(), .place = place};
}

Result<void> CollectiveBytes::check() const {
  for (std::uint32_t rank = 0; rank < bytes_.size(); ++rank) {
    if (auto right = data_.check(rank, {bytes_[rank].get(), static_cast<std::size_t>(each_.count())}); !right) {
      return right;
    }
  }
  return {};
}

Result<CollectivePlan> plan_collective(const scenario::Scenario& scenario, const scenario::TrafficSettings& traffic,
                                       const TrafficPlan& plan, const CollectiveSites& sites) {
  scenario::CollectiveSettings settings = scenario.collectives;
  settings.channels = traffic.channels.value_or(settings.channels);
  settings.queue_pairs = traffic.queue_pairs.value_or(settings.queue_pairs);
  settings.queue_pair_use = traffic.queue_pair_use.value_or(settings.queue_pair_use);
  if (traffic.chunk) {
    // The buffer keeps its number of chunks.
    settings.buffer = *traffic.chunk * (settings.buffer / settings.chunk);
    settings.chunk = *traffic.chunk;
  }
  CollectivePlan made;
  made.layout = layout_of(plan.machines, sites.graph, sites.scale_up);
  made.program = {.kind = traffic.collective,
                  .algorithm = traffic.algorithm,
                  .size = traffic.size,
                  .iterations = static_cast<std::uint32_t>(traffic.count),
                  .start = Time::zero() + traffic.start,
                  .root = workload::RankId(static_cast<std::uint32_t>(traffic.root)),
                  .engine = {.collectives = scenario::collective_options(settings)}};
  if (Result<void> right = workload::check_options(made.program.engine.collectives); !right) {
    return pass_on(right);
  }
  if (traffic.root >= static_cast<std::int64_t>(plan.machines.size())) {
    return fail("root {} of {} ranks", traffic.root, plan.machines.size());
  }
  return made;
}

}  // namespace weft::study::assembly
