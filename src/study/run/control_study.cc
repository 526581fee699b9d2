#include "study/run/control_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/text_table.h"
#include "fabric/control/control_plane.h"
#include "fabric/ethernet/ethernet_control.h"
#include "fabric/ethernet/ethernet_fabric.h"
#include "sim/actor_order.h"
#include "sim/kernel.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_topology.h"
#include "study/results/results_json.h"
#include "study/results/summary_text.h"
#include "study/run/collector_control.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_validate.h"

namespace weft::study::run {
namespace {

/// Simulated time between two looks at whether anything is under way.
constexpr Duration kControlLook = Duration::milliseconds(100);
/// After so long the study ends, agreed or not.
constexpr Duration kControlPatience = Duration::seconds(600);
constexpr std::uint64_t kControlEvents = 500'000;

/// The events of a fabric alone.
struct FabricEvents {
  fabric::EthernetFabric& own;

  [[nodiscard]] bool prefetches() const { return false; }
  void prefetch_first(sim::ActorId) const {}
  void prefetch_second(sim::ActorId) const {}
  void prefetch_third(sim::ActorId) const {}
  [[nodiscard]] bool on_event(sim::ActorId actor, Time now) {
    switch (actor.kind()) {
      case fabric::kArrival:
        own.on_arrival(actor.index(), now);
        break;
      case fabric::kTransmit:
        own.on_transmit(actor.index(), now);
        break;
      case fabric::kControlArrival:
        own.on_control(actor.index(), now);
        break;
      case fabric::kPortTimer:
        own.on_port_timer(actor.index(), now);
        break;
      case fabric::kSwitchTimer:
        own.on_switch_timer(actor.index(), now);
        break;
      case fabric::kFabricTimer:
        own.on_fabric_timer(now);
        break;
      case fabric::kControlPlane:
        own.on_control_plane(actor.index(), now);
        break;
      default:
        WEFT_ASSERT(false);
    }
    return true;
  }
};

/// A NIC that nobody uses.
struct SilentHost final : fabric::Endpoint {
  void on_packet(fabric::PacketHandle /*packet*/, Time /*now*/) override { WEFT_ASSERT(false); }
  void on_wire_ready(Time /*now*/) override {}
};

/// How long a failure, or a return, may go unnoticed.
Duration longest_silence(const scenario::ControlSettings& own) {
  if (own.loss_of_signal) {
    return own.signal_delay + own.drain_lead;
  }
  return (own.bfd ? own.bfd_interval * own.bfd_multiplier : own.hold_time) + own.connect_retry * 2;
}

/// Not to be ended before.
Time least_end(const scenario::Scenario& scenario) {
  const scenario::ControlSettings& own = scenario.control;
  Time end = Time::zero() + kControlLook;
  for (const scenario::EventSettings& event : scenario.events) {
    end = later(end, Time::zero() + event.at + longest_silence(own) + kControlLook);
  }
  return own.swapped_cables.empty() || !own.lldp ? end : later(end, Time::zero() + own.lldp_interval + kControlLook);
}

/// Each once, in order.
std::vector<Time> times_of(std::span<const fabric::LinkEvent> events) {
  std::vector<Time> times;
  std::ranges::transform(events, std::back_inserter(times), &fabric::LinkEvent::at);
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace

Result<ControlStudy> study_control(const scenario::Scenario& scenario, const std::function<bool(Time)>& keep_going) {
  if (!scenario::has_control(scenario)) {
    return scenario::fail_at(scenario, "control.kind",
                             "this is for networks whose switches decide on routes themselves; set control.kind = "
                             "\"bgp\" and a family over IP");
  }
  Result<fabric::Graph> graph = assembly::build_topology(scenario);
  if (!graph) {
    return pass_on(graph);
  }
  Result<fabric::EthernetOptions> options = assembly::ethernet_options(scenario, *graph);
  if (!options) {
    return pass_on(options);
  }
  const Time stop = scenario.stop ? Time::zero() + *scenario.stop : Time::never();
  const auto begins_later = std::stable_partition(options->events.begin(), options->events.end(),
                                                  [stop](const fabric::LinkEvent& event) { return event.at <= stop; });
  const std::span<const fabric::LinkEvent> seen(options->events.begin(), begins_later);
  ControlStudy study{.scenario = scenario.name,
                     .hosts = graph->host_endpoints(),
                     .switches = graph->switches(),
                     .results = {},
                     .ended = Time::zero(),
                     .manager = study_manager(scenario, *graph, seen),
                     .stop = stop,
                     .after_stop = times_of({begins_later, options->events.end()})};
  sim::Kernel kernel;
  fabric::PacketPool packets;
  const fabric::FabricContext context{
      .kernel = kernel, .packets = packets, .seed = static_cast<std::uint64_t>(scenario.seed)};
  Result<fabric::AnyFabric> made = fabric::AnyFabric::create(*graph, std::move(*options), context);
  if (!made) {
    return pass_on(made);
  }
  fabric::EthernetFabric& fabric = *made->get_if<fabric::EthernetFabric>();
  SilentHost host;
  for (std::uint32_t endpoint = 0; endpoint < graph->endpoints; ++endpoint) {
    fabric.attach(EndpointId(endpoint), host);
  }
  sim::ActorOrder ranks;
  fabric.register_actors(ranks);
  ranks.assign();
  fabric.start();
  FabricEvents events{.own = fabric};
  const Time least = least_end(scenario);
  Time limit = earlier(Time::zero() + kControlLook, stop);
  for (;;) {
    if (kernel.run(limit, kControlEvents, events) == sim::Kernel::Stop::kAsked) {
      if (!keep_going(kernel.now())) {
        break;
      }
      continue;  // more events before the limit
    }
    study.ended = limit;
    if (limit == stop || limit >= least + kControlPatience || !keep_going(limit) ||
        (stop.is_never() && limit >= least && fabric.control_plane()->is_quiet())) {
      break;
    }
    limit = earlier(limit + kControlLook, stop);
  }
  study.ended = later(study.ended, kernel.now());
  take_control(*made, study.ended, study.results);
  return study;
}

namespace {

std::string after_event(Time at, Time event) { return at.is_never() ? "never" : results::short_text(at - event); }

/// What a destination loses, of all of them.
struct DestinationLosses {
  Duration longest_hole;
  Duration longest_loop;
  Duration longest_cut_off;
  Duration mean_lost;
  std::uint64_t touched = 0;
  std::uint64_t cut_off = 0;
};
DestinationLosses destination_losses(const results::RunResults& results) {
  DestinationLosses sum;
  for (const results::ControlDestinationRow& row : results.control_destinations) {
    sum.longest_hole = std::max(sum.longest_hole, row.black_hole);
    sum.longest_loop = std::max(sum.longest_loop, row.loop);
    sum.longest_cut_off = std::max(sum.longest_cut_off, row.cut_off);
    sum.mean_lost += row.lost_time;
    sum.cut_off += row.cut_off > Duration::zero() ? 1 : 0;
    sum.touched += row.black_hole > Duration::zero() || row.loop > Duration::zero() ? 1 : 0;
  }
  if (!results.control_destinations.empty()) {
    sum.mean_lost = sum.mean_lost / static_cast<std::int64_t>(results.control_destinations.size());
  }
  return sum;
}

std::string counted(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// "noticed after 1 ms, last table written after 7.6 ms, 11 s at most without its trap; 2 sweeps, ...".
std::string mended_text(const ManagerEvent& event) {
  if (!event.error.empty()) {
    return "not mended: " + event.error;
  }
  if (!event.noticed || !event.ended) {
    return "the manager does not learn of it";
  }
  const std::string when =
      event.mended && event.without_trap
          ? fmt::format("last table written after {}, {} at most without its trap", results::short_text(*event.mended),
                        results::short_text(*event.without_trap))
          : "no table changes";
  return fmt::format("noticed after {}, {}; {} done after {} ({}, {})", results::short_text(*event.noticed), when,
                     counted(event.sweeps, "sweep"), results::short_text(*event.ended),
                     counted(event.requests, "request"), counted(event.blocks, "block"));
}

/// Beside it, what a subnet manager takes.
void add_manager(const ManagerStudy& manager, TextTable& table) {
  if (!manager.error.empty()) {
    table.add({"InfiniBand", "no subnet manager for this network: " + manager.error});
    return;
  }
  table.add({"InfiniBand", fmt::format("{} would bring the same network up in {} ({}){}",
                                       manager.subnets == 1 ? "a subnet manager" : "subnet managers",
                                       results::short_text(manager.bring_up), counted(manager.requests, "request"),
                                       manager.events.empty() ? "" : ", and after each event:")});
  for (const ManagerEvent& event : manager.events) {
    table.add(
        {event.is_return ? "restore" : "fail", fmt::format("{} {}: {}", results::short_text(event.at.since_start()),
                                                           counted(event.links, "cable"), mended_text(event))});
  }
}

nlohmann::ordered_json manager_json(const ManagerStudy& manager) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (const ManagerEvent& event : manager.events) {
    events.push_back({{"at_s", event.at.since_start().seconds()},
                      {"kind", event.is_return ? "restore" : "fail"},
                      {"links", event.links},
                      {"noticed_s", results::seconds_or_null(event.noticed)},
                      {"mended_s", results::seconds_or_null(event.mended)},
                      {"ended_s", results::seconds_or_null(event.ended)},
                      {"without_trap_s", results::seconds_or_null(event.without_trap)},
                      {"sweeps", event.sweeps},
                      {"requests", event.requests},
                      {"blocks", event.blocks},
                      {"entries", event.entries}});
    if (!event.error.empty()) {
      events.back()["error"] = event.error;
    }
  }
  nlohmann::ordered_json json = {{"subnets", manager.subnets},
                                 {"bring_up_s", manager.bring_up.seconds()},
                                 {"requests", manager.requests},
                                 {"events", std::move(events)}};
  if (!manager.error.empty()) {
    json["error"] = manager.error;
  }
  return json;
}

}  // namespace

std::string control_text(const ControlStudy& study, LineWidth width) {
  const results::ControlRow& own = *study.results.control;
  const DestinationLosses losses = destination_losses(study.results);
  TextTable table({{.heading = "", .gap = 0}, {.heading = "", .wraps = true}}, width);
  table.add(
      {"network", fmt::format("{} host ports, {} switches, {} sessions", study.hosts, study.switches, own.sessions)});
  for (const results::ControlEventRow& event : study.results.control_events) {
    // What is written once the next event is there is counted for that one.
    const bool passed = event.last_entry.is_never() && &event != &study.results.control_events.back();
    table.add({event.kind,
               fmt::format("{}{}{}: noticed after {}, last forwarding entry {}",
                           results::short_text(event.at.since_start()), event.link.empty() ? "" : " ",
                           event.links > 1 ? fmt::format("{} and {} more", event.link, event.links - 1) : event.link,
                           after_event(event.noticed, event.at),
                           passed ? "not before the next event" : "after " + after_event(event.last_entry, event.at))});
  }
  if (!study.after_stop.empty()) {
    std::vector<std::string> times;
    std::ranges::transform(study.after_stop, std::back_inserter(times),
                           [](Time at) { return results::short_text(at.since_start()); });
    table.add({"left out", fmt::format("link events at {}: they come after the scenario's stop, {}; a later stop, or "
                                       "none, has them",
                                       fmt::join(times, ", "), results::short_text(study.stop.since_start()))});
  }
  table.add({"black hole", fmt::format("longest {}, {} of {} destinations", results::short_text(losses.longest_hole),
                                       losses.touched, study.results.control_destinations.size())});
  table.add({"loop", fmt::format("longest {}", results::short_text(losses.longest_loop))});
  table.add(
      {"traffic lost", fmt::format("as much as in {}, mean over destinations", results::short_text(losses.mean_lost))});
  if (losses.cut_off > 0) {
    table.add(
        {"cut off", fmt::format("longest {}, {} of {} destinations: no cable joins some leaf to them, and what is "
                                "sent there is lost as well",
                                results::short_text(losses.longest_cut_off), losses.cut_off,
                                study.results.control_destinations.size())});
  }
  table.add({"messages", fmt::format("{} of BGP ({} UPDATEs, {}), {} of BFD, {} of LLDP; {} in all", own.messages,
                                     own.updates, results::short_text(own.message_bytes), own.bfd_packets,
                                     own.lldp_units, results::short_text(own.frame_bytes))});
  table.add({"work", fmt::format("{} prefixes, {} of CPU, {} of it in {}; {} writes", own.processed,
                                 results::short_text(own.cpu_time), results::short_text(own.busiest_cpu_time),
                                 own.busiest_switch, own.fib_writes)});
  table.add({"at the end", fmt::format("{} of {} ends of sessions established{}", own.established, 2 * own.sessions,
                                       own.quiet ? "" : ", not quiet")});
  for (const results::CablingRow& row : study.results.cabling) {
    table.add({"miscabled", fmt::format("{} is joined to {}, planned {}", row.port, row.found, row.planned)});
  }
  add_manager(study.manager, table);
  return table.text();
}

nlohmann::ordered_json control_study_json(const ControlStudy& study) {
  nlohmann::ordered_json after_stop = nlohmann::ordered_json::array();
  for (const Time at : study.after_stop) {
    after_stop.push_back(at.since_start().seconds());
  }
  return {{"scenario", study.scenario},
          {"host_ports", study.hosts},
          {"switches", study.switches},
          {"ended_s", study.ended.since_start().seconds()},
          {"after_stop_s", std::move(after_stop)},
          {"control", results::control_json(study.results)},
          {"subnet_manager", manager_json(study.manager)}};
}

}  // namespace weft::study::run
