// The traffic controller of a simulation, where its scenario has one.
#include <algorithm>

#include "study/assembly/build_controller.h"
#include "study/run/simulation_parts.h"

namespace weft::study::run {

void Simulation::make_controller() {
  if (scenario_.routing.policy != scenario::RoutingPolicy::kCentral) {
    return;
  }
  auto* const fabric = world_->fabric().get_if<fabric::EthernetFabric>();
  parts_->controller =
      std::make_unique<world::TrafficController>(*fabric, assembly::controller_options(scenario_.routing));
  fabric->set_controller(*parts_->controller);
}

// All that the jobs' communicators will send is known before anything is sent; when a job begins is known as well.
Result<void> Simulation::brief_controller() {
  if (!parts_->controller || scenario_.routing.controller_algorithm != scenario::ControllerAlgorithm::kCommunicators) {
    return {};
  }
  Result<std::vector<JobFlows>> flows = flows_by_job(StreamFlows::kWithout);
  if (!flows) {
    return pass_on(flows);
  }
  std::vector<world::TrafficController::KnownJob> known(running_.size());
  for (std::size_t job = 0; job < running_.size(); ++job) {
    known[job].starts = Time::zero() + start_of(*running_[job]);
  }
  for (const JobFlows& own : *flows) {
    for (const FlowSet& set : own.sets) {
      std::vector<fabric::LeafFlow>& phase = known[own.job].phases.emplace_back();
      for (const world::PlannedFlow& flow : set.flows) {
        phase.push_back(world::pinned_name(flow));
        known[own.job].answers.emplace(
            phase.back(),
            fabric::LeafFlow{.source = flow.destination, .destination = flow.source, .hash = flow.back_hash});
      }
    }
  }
  parts_->controller->know(std::move(known));
  world_->fabric().get_if<fabric::EthernetFabric>()->wake_controller();
  return {};
}

Duration Simulation::start_of(const Job& job) const {
  const auto traffic = std::ranges::find(scenario_.traffic, job.plan.job.name, &scenario::TrafficSettings::name);
  return job.plan.training || traffic == scenario_.traffic.end() ? Duration::zero() : traffic->start;
}

void Simulation::note_rank_done(Job& job) {
  if (--job.ranks_left == 0 && parts_->controller &&
      scenario_.routing.controller_algorithm == scenario::ControllerAlgorithm::kCommunicators) {
    parts_->controller->on_job_end(job.plan.job.id.value(), world_->now());
  }
}

const world::TrafficController* Simulation::controller() const { return parts_->controller.get(); }

}  // namespace weft::study::run
