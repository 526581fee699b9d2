#include "study/run/manager_study.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/assert.h"
#include "base/format_quantity.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_failures.h"
#include "study/assembly/build_subnet.h"
#include "study/assembly/manager_plan.h"
#include "study/scenario/fail_at.h"
#include "subnet/manager/sweep_study.h"

namespace weft::study::run {
namespace {

using Cables = std::vector<fabric::LinkIndex>;
/// When, whether they return, which.
using Changes = std::map<std::pair<Time, bool>, Cables>;

/// Of the instants after which a cable is not as it was before them: one that was only slower does not return.
Changes changes_of(std::span<const fabric::LinkEvent> links) {
  std::map<Time, std::map<fabric::LinkIndex, bool>> after;  // is each cable down, when all of the instant is done?
  for (const fabric::LinkEvent& event : links) {
    if (event.kind != fabric::LinkEvent::Kind::kDegrade) {
      after[event.at][event.link] = event.kind == fabric::LinkEvent::Kind::kFail;
    }
  }
  Changes changes;
  std::set<fabric::LinkIndex> down;
  for (const auto& [at, cables] : after) {
    for (const auto& [cable, is_down] : cables) {
      if (is_down ? down.insert(cable).second : down.erase(cable) > 0) {
        changes[{at, !is_down}].push_back(cable);
      }
    }
  }
  return changes;
}

std::map<std::string, subnet::NodeIndex> nodes_by_id(const subnet::Subnet& subnet) {
  std::map<std::string, subnet::NodeIndex> nodes;
  for (std::uint32_t i = 0; i < subnet.nodes.size(); ++i) {
    nodes.emplace(subnet.nodes[i].id, subnet::NodeIndex(i));
  }
  return nodes;
}

/// Where one subnet has an end of each cable; cables of other subnets are left out.
std::vector<subnet::PortPlace> ports_of(const assembly::PlacedSubnet& placed, const fabric::Graph& graph,
                                        const Cables& cables, const std::map<std::string, subnet::NodeIndex>& nodes) {
  std::vector<subnet::PortPlace> ports;
  for (const fabric::LinkIndex link : cables) {
    const subnet::PortPlace at = assembly::place_of(graph.links[link.value()].a, graph, placed.places);
    const auto known = at.node.is_valid() ? nodes.find(placed.subnet[at.node].id) : nodes.end();
    if (known != nodes.end()) {
      ports.push_back({.node = known->second, .port = at.port});
    }
  }
  return ports;
}

void take_longer(std::optional<Duration>& sum, const std::optional<Duration>& other) {
  sum = sum && other ? std::max(*sum, *other) : (sum ? sum : other);
}

void add(const subnet::FailureReport& report, const subnet::SweepReport& light, Duration interval, ManagerEvent& sum) {
  take_longer(sum.noticed, report.noticed);
  take_longer(sum.mended, report.mended);
  take_longer(sum.ended, report.ended);
  if (report.mended && report.noticed) {
    take_longer(sum.without_trap, interval + (light.end - light.begin) + (*report.mended - *report.noticed));
  }
  sum.sweeps += report.heavy_sweeps;
  sum.requests += report.requests;
  sum.blocks += report.blocks;
  sum.entries += report.entries;
  if (!report.error.empty()) {
    sum.error = report.error;
  } else if (!report.is_routed) {
    sum.error = "the tables in the switches are not those of the engine";
  }
}

/// The managers of all parts of the network.
class ManagerRun {
 public:
  ManagerRun(const fabric::Graph& graph, subnet::SweepPlan plan, std::span<const fabric::LinkEvent> links)
      : graph_(graph), changes_(changes_of(links)), plan_(std::move(plan)) {
    for (const auto& [when, cables] : changes_) {
      study_.events.push_back(
          {.at = when.first, .is_return = when.second, .links = static_cast<std::uint32_t>(cables.size())});
    }
  }

  ManagerStudy run() {
    const Result<assembly::PlacedSubnet> placed = assembly::place_subnet(graph_);
    if (!placed) {
      study_.error = placed.error().message;
      return std::move(study_);
    }
    const Result<std::vector<subnet::SweptSubnet>> subnets =
        assembly::swept_subnets(*placed, graph_, plan_.options.lmc);
    if (!subnets) {
      study_.error = subnets.error().message;
      return std::move(study_);
    }
    for (const subnet::SweptSubnet& swept : *subnets) {
      take(*placed, swept);
    }
    return std::move(study_);
  }

