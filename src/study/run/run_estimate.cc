#include "study/run/run_estimate.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "study/assembly/build_traffic.h"
#include "study/run/composition_check.h"
#include "study/scenario/step_work.h"
#include "workload/training/transformer_step.h"

namespace weft::study::run {
namespace {

/// Links of a path between hosts that are no neighbours, twice: a packet and its acknowledgement.
double hops_per_packet(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  constexpr double kThere = 2;
  if (graph.switches() <= 1) {
    return 2 * kThere;
  }
  const bool three_tiers = scenario.topology.kind == scenario::TopologyKind::kFatTree && scenario.topology.tiers == 3;
  return (three_tiers ? 6 : 4) * kThere;
}

/// Neighbours share a switch, and acknowledgements may be fewer.
constexpr double kLeastPart = 0.5;

/// Bytes that all ranks send through the network in the probes of one composed step: of each kind of operation a slice,
/// and half of it if the operation is longer (study/run/step_phases.h).
Result<double> probe_bytes(const scenario::JobSettings& job, std::int64_t gpus_per_domain) {
  workload::TrainingJob once = scenario::training_job_of(job.training);
  once.representative.micro_batches = std::min(workload::micro_batches(once), once.parallelism.pipeline);
  once.steps = 1;
  Result<workload::TrainingPlan> plan = workload::TrainingPlan::make(once, job.training.gpu_model, job.ranks);
  if (!plan) {
    return pass_on(plan);
  }
  constexpr double kBothProbes = 1.5;
  double bytes = 0;
  for (std::int64_t stage = 0; stage < job.training.pipeline; ++stage) {
    // Ranks of one stage send as much as one another.
    workload::RankCoordinates place;
    place.at[static_cast<std::size_t>(workload::Axis::kPipeline)] = stage;
    workload::TransformerStep graph(*plan, workload::rank_at(plan->job().parallelism, place));
    std::set<std::tuple<workload::Purpose, workload::CollectiveKind, Bytes>> seen;
    while (const std::optional<workload::GraphNode> node = graph.next()) {
      const auto* const work = std::get_if<workload::CommunicationNode>(&node->work);
      if (work == nullptr || !seen.insert({node->label.purpose, work->request.kind, work->request.size}).second) {
        continue;
      }
      const auto& members = graph.communicators()[work->request.communicator.value()].members;
      const bool inside = std::ranges::all_of(members, [&](workload::RankId rank) {
        return rank.value() / gpus_per_domain == members.front().value() / gpus_per_domain;
      });
      if (inside) {  // one communicator stands for all
        continue;
      }
      workload::CollectiveRequest request = work->request;
      const bool in_part = request.size > job.training.slice;
      request.size = std::min(request.size, job.training.slice);
      bytes +=
          (in_part ? kBothProbes : 1) * static_cast<double>(workload::volume_sent(request, members.size()).count());
    }
  }
  return bytes * static_cast<double>(job.ranks) / static_cast<double>(job.training.pipeline);
}

Result<HopsEstimate> step_hops(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const scenario::JobSettings& job = scenario.jobs.front();
  if (!job.trains()) {
    return HopsEstimate{};  // tokens and iterations are short beside what follows from them
  }
  Result<double> whole = estimated_hops(scenario);
  if (!whole) {
    return pass_on(whole);
  }
  if (job.training.fidelity == scenario::StepFidelity::kPacket) {
    const double all = *whole * static_cast<double>(job.training.steps);
    return HopsEstimate{.least = all * kLeastPart, .most = all};
  }
  const bool joined = scenario.scale_up.kind != scenario::ScaleUpKind::kNone;
  Result<double> bytes =
      probe_bytes(job, joined ? scenario.scale_up.domain.value_or(scenario.topology.gpus_per_host) : 1);
  if (!bytes) {
    return pass_on(bytes);
  }
  const double probes = *bytes / static_cast<double>(scenario.fabric.mtu) * hops_per_packet(scenario, graph);
  // Without links between switches nothing shares any but what ends at one host.
  const double settling = graph.switches() > 1 ? static_cast<double>(job.training.slice_hops) : 0;
  return HopsEstimate{.least = probes * kLeastPart, .most = std::max(probes, std::min(settling, probes + *whole))};
}

Result<HopsEstimate> traffic_hops(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  if (scenario.scale_up.kind != scenario::ScaleUpKind::kNone) {
    return HopsEstimate{};  // some of it may stay inside the hosts: not known without their domains
  }
  scenario::Scenario traffic = scenario;
  std::erase_if(traffic.jobs, [](const scenario::JobSettings& job) { return job.runs_steps(); });
  Result<std::vector<assembly::TrafficPlan>> plans = assembly::plan_traffic(traffic, graph);
  if (!plans) {
    return pass_on(plans);
  }
  double bytes = 0;
  for (const assembly::TrafficPlan& plan : *plans) {
    bytes += static_cast<double>(plan.expected_bytes);
  }
  if (scenario.stop) {
    const Rate rate = scenario.devices.link(scenario::LinkTier::kHost).rate;
    const double most = static_cast<double>(graph.host_endpoints()) * static_cast<double>(rate.bits_per_second()) / 8 *
                        scenario.stop->seconds();
    bytes = bytes > 0 ? std::min(bytes, most) : most;
  }
  const double hops = bytes / static_cast<double>(scenario.fabric.mtu) * hops_per_packet(scenario, graph);
  return HopsEstimate{.least = hops * kLeastPart, .most = hops};
}

}  // namespace

Result<HopsEstimate> estimate_hops(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  HopsEstimate sum;
  if (!scenario.jobs.empty() && scenario.jobs.front().runs_steps()) {
    Result<HopsEstimate> step = step_hops(scenario, graph);
    if (!step) {
      return pass_on(step);
    }
    sum = *step;
  }
  if (!scenario.traffic.empty()) {
    Result<HopsEstimate> traffic = traffic_hops(scenario, graph);
    if (!traffic) {
      return pass_on(traffic);
    }
    sum = {.least = sum.least + traffic->least, .most = sum.most + traffic->most};
  }
  return sum;
}

}  // namespace weft::study::run
