#include "study/run/flow_probe.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/format_quantity.h"
#include "study/results/percentiles.h"
#include "study/run/flow_run.h"
#include "study/run/simulation.h"

namespace weft::study::run {
namespace {

using workload::MessageRecord;

/// What a probe has seen.
struct Seen final : workload::MessageSink {
  void on_message(const MessageRecord& record) override { messages.push_back(record); }
  std::vector<MessageRecord> messages;
  Time until;
  bool everything = false;
};

Result<Seen> run_probe(const scenario::Scenario& scenario, const std::function<bool()>& keep_going) {
  Seen seen;
  Result<std::unique_ptr<Simulation>> simulation = Simulation::create(scenario, seen);
  if (!simulation) {
    return pass_on(simulation);
  }
  bool given_up = false;
  const Simulation::End end = (*simulation)->run([&](const Progress& progress) {
    given_up = !keep_going();
    return !given_up && progress.packet_hops < static_cast<std::uint64_t>(scenario.flow.probe_hops);
  });
  if (given_up) {
    return fail("interrupted");
  }
  if (end == Simulation::End::kError || end == Simulation::End::kStuck || end == Simulation::End::kJobLost) {
    return fail("the run with packets failed: {}", (*simulation)->error());
  }
  seen.everything = end != Simulation::End::kInterrupted;
  seen.until = seen.everything ? Time::never() : (*simulation)->world().now();
  return seen;
}

/// Times of the same things at both levels, in picoseconds.
struct Pairs {
  std::vector<std::int64_t> flow{};
  std::vector<std::int64_t> packet{};
  std::size_t messages = 0;

  void add(Duration of_flow, Duration of_packet) {
    flow.push_back(of_flow.picoseconds());
    packet.push_back(of_packet.picoseconds());
  }
};

using MessageName = std::pair<workload::FlowId, std::uint64_t>;

/// `collectives`: which jobs are; what counts of these is when the last message of each flow has come.
void compare(const Seen& seen, const FlowRun& run, const std::vector<bool>& collectives, Pairs& pairs) {
  std::map<MessageName, const MessageRecord*> known;
  for (const results::MessageRow& row : run.results.messages) {
    known.emplace(MessageName(row.record.flow, row.record.number), &row.record);
  }
  const Time half = seen.everything ? Time::never() : Time::zero() + (seen.until - Time::zero()) / 2;
  std::map<workload::FlowId, std::pair<Time, Time>> progress;
  for (const MessageRecord& packet : seen.messages) {
    const auto found = known.find(MessageName(packet.flow, packet.number));
    if (packet.status != verbs::WcStatus::kSuccess || packet.posted >= half || found == known.end()) {
      continue;
    }
    const MessageRecord& flow = *found->second;
    if (flow.finished > run.first_jump) {
      continue;
    }
    ++pairs.messages;
    if (collectives[packet.flow.job.value()]) {
      auto& [of_flow, of_packet] = progress[packet.flow];
      of_flow = later(of_flow, flow.finished);
      of_packet = later(of_packet, packet.finished);
    } else {
      pairs.add(flow.finished - flow.posted, packet.finished - packet.posted);
    }
  }
  for (const auto& [flow, ends] : progress) {
    pairs.add(ends.first.since_start(), ends.second.since_start());
  }
}

double ratio_at(std::vector<std::int64_t>& flow, std::vector<std::int64_t>& packet, Probability share) {
  const auto at = [share](std::vector<std::int64_t>& values) {
    std::ranges::sort(values);
    return static_cast<double>(results::percentile(std::span<const std::int64_t>(values), share));
  };
  return at(flow) / at(packet) - 1;
}

double mean_ratio(const Pairs& pairs) {
  double flow = 0;
  double packet = 0;
  for (std::size_t i = 0; i < pairs.flow.size(); ++i) {
    flow += static_cast<double>(pairs.flow[i]);
    packet += static_cast<double>(pairs.packet[i]);
  }
  return flow / packet - 1;
}

std::string not_probed(const scenario::Scenario& scenario, const results::RunResults& results) {
  if (scenario.flow.probes == 0) {
    return "flow.probes is 0";
  }
  if (std::ranges::any_of(scenario.jobs, &scenario::JobSettings::runs_steps)) {
    return "steps of jobs are checked by a smaller one";
  }
  if (results.run.endpoints > kMaxProbedEndpoints) {
    return fmt::format("packets of {} NIC ports are too many; of {} they would not be", results.run.endpoints,
                       kMaxProbedEndpoints);
  }
  return results.run.end == results::RunEnd::kFinished || results.run.end == results::RunEnd::kTimeLimit
             ? std::string()
             : "the run has not ended";
}

}  // namespace

FlowCheck probe_flow_level(const scenario::Scenario& scenario, const FlowRun& run,
                           const std::function<bool()>& keep_going, const flow::Corrections& corrections) {
  if (const std::string why = not_probed(scenario, run.results); !why.empty()) {
    return {.what = why};
  }
  std::vector<bool> collectives;
  for (const scenario::TrafficSettings& traffic : scenario.traffic) {
    collectives.push_back(traffic.kind == scenario::TrafficKind::kCollective);
  }
  collectives.resize(run.results.jobs.size());
  Pairs pairs;
  bool everything = true;
  scenario::Scenario probe = scenario;
  for (std::int64_t i = 0; i < scenario.flow.probes; ++i) {
    probe.seed = scenario.seed + i;
    probe.fidelity = scenario::Fidelity::kFlow;
    FlowRun other;
    if (i > 0) {
      Result<FlowRun> ran = run_as_flows(
          probe, {.corrections = corrections, .keep_going = [&](const Progress&) { return keep_going(); }});
      if (!ran) {
        return {.what = ran.error().message};
      }
      other = std::move(*ran);
    }
    probe.fidelity = scenario::Fidelity::kPacket;
    Result<Seen> seen = run_probe(probe, keep_going);
    if (!seen) {
      return {.what = seen.error().message};
    }
    everything = everything && seen->everything && run.first_jump.is_never();
    compare(*seen, i == 0 ? run : other, collectives, pairs);
  }
  if (pairs.flow.empty()) {
    return {.what = everything ? "no message ended in the run"
                               : "no message ended within the probe; raise flow.probe_hops"};
  }
  FlowCheck check{.error = mean_ratio(pairs)};
  const double median = ratio_at(pairs.flow, pairs.packet, Probability::from_ratio({.numerator = 1, .denominator = 2}));
  const double tail =
      ratio_at(pairs.flow, pairs.packet, Probability::from_ratio({.numerator = 99, .denominator = 100}));
  check.what = fmt::format("mean over {} messages of {} probe{}{}; median {:+.1f} %, p99 {:+.1f} %", pairs.messages,
                           scenario.flow.probes, scenario.flow.probes == 1 ? "" : "s",
                           everything ? "" : ", the beginning of the run", 100 * median, 100 * tail);
  return check;
}

}  // namespace weft::study::run
