#include "study/run/collector_decisions.h"

#include <algorithm>
#include <tuple>

namespace weft::study::run {
namespace {

using results::Decision;
using scenario::RoutingPolicy;

bool switches_decide(const scenario::RoutingSettings& routing) {
  switch (routing.policy) {
    case RoutingPolicy::kAdaptive:
    case RoutingPolicy::kDrill:
    case RoutingPolicy::kLetFlow:
    case RoutingPolicy::kConga:
    case RoutingPolicy::kConWeave:
    case RoutingPolicy::kValiant:
    case RoutingPolicy::kUgal:
      return true;
    case RoutingPolicy::kSpray:
      return routing.flowlet_gap.has_value();
    case RoutingPolicy::kEcmp:
    case RoutingPolicy::kLft:
    case RoutingPolicy::kEnhancedEcmp:
    case RoutingPolicy::kScheduled:
    case RoutingPolicy::kDimensionOrder:
    case RoutingPolicy::kPinned:
    case RoutingPolicy::kCentral:
      break;
  }
  return false;
}

/// Each packet takes a port by the depth of queues.
bool chooses_by_depth(const scenario::RoutingSettings& routing) {
  return !routing.flowlet_gap && (routing.policy == RoutingPolicy::kAdaptive ||
                                  routing.policy == RoutingPolicy::kDrill || scenario::detours(routing.policy));
}

bool senders_decide(const scenario::Scenario& scenario) {
  return scenario::learns(scenario.transport.path_selector) || scenario::learns(scenario.uet.path_selector);
}

std::uint64_t& of(auto& counts, Decision decision) { return counts[static_cast<std::size_t>(decision)]; }

}  // namespace

DecisionMeter::DecisionMeter(const Simulation& simulation)
    : simulation_(&simulation),
      by_switches_(switches_decide(simulation.scenario().routing)),
      by_senders_(senders_decide(simulation.scenario())) {}

// Other processes count the switches and NICs that they simulate.
void DecisionMeter::add_switches(Counts& counts, Time at) const {
  const scenario::RoutingSettings& routing = simulation_->scenario().routing;
  const bool by_depth = chooses_by_depth(routing);
  const bool reroutes = routing.policy == RoutingPolicy::kConWeave;
  const world::World& world = simulation_->world();
  world.fabric().visit([&](const auto& network) {
    for (fabric::PortIndex port = 0; port < network.port_count(); ++port) {
      if (network.port(port).has(fabric::kIsEndpoint) || world.is_foreign_port(port)) {
        continue;
      }
      const fabric::PortChoices choices = network.choices(port, at);
      of(counts, reroutes ? Decision::kReroute : Decision::kFlowletMoved) += choices.moved;
      of(counts, Decision::kFlowletKept) += reroutes ? 0 : choices.flowlets - choices.moved;
      of(counts, Decision::kDetour) += choices.detours;
      for (const fabric::GradeCounters& grade : choices.grades) {
        of(counts, Decision::kPortChoice) += by_depth ? grade.chosen : 0;
      }
    }
  });
}

DecisionMeter::Counts DecisionMeter::counts(Time at) const {
  Counts counts{};
  if (by_switches_) {
    add_switches(counts, at);
  }
  if (by_senders_) {
    const world::World& world = simulation_->world();
    for (std::uint32_t i = 0; i < world.graph().host_endpoints(); ++i) {
      if (!world.is_foreign(EndpointId(i))) {
        of(counts, Decision::kPathChange) += world.nic(EndpointId(i)).path_changes();
      }
    }
  }
  return counts;
}

void DecisionMeter::sample(Time at) {
  if (!by_switches_ && !by_senders_) {
    return;
  }
  const Counts now = counts(at);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (now[kind] != seen_[kind]) {
      rows_.push_back({.at = at, .decision = static_cast<Decision>(kind), .count = now[kind] - seen_[kind]});
    }
  }
  seen_ = now;
}

std::vector<results::DecisionRow> DecisionMeter::take() {
  if (simulation_ == nullptr) {
    return {};
  }
  if (const world::TrafficController* const controller = simulation_->controller(); controller != nullptr) {
    for (const world::InstalledPlan& plan : controller->installed()) {
      rows_.push_back({.at = plan.at, .decision = Decision::kEntries, .count = plan.entries});
    }
  }
  std::ranges::stable_sort(rows_, {}, [](const results::DecisionRow& row) { return std::tuple(row.at, row.decision); });
  return std::move(rows_);
}

}  // namespace weft::study::run
