#include "study/run/ladder.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "host/path/message_stages.h"
#include "study/assembly/build_paths.h"
#include "study/results/summary.h"
#include "study/results/summary_text.h"
#include "study/scenario/packet_sizes.h"
#include "study/world/ideal_time.h"

namespace weft::study::run {
namespace {

struct Rung {
  std::string profile;
  std::string fabric;
  const results::RunResults* run = nullptr;
  Duration latency;
};

std::vector<Rung> rungs_of(std::span<const results::RunResults> runs) {
  std::vector<Rung> rungs;
  for (const results::RunResults& run : runs) {
    if (run.stages.empty()) {
      continue;
    }
    const std::size_t slash = run.run.ladder.find('/');
    Rung rung{.profile = run.run.ladder.substr(0, slash),
              .fabric = slash == std::string::npos ? run.run.family : run.run.ladder.substr(slash + 1),
              .run = &run,
              .latency = {}};
    for (const results::StageRow& stage : run.stages) {
      rung.latency += stage.time;
    }
    rungs.push_back(std::move(rung));
  }
  return rungs;
}

std::optional<double> ratio_to_tcp(const Rung& rung, const std::vector<Rung>& all) {
  const auto tcp = std::ranges::find_if(
      all, [&](const Rung& other) { return other.profile == rung.profile && other.fabric == "tcp"; });
  return tcp == all.end() ? std::nullopt : std::optional(rung.latency.seconds() / tcp->latency.seconds());
}

constexpr double kMicro = 1e6;

// What lies between the hosts: cables and switches of an empty network, and whatever else the message met.
void split_network(const Simulation& simulation, const world::IdealPath& path, const workload::MessageRecord& record,
                   const host::StageTime& between, std::vector<results::StageRow>& stages) {
  const world::NetworkTime idle = world::one_way(simulation.world(), path, record.operation, record.size);
  const scenario::Scenario& scenario = simulation.scenario();
  const Duration switches = scenario.devices.switch_.latency * idle.switches;
  const Duration empty = idle.time - scenario.devices.nic.rx_latency;
  const auto add = [&stages](std::string_view name, Duration time, host::Confidence mark) {
    if (time != Duration::zero()) {
      stages.push_back({std::string(name), time, std::string(to_string(mark))});
    }
  };
  const scenario::SecurityLatency security = scenario::security_latency(scenario);
  const Duration encryption = security.sum(idle.switches) - security.firewalls;
  add("wire", empty - switches - encryption - security.firewalls, host::Confidence::kEmerges);
  if (encryption != Duration::zero()) {
    add("encryption", encryption,
        assembly::stage_confidence(
            scenario, scenario.security.encrypts() ? "security.encryption_latency" : "uet.security_latency"));
  }
  if (security.firewalls != Duration::zero()) {
    add("firewalls", security.firewalls, assembly::stage_confidence(scenario, "security.firewall_latency"));
  }
  add("switch", switches, assembly::stage_confidence(scenario, "switch.latency"));
  add("queueing", between.time - empty, host::Confidence::kEmerges);
}

}  // namespace

void take_stages(const Simulation& simulation, results::RunResults& results) {
  const scenario::Scenario& scenario = simulation.scenario();
  results.run.ladder = scenario.output.ladder;
  if (results.run.ladder.empty() || results.messages.empty()) {
    return;
  }
  const workload::MessageRecord& record = results.messages.back().record;
  const world::IdealPath path = simulation.path_of(record);
  const host::HostPath* const sender = simulation.world().nic(path.source).path();
  const host::HostPath* const receiver = simulation.world().nic(path.destination).path();
  if (sender == nullptr || receiver == nullptr || !workload::needs_receive(record.operation) ||
      record.delivered.is_never()) {
    return;
  }
  const host::MessageShape shape{.size = world::host_bytes(path, record.size),
                                 .packet = path.mtu,
                                 .opcode = workload::opcode_of(record.operation),
                                 .place = path.place};
  const host::StageTimes list =
      host::message_stages({.sender = *sender, .receiver = *receiver}, shape, results::latency_of(record));
  for (const host::StageTime& stage : list.stages()) {
    if (stage.name == "wire and switches") {
      split_network(simulation, path, record, stage, results.stages);
    } else {
      results.stages.push_back({std::string(stage.name), stage.time, std::string(to_string(stage.mark))});
    }
  }
}

nlohmann::ordered_json ladder_json(std::span<const results::RunResults> runs) {
  nlohmann::ordered_json ladder = nlohmann::ordered_json::array();
  const std::vector<Rung> rungs = rungs_of(runs);
  for (const Rung& rung : rungs) {
    nlohmann::ordered_json entry{
        {"profile", rung.profile}, {"fabric", rung.fabric}, {"latency_us", rung.latency.seconds() * kMicro}};
    if (const std::optional<double> ratio = ratio_to_tcp(rung, rungs)) {
      entry["ratio_to_tcp"] = *ratio;
    }
    entry["stages"] = nlohmann::ordered_json::array();
    for (const results::StageRow& stage : rung.run->stages) {
      entry["stages"].push_back({{"name", stage.name}, {"us", stage.time.seconds() * kMicro}, {"mark", stage.mark}});
    }
    ladder.push_back(std::move(entry));
  }
  return ladder;
}

std::string ladder_text(std::span<const results::RunResults> runs) {
  std::string text;
  const std::vector<Rung> rungs = rungs_of(runs);
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const Rung& rung = rungs[i];
    if (i == 0 || rungs[i - 1].profile != rung.profile) {
      text += fmt::format("{}latency ladder, profile {}\n", i == 0 ? "" : "\n", rung.profile);
    }
    const std::optional<double> ratio = ratio_to_tcp(rung, rungs);
    text += fmt::format("  {:<28}{:>10}{}\n", rung.fabric, results::short_text(rung.latency),
                        ratio ? fmt::format("   {:.3f} of tcp", *ratio) : std::string());
    for (const results::StageRow& stage : rung.run->stages) {
      text += fmt::format("    {:<26}{:>10}   {}\n", stage.name, results::short_text(stage.time), stage.mark);
    }
  }
  return text;
}

}  // namespace weft::study::run
