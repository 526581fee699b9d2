#include "study/run/collector_attacks.h"

#include <utility>

#include "study/scenario/scenario_words.h"

namespace weft::study::run {
namespace {

void fill(results::AttackRow& row, const host::AttackCounters& counters) {
  using host::Outcome;
  row.sent = counters.sent;
  row.arrived = counters.arrived;
  row.accepted = counters.of(Outcome::kAccepted);
  row.switch_partition = counters.of(Outcome::kSwitchPartition);
  row.switch_address = counters.of(Outcome::kSwitchAddress);
  row.switch_key = counters.of(Outcome::kSwitchKey);
  row.sm_key = counters.of(Outcome::kSmKey);
  row.untrusted = counters.of(Outcome::kUntrusted);
  row.authentication = counters.of(Outcome::kAuthentication);
  row.queue_pair = counters.of(Outcome::kQueuePair);
  row.partition = counters.of(Outcome::kPartition);
  row.queue_key = counters.of(Outcome::kQueueKey);
  row.ahead = counters.of(Outcome::kAhead);
  row.behind = counters.of(Outcome::kBehind);
  row.remote_key = counters.of(Outcome::kRemoteKey);
  row.limit = counters.of(Outcome::kLimit);
  row.no_receive = counters.of(Outcome::kNoReceive);
  row.other = counters.of(Outcome::kOther);
  row.lost = counters.lost();
  row.bytes_written = Bytes(static_cast<std::int64_t>(counters.bytes_written));
  row.queue_pairs_broken = counters.queue_pairs_broken;
  row.throttled = counters.throttled;
  row.paused = counters.paused;
  row.diverted = counters.diverted;
  row.diverted_bytes = Bytes(static_cast<std::int64_t>(counters.diverted_bytes));
  row.sessions_broken = counters.sessions_broken;
}

}  // namespace

std::vector<results::AttackRow> attack_rows(const Simulation& simulation, Time ended_at) {
  const scenario::Scenario& scenario = simulation.scenario();
  std::vector<results::AttackRow> rows;
  if (!scenario.keys.attacks) {
    return rows;
  }
  for (const scenario::AttackSettings& attack : scenario.attacks) {
    results::AttackRow row;
    row.name = attack.name;
    row.kind = std::string(scenario::word_of(attack.kind));
    row.from = attack.from;
    row.victim = attack.victim;
    row.not_possible = std::string(scenario::impossible_attack(attack.kind, scenario.fabric.family));
    rows.push_back(std::move(row));
  }
  const host::Attacks* const attacks = simulation.world().attacks();
  for (std::size_t i = 0; i < simulation.attacks().size(); ++i) {
    results::AttackRow& row = rows[simulation.attacks()[i]];
    row.from = simulation.world().endpoint_name(attacks->options()[i].from);
    row.victim = simulation.world().endpoint_name(attacks->options()[i].victim);
    fill(row, attacks->counters(i, ended_at));
  }
  return rows;
}

}  // namespace weft::study::run