 private:
  void take(const assembly::PlacedSubnet& placed, const subnet::SweptSubnet& swept) {
    const std::map<std::string, subnet::NodeIndex> nodes = nodes_by_id(swept.subnet);
    std::vector<std::size_t> events;  // of the study, those that this subnet sees
    plan_.manager = swept.view[swept.view.manager].place;
    plan_.failures.clear();
    std::size_t i = 0;
    for (const auto& [when, cables] : changes_) {
      if (std::vector<subnet::PortPlace> ports = ports_of(placed, graph_, cables, nodes); !ports.empty()) {
        plan_.failures.push_back(
            {.name = {}, .ports = std::move(ports), .is_return = when.second, .at = when.first.since_start()});
        events.push_back(i);
      }
      ++i;
    }
    const Result<subnet::SweepStudy> swept_study = subnet::study_sweeps(swept.subnet, plan_);
    if (!swept_study) {
      study_.error = swept_study.error().message;
      return;
    }
    ++study_.subnets;
    study_.bring_up = std::max(study_.bring_up, swept_study->bring_up.end - swept_study->bring_up.begin);
    study_.requests += swept_study->bring_up.total_requests();
    if (!swept_study->bring_up.error.empty()) {
      study_.error = swept_study->bring_up.error;
    }
    for (std::size_t event = 0; event < events.size(); ++event) {
      add(swept_study->failures[event], swept_study->light, plan_.options.sweep_interval, study_.events[events[event]]);
    }
  }

  const fabric::Graph& graph_;
  Changes changes_;
  subnet::SweepPlan plan_;
  ManagerStudy study_;
};

}  // namespace

ManagerStudy study_manager(const scenario::Scenario& scenario, const fabric::Graph& graph,
                           std::span<const fabric::LinkEvent> links) {
  Result<subnet::SweepPlan> plan = assembly::manager_plan(scenario, graph);
  return plan ? ManagerRun(graph, *std::move(plan), links).run() : ManagerStudy{.error = plan.error().message};
}

Result<void> add_sweep_times(const scenario::Scenario& scenario, const fabric::Graph& graph,
                             std::vector<fabric::LinkEvent>& events) {
  WEFT_ASSERT(scenario::simulates_resweeps(scenario.routing));
  Result<subnet::SweepPlan> plan = assembly::manager_plan(scenario, graph);
  if (!plan) {
    return pass_on(plan);
  }
  plan->sweeps_lightly = false;
  const ManagerStudy study = ManagerRun(graph, *std::move(plan), events).run();
  const auto wrong = [&](std::string_view text) {
    return scenario::fail_at(scenario, "routing.reroute_delay", "\"auto\": {}; set a time", text);
  };
  if (!study.error.empty()) {
    return wrong(study.error);
  }
  std::map<std::pair<Time, bool>, Duration> times;
  for (const ManagerEvent& event : study.events) {
    if (!event.error.empty()) {
      return wrong(fmt::format("of what happens at {}, {}", event.at.since_start(), event.error));
    }
    times[{event.at, event.is_return}] = event.mended.value_or(Duration::zero());
  }
  for (fabric::LinkEvent& event : events) {
    if (event.kind != fabric::LinkEvent::Kind::kDegrade) {
      const auto time = times.find({event.at, event.kind == fabric::LinkEvent::Kind::kRestore});
      event.reroute_delay = time == times.end() ? Duration::zero() : time->second;
    }
  }
  // Again, since a manager may also go away within the sweep, which took no time so far.
  Result<std::vector<assembly::FailureSpan>> absences = assembly::manager_absences(scenario);
  if (!absences) {
    return pass_on(absences);
  }
  assembly::delay_routes(events, *absences);
  return {};
}

Result<std::optional<Duration>> first_sweep_time(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  Result<fabric::InfiniBandOptions> subnet = assembly::infiniband_options(scenario, graph);
  if (!subnet) {
    return pass_on(subnet);
  }
  const auto first = std::ranges::find(subnet->events, fabric::LinkEvent::Kind::kFail, &fabric::LinkEvent::kind);
  if (first == subnet->events.end()) {
    return std::optional<Duration>();
  }
  if (Result<void> timed = add_sweep_times(scenario, graph, subnet->events); !timed) {
    return pass_on(timed);
  }
  return std::optional(first->reroute_delay);
}

}  // namespace weft::study::run
