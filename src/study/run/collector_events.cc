#include "study/run/collector_events.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "base/format_quantity.h"
#include "study/assembly/build_failures.h"
#include "study/assembly/subnet_resweeps.h"
#include "study/run/collector_ports.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::run {
namespace {

std::string not_reached(Time at) { return fmt::format("at {}, after the end", at.since_start()); }

bool is_of_links(scenario::FailureKind kind) {
  return kind != scenario::FailureKind::kGpuSlow && kind != scenario::FailureKind::kSubnetManager;
}

/// "links failed 3 times, first at 2 ms", by the failure of this number alone; of GPUs and managers nothing.
std::string how_often(const scenario::Scenario& scenario, std::size_t index, const fabric::Graph& graph, Time end) {
  if (!is_of_links(scenario.failures[index].kind)) {
    return {};
  }
  scenario::Scenario alone = scenario;
  alone.failures = {scenario.failures[index]};
  const Result<std::vector<fabric::LinkEvent>> events = assembly::failure_events(alone, graph);
  if (!events) {
    return {};
  }
  std::size_t times = 0;
  Time first = Time::never();
  for (const fabric::LinkEvent& event : *events) {
    if (event.kind != fabric::LinkEvent::Kind::kRestore && event.at <= end) {
      ++times;
      first = earlier(first, event.at);
    }
  }
  return times == 0
             ? std::string("did not happen")
             : fmt::format("links failed {} time{}, first at {}", times, times == 1 ? "" : "s", first.since_start());
}

void take_link_events(const scenario::Scenario& scenario, results::RunResults& results) {
  for (const scenario::EventSettings& event : scenario.events) {
    const Time at = Time::zero() + event.at;
    const bool reached = at <= results.run.ended_at;
    const bool degrades = event.action == scenario::EventAction::kDegrade;
    std::string text = degrades ? "to " + to_string(event.rate) : std::string();
    if (!reached) {
      text += (text.empty() ? "" : ", ") + not_reached(at);
    }
    results.events.push_back({.at = reached ? at : Time::never(),
                              .kind = std::string(scenario::word_of(event.action)),
                              .place = event.select,
                              .text = std::move(text)});
  }
}

void take_failures(const scenario::Scenario& scenario, const fabric::Graph& graph, results::RunResults& results) {
  for (std::size_t i = 0; i < scenario.failures.size(); ++i) {
    const scenario::FailureSettings& failure = scenario.failures[i];
    const Time at = failure.at ? Time::zero() + *failure.at : Time::never();
    const bool reached = failure.at && at <= results.run.ended_at;
    std::string text = failure.at ? "" : "drawn, " + std::to_string(*failure.fit) + " FIT";
    if (failure.duration) {
      text += (text.empty() ? "for " : ", for ") + to_string(*failure.duration);
    }
    const std::string more = !failure.at ? how_often(scenario, i, graph, results.run.ended_at)
                             : reached   ? std::string()
                                         : not_reached(at);
    text += (text.empty() || more.empty() ? "" : ", ") + more;
    results.events.push_back({.at = reached ? at : Time::never(),
                              .kind = std::string(scenario::word_of(failure.kind)),
                              .place = failure.select.empty() ? failure.name : failure.select,
                              .text = std::move(text)});
  }
}

std::string text_of(const assembly::Resweep& own, std::string_view engine) {
  std::string text = own.links_down == 0
                         ? "all cables up"
                         : fmt::format("{} cable{} down", own.links_down, own.links_down == 1 ? "" : "s");
  text += fmt::format(": {} entries of {} switches", own.entries, own.switches);
  if (own.levels > 0) {
    text += fmt::format(", {} service levels of connections to come", own.levels);
  }
  if (own.paths < own.paths_before) {
    text += fmt::format("; {} of {} paths lead nowhere", own.paths_before - own.paths, own.paths_before);
  }
  if (!own.fallback.empty()) {
    text += fmt::format("; minhop in place of {}: {}", engine, own.fallback);
  }
  return own.can_block ? text + "; buffers can wait for one another in a cycle" : text;
}

/// Of links that flap without end the first ones.
constexpr std::size_t kMostResweeps = 100;

void take_resweeps(const Simulation& simulation, results::RunResults& results) {
  const std::string engine(scenario::word_of(simulation.scenario().routing.engine));
  const auto all = simulation.resweeps();
  for (std::size_t i = 0; i < std::min(all.size(), kMostResweeps); ++i) {
    const bool reached = all[i].at <= results.run.ended_at;
    std::string text = text_of(all[i], engine);
    if (!reached) {
      text += ", " + not_reached(all[i].at);
    } else if (i + 1 == kMostResweeps && i + 1 < all.size()) {
      text += fmt::format("; {} more are left out here", all.size() - kMostResweeps);
    }
    results.events.push_back({.at = reached ? all[i].at : Time::never(),
                              .kind = "resweep",
                              .place = all[i].fallback.empty() ? engine : "minhop",
                              .text = std::move(text)});
    if (!reached) {
      return;
    }
  }
}

void take_deadlocks(const world::World& world, results::RunResults& results) {
  const auto* const ethernet = world.fabric().get_if<fabric::EthernetFabric>();
  if (ethernet == nullptr) {
    return;
  }
  for (const fabric::DeadlockReport& deadlock : ethernet->deadlocks()) {
    results::EventRow row{.at = deadlock.found, .kind = "deadlock", .place = {}, .text = {}};
    row.place = "priority " + std::to_string(deadlock.priority);
    for (const fabric::PortIndex port : deadlock.cycle) {
      row.text += (row.text.empty() ? "" : " -> ") + port_label(world, port);
    }
    results.events.push_back(std::move(row));
  }
}

void take_storms(results::RunResults& results) {
  for (const results::PortRow& port : results.ports) {
    for (const results::LaneRow& lane : port.lanes) {
      if (lane.storms != 0) {
        results.events.push_back({.at = Time::never(),
                                  .kind = "watchdog",
                                  .place = port.name + " priority " + std::to_string(lane.lane),
                                  .text = std::to_string(lane.storms) + " times"});
      }
    }
  }
}

/// Why leaves that restore the order did not.
void take_leaf_order(const world::World& world, Time now, results::RunResults& results) {
  const auto* const ethernet = world.fabric().get_if<fabric::EthernetFabric>();
  if (ethernet == nullptr || world.peers() != nullptr) {  // of a shared run every rank knows its own ports alone
    return;
  }
  std::uint64_t late = 0;
  std::uint64_t overflows = 0;
  Duration latest;
  for (fabric::PortIndex port = 0; port < ethernet->port_count(); ++port) {
    const fabric::PortCounters counters = ethernet->port_counters(port, now);
    late += counters.reorder_late;
    overflows += counters.reorder_overflows;
    latest = std::max(latest, counters.reorder_latest);
  }
  const auto packets = [](std::uint64_t count) { return counted(count, {"packet", "packets"}); };
  const auto add = [&results](std::string text) {
    results.events.push_back({.at = Time::never(), .kind = "leaf order", .place = "leaves", .text = std::move(text)});
  };
  if (late != 0) {
    add(
        fmt::format("{} came out of order after a wait had given them up, up to {} after it began; set "
                    "routing.reorder_wait above that",
                    packets(late), latest));
  }
  if (overflows != 0) {
    add(
        fmt::format("{} passed out of order for want of a queue or room; set routing.reorder_queues or reorder_buffer "
                    "higher",
                    packets(overflows)));
  }
}

}  // namespace

void take_events(const Simulation& simulation, results::RunResults& results) {
  take_link_events(simulation.scenario(), results);
  take_failures(simulation.scenario(), simulation.world().graph(), results);
  take_resweeps(simulation, results);
  if (const std::optional<Simulation::JobLoss>& loss = simulation.loss(); loss) {
    results.events.push_back({.at = loss->at,
                              .kind = "job-lost",
                              .place = loss->job,
                              .text = loss->place.empty() ? loss->reason : loss->place + ": " + loss->reason});
  }
  take_deadlocks(simulation.world(), results);
  take_storms(results);
  take_leaf_order(simulation.world(), results.run.ended_at, results);
  std::ranges::stable_sort(results.events, {}, &results::EventRow::at);
}

}  // namespace weft::study::run
