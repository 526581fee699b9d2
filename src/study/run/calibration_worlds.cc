#include "study/run/calibration_worlds.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/format_quantity.h"
#include "study/run/flow_simulation.h"
#include "study/run/simulation.h"

namespace weft::study::run {
namespace {

using scenario::Scenario;
using scenario::TopologyKind;
using scenario::TopologySettings;
using scenario::TrafficKind;
using scenario::TrafficSettings;

constexpr Bytes kShort = 1_kib;
constexpr int kShortMessages = 12;
/// Of the time that the long flows take: until the last short message.
constexpr double kWatched = 1.2;

TopologySettings one_switch(std::int64_t hosts) {
  TopologySettings made;
  made.kind = TopologyKind::kSingleSwitch;
  made.hosts = hosts;
  return made;
}

TopologySettings two_leaves(std::int64_t hosts) {
  TopologySettings made;
  made.kind = TopologyKind::kLeafSpine;
  made.hosts = 2 * hosts;
  made.spines = 1;
  made.hosts_per_leaf = hosts;
  return made;
}

/// The scenario's devices under another topology, without traffic.
Scenario bare(const Scenario& scenario, const TopologySettings& topology) {
  Scenario made = scenario;
  made.topology = topology;
  made.topology.domains = scenario.topology.domains;
  made.traffic.clear();
  made.left_out.clear();
  made.jobs.clear();
  made.events.clear();
  made.failures.clear();
  made.attacks.clear();
  made.stop.reset();
  made.output.sample_interval.reset();
  made.scale_up.kind = scenario::ScaleUpKind::kNone;
  made.reduction.enabled = false;
  if (has_manager(made.routing)) {  // tables of a manager are of the scenario's own network
    made.routing.engine = scenario::RoutingEngine::kDModK;
    made.routing.tables.clear();
  }
  if (made.keys.partitions == scenario::PartitionRule::kFile) {  // of its own ports
    made.keys.partitions = scenario::PartitionRule::kDefault;
  }
  made.fidelity = scenario::Fidelity::kPacket;
  return made;
}

void add_message(Scenario& scenario, std::int64_t from, std::int64_t to, Bytes size) {
  TrafficSettings made;
  made.name = fmt::format("traffic{}", scenario.traffic.size());
  made.kind = TrafficKind::kFlows;
  made.size = size;
  made.sources = {fmt::format("host{}", from)};
  made.destinations = {fmt::format("host{}", to)};
  scenario.traffic.push_back(std::move(made));
}

/// Short ones at equal distances while the long ones, so many bytes over one link, are under way.
SmallWorld watched(std::string name, Scenario made, std::pair<std::int64_t, std::int64_t> ends, Bytes long_ones) {
  const std::size_t first = made.traffic.size();
  const Duration under_way = made.devices.nic.port_rate.transmit_time(long_ones);
  for (int i = 0; i < kShortMessages; ++i) {
    add_message(made, ends.first, ends.second, kShort);
    made.traffic.back().start = Duration::picoseconds(static_cast<std::int64_t>(
        static_cast<double>(under_way.picoseconds()) * kWatched * (i + 0.5) / kShortMessages));
  }
  return {.name = std::move(name), .scenario = std::move(made), .first_measured = first};
}

struct MessageTimes final : workload::MessageSink {
  explicit MessageTimes(std::size_t first_of, std::size_t count) : first(first_of), seconds(count, 0) {}
  void on_message(const workload::MessageRecord& record) override {
    const std::size_t job = record.flow.job.value();
    if (job >= first && record.status == verbs::WcStatus::kSuccess) {
      seconds[job - first] = (record.finished - record.posted).seconds();
    }
  }
  std::size_t first = 0;
  std::vector<double> seconds;
};

template <class Made>
Result<std::vector<double>> run_to_end(Result<std::unique_ptr<Made>> simulation, const SmallWorld& world,
                                       const std::function<bool()>& keep_going, MessageTimes& times) {
  if (!simulation) {
    return pass_on(simulation);
  }
  const Simulation::End end = (*simulation)->run([&](const Progress&) { return keep_going(); });
  if (end == Simulation::End::kInterrupted) {
    return fail("interrupted");
  }
  if (end != Simulation::End::kFinished || std::ranges::any_of(times.seconds, [](double one) { return one <= 0; })) {
    return fail("{}: the run did not finish: {}", world.name, (*simulation)->error());
  }
  return std::move(times.seconds);
}

MessageTimes times_of(const SmallWorld& world) {
  return MessageTimes(world.first_measured, world.scenario.traffic.size() - world.first_measured);
}

}  // namespace

bool has_streams(const Scenario& scenario) {
  return scenario.fabric.family == scenario::Family::kTcp || scenario.fabric.family == scenario::Family::kIwarp;
}

std::vector<SmallWorld> start_worlds(const Scenario& scenario) {
  constexpr std::array kSizes{16_kib, 48_kib, 160_kib, 512_kib, 2_mib};
  std::vector<SmallWorld> worlds;
  for (const bool far : {false, true}) {
    for (const Bytes size : kSizes) {
      Scenario made = bare(scenario, far ? two_leaves(2) : one_switch(2));
      add_message(made, 0, far ? 2 : 1, size);
      worlds.push_back({.name = fmt::format("one message, {}, {}", to_string(size), far ? "two leaves" : "one switch"),
                        .scenario = std::move(made)});
    }
  }
  return worlds;
}

std::vector<SmallWorld> answer_worlds(const Scenario& scenario) {
  constexpr std::array kSizes{192_kib, 1536_kib};
  std::vector<SmallWorld> worlds;
  for (const std::int64_t flows : {2, 4}) {
    for (const Bytes size : kSizes) {
      Scenario made = bare(scenario, one_switch(flows + 2));
      for (std::int64_t i = 0; i < flows; ++i) {
        add_message(made, i, flows + 1, size);
      }
      worlds.push_back(watched(fmt::format("back to the host of {} flows, {}", flows, to_string(size)), std::move(made),
                               {flows + 1, flows}, size * flows));
    }
  }
  return worlds;
}

std::vector<SmallWorld> queue_worlds(const Scenario& scenario) {
  constexpr std::array kSizes{192_kib, 1536_kib, 12_mib};
  std::vector<SmallWorld> worlds;
  for (const std::int64_t flows : {2, 4, 8}) {
    for (const Bytes size : kSizes) {
      Scenario made = bare(scenario, one_switch(flows + 2));
      for (std::int64_t i = 0; i < flows; ++i) {
        add_message(made, i, flows + 1, size);
      }
      worlds.push_back(watched(fmt::format("{} flows to one host, {}", flows, to_string(size)), std::move(made),
                               {flows, flows + 1}, size * flows));
    }
  }
  for (const std::int64_t flows : {2, 4}) {
    for (const Bytes size : kSizes) {
      Scenario made = bare(scenario, two_leaves(flows + 1));
      for (std::int64_t i = 0; i < flows; ++i) {
        add_message(made, i, flows + 1 + i, size);
      }
      worlds.push_back(watched(fmt::format("{} flows over one uplink, {}", flows, to_string(size)), std::move(made),
                               {flows, 2 * flows + 1}, size * flows));
    }
  }
  return worlds;
}

Result<std::vector<double>> packet_times(const SmallWorld& world, const std::function<bool()>& keep_going) {
  MessageTimes times = times_of(world);
  return run_to_end(Simulation::create(world.scenario, times), world, keep_going, times);
}

Result<std::vector<double>> flow_times(const SmallWorld& world, const flow::Corrections& corrections,
                                       const std::function<bool()>& keep_going) {
  MessageTimes times = times_of(world);
  return run_to_end(FlowSimulation::create(world.scenario, times, {.corrections = corrections}), world, keep_going,
                    times);
}

}  // namespace weft::study::run
