#include "study/run/step_volume.h"

#include <algorithm>
#include <map>
#include <set>

#include "study/scenario/step_work.h"
#include "workload/training/transformer_step.h"

namespace weft::study::run {
namespace {

using workload::CollectiveKind;
using workload::RankId;

/// Where the members of a communicator are.
struct Spread {
  double members = 0;
  double together = 1;  // of them in one domain
  bool inside = false;  // all in one
  bool crosses = false;
};

Spread spread_of(const VolumeOptions& options, const workload::Communicator& communicator) {
  const workload::JobLayout& layout = options.plan.training->layout;
  std::map<std::uint32_t, std::uint32_t> domains;
  std::set<std::uint32_t> leaves;
  const workload::RankSite& first = layout[communicator.members.front().value()];
  for (const RankId rank : communicator.members) {
    const workload::RankSite& site = layout[rank.value()];
    const std::uint32_t place = site.scale_up && site.domain ? *site.domain : ~rank.value();
    ++domains[place];
    const auto& rails = options.plan.machines[rank.value()].rails;
    // Of each domain the one that stands where the first does: rings over domains join these.
    if (!rails.empty() && (site.gpu == first.gpu || !site.scale_up)) {
      leaves.insert(options.leaves[rails.front().value()]);
    }
  }
  const auto members = static_cast<double>(communicator.members.size());
  return {.members = members,
          .together = members / static_cast<double>(domains.size()),
          .inside = domains.size() == 1 && communicator.members.size() > 1,
          .crosses = leaves.size() > 1};
}

/// Of rings over the domains of the members.
double ring_steps_of(CollectiveKind kind, const Spread& spread) {
  const bool rings = kind != CollectiveKind::kAllToAll && kind != CollectiveKind::kSend;
  if (!rings || spread.inside || spread.together <= 1) {
    return 0;
  }
  const double once = spread.members / spread.together - 1;
  return kind == CollectiveKind::kAllReduce ? 2 * once : once;
}

/// What one member sends.
SentBytes sent_by_member(const workload::CollectiveRequest& request, const Spread& spread) {
  const auto flat =
      static_cast<double>(workload::volume_sent(request, static_cast<std::size_t>(spread.members)).count());
  if (spread.inside) {
    return {.scale_up = flat};
  }
  const double apart = 1 / spread.together;
  if (request.kind != CollectiveKind::kAllToAll) {
    return request.kind == CollectiveKind::kSend ? SentBytes{.network = flat}
                                                 : SentBytes{.network = flat * apart, .scale_up = flat * (1 - apart)};
  }
  const double outside = (spread.members - spread.together) / std::max(spread.members - 1, 1.0);
  return {.network = flat * outside, .scale_up = flat * (1 - outside) + flat * outside * (1 - apart)};
}

}  // namespace

Result<std::vector<OperationVolume>> step_volumes(const VolumeOptions& options) {
  const scenario::JobSettings& job = *options.plan.training->settings;
  workload::TrainingJob training = scenario::training_job_of(job.training);
  if (options.micro_batches > 0) {
    training.representative.micro_batches = std::min(workload::micro_batches(training), options.micro_batches);
  }
  training.steps = 1;
  Result<workload::TrainingPlan> plan = workload::TrainingPlan::make(training, job.training.gpu_model, job.ranks);
  if (!plan) {
    return pass_on(plan);
  }
  std::map<StepOperation, OperationVolume> made;
  const double ranks_of_stage = static_cast<double>(job.ranks) / static_cast<double>(job.training.pipeline);
  for (std::int64_t stage = 0; stage < job.training.pipeline; ++stage) {
    // Ranks of one stage send as much as one another.
    workload::RankCoordinates place;
    place.at[static_cast<std::size_t>(workload::Axis::kPipeline)] = stage;
    workload::TransformerStep graph(*plan, workload::rank_at(plan->job().parallelism, place));
    std::map<StepOperation, double> of_stage;
    while (const std::optional<workload::GraphNode> node = graph.next()) {
      const auto* const work = std::get_if<workload::CommunicationNode>(&node->work);
      if (work == nullptr || work->request.kind == CollectiveKind::kReceive) {
        continue;
      }
      const StepOperation operation{
          .purpose = node->label.purpose, .kind = work->request.kind, .size = work->request.size};
      if (of_stage[operation]++ > 0) {
        continue;
      }
      const Spread spread = spread_of(options, graph.communicators()[work->request.communicator.value()]);
      const SentBytes sent = sent_by_member(work->request, spread);
      OperationVolume& own = made[operation];
      own.operation = operation;
      own.whole.network += sent.network * ranks_of_stage;
      own.whole.scale_up += sent.scale_up * ranks_of_stage;
      own.members = spread.members;
      own.domains = spread.members / spread.together;
      own.ring_steps = ring_steps_of(work->request.kind, spread);
      own.stands_for_all = spread.inside;
      own.crosses = own.crosses || spread.crosses;
    }
    for (const auto& [operation, count] : of_stage) {
      made[operation].instances = std::max(made[operation].instances, count);
    }
  }
  std::vector<OperationVolume> all;
  for (auto& [operation, own] : made) {
    all.push_back(own);
  }
  return all;
}

double connection_ends(const std::vector<OperationVolume>& volumes) {
  // Members that share no domain with others deal with all of so few directly, over connections for either way.
  constexpr double kMostDirect = 16;
  std::map<std::pair<workload::Purpose, bool>, double> ends;
  for (const OperationVolume& own : volumes) {
    if (own.whole.network <= 0) {
      continue;
    }
    const bool exchange = own.operation.kind == CollectiveKind::kAllToAll;
    const double peers = std::max(own.domains - 1, 1.0);
    const bool direct = own.ring_steps == 0 && own.operation.kind != CollectiveKind::kSend && peers <= kMostDirect;
    double& most = ends[{own.operation.purpose, exchange}];
    most = std::max(most, exchange || direct ? 2 * peers : std::min(peers, 2.0));
  }
  double sum = 0;
  for (const auto& [of, count] : ends) {
    sum += count;
  }
  return sum;
}

Result<std::uint64_t> step_nodes(const scenario::JobSettings& job, std::uint64_t most) {
  workload::TrainingJob training = scenario::training_job_of(job.training);
  Result<workload::TrainingPlan> plan = workload::TrainingPlan::make(training, job.training.gpu_model, job.ranks);
  if (!plan) {
    return pass_on(plan);
  }
  std::uint64_t largest = 0;
  for (std::int64_t stage = 0; stage < job.training.pipeline; ++stage) {
    workload::RankCoordinates place;
    place.at[static_cast<std::size_t>(workload::Axis::kPipeline)] = stage;
    workload::TransformerStep graph(*plan, workload::rank_at(plan->job().parallelism, place));
    std::uint64_t nodes = 0;
    while (nodes < most && graph.next()) {
      ++nodes;
    }
    largest = std::max(largest, nodes);
  }
  return largest;
}

}  // namespace weft::study::run
