// Which copies of the model stand for all when a step of very many ranks is composed.
#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "study/run/training_run.h"

namespace weft::study::run {
namespace {

using workload::Axis;

/// Copies of each rank's work at least, so that what copies send one another is an operation of several.
constexpr std::int64_t kFewestCopies = 2;

}  // namespace

std::int64_t TrainingRun::replicas() const { return workload::degree(plan().job().parallelism, Axis::kData); }

std::uint64_t TrainingRun::least_ranks() const {
  return static_cast<std::uint64_t>(options_.job.ranks / replicas() * std::min(replicas(), kFewestCopies));
}

// One that sends nothing to other copies is inside its own.
std::optional<std::int64_t> TrainingRun::copy_of(const workload::Communicator& communicator) const {
  const workload::Parallelism& parallelism = plan().job().parallelism;
  std::optional<std::int64_t> copy;
  for (const workload::RankId member : communicator.members) {
    const std::int64_t own = workload::coordinates_of(parallelism, member)[Axis::kData];
    if (copy && *copy != own) {
      return std::nullopt;
    }
    copy = own;
  }
  return copy;
}

/// By what their own operations were measured to take, slowest first.
std::vector<std::int64_t> TrainingRun::slowest_copies() const {
  std::vector<Duration> sums(static_cast<std::size_t>(replicas()));
  for (const auto& [operation, phases] : phases_->operations()) {
    if (phases_->communicators_per_run(operation) > 1) {
      continue;  // one stands for all
    }
    for (const workload::PhasedOperation& run : phases_->operations_in(phases_->probe_of(operation))) {
      if (const auto copy = copy_of(communicators()[run.communicator.value()])) {
        Duration& sum = sums[static_cast<std::size_t>(*copy)];
        sum = sum + phases_->whole_time(run, operation, *board_, StepPhases::Before::kRest);
      }
    }
  }
  std::vector<std::int64_t> order(sums.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&sums](std::int64_t copy) { return sums[static_cast<std::size_t>(copy)]; });
  return order;
}

void TrainingRun::choose_copies() {
  copies_.clear();
  if (!options_.represents || !composed() || replicas() <= kFewestCopies) {
    return;
  }
  const std::uint64_t of_a_copy =
      static_cast<std::uint64_t>(options_.job.ranks) / static_cast<std::uint64_t>(replicas());
  std::optional<workload::TrainingPlan> part;
  if (is_too_long()) {  // only some micro-batches are put together
    const std::int64_t most = 4 * plan().job().parallelism.pipeline;
    if (auto made = shortened(std::min(workload::micro_batches(plan().job()), most))) {
      part.emplace(*std::move(made));
    }
  }
  const std::uint64_t nodes = nodes_of_a_rank(part ? *part : plan());
  const auto room = static_cast<std::int64_t>(options_.max_nodes / std::max<std::uint64_t>(nodes * of_a_copy, 1));
  const std::int64_t copies = std::clamp(room, kFewestCopies, replicas());
  if (copies == replicas()) {
    return;
  }
  copies_ = slowest_copies();
  if (options_.slow) {
    // Whoever waits for all waits for a GPU that is slow.
    std::set<std::int64_t> slow;
    for (std::int64_t rank = 0; rank < options_.job.ranks; ++rank) {
      const workload::RankId id(static_cast<std::uint32_t>(rank));
      if (!options_.slow(id).empty()) {
        slow.insert(workload::coordinates_of(plan().job().parallelism, id)[Axis::kData]);
      }
    }
    std::stable_partition(copies_.begin(), copies_.end(), [&slow](std::int64_t copy) { return slow.contains(copy); });
  }
  copies_.resize(static_cast<std::size_t>(copies));
}

}  // namespace weft::study::run
