// Attacks of a scenario: whether each can happen in its run, and whether what resists them has an effect.
#include <algorithm>
#include <set>

#include "base/format_quantity.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {
namespace {

// Of a file that another family is tried on it stays without effect, which the results say.
Result<void> validate_kind(const Scenario& scenario, const AttackSettings& attack, const std::string& path) {
  const std::string_view reason = impossible_attack(attack.kind, scenario.fabric.family);
  if (!reason.empty()) {
    return rank_of(scenario, path + "kind") < rank_of(scenario, "fabric.family")
               ? Result<void>()
               : fail_at(scenario, path + "kind", "'{}' is not possible with family \"{}\": {}", word_of(attack.kind),
                         word_of(scenario.fabric.family), reason);
  }
  if (attack.kind == host::AttackKind::kRogueCc && scenario.congestion.algorithm != CongestionAlgorithm::kIbCc) {
    return fail_at(scenario, path + "kind",
                   "'rogue-cc' sets InfiniBand's congestion control, and there is none; set "
                   "congestion_control.algorithm = \"ib-cc\"");
  }
  if (attack.kind == host::AttackKind::kBgpSpoof && !has_control(scenario)) {
    return fail_at(scenario, path + "kind",
                   "'bgp-spoof' needs sessions: no switch of this scenario has one; set control.kind = \"bgp\"");
  }
  return {};
}

Result<void> validate_attack(const Scenario& scenario, const AttackSettings& attack, const std::string& path) {
  if (attack.from == attack.victim) {
    return fail_at(scenario, path + "victim", "'{}' attacks itself; name another host", attack.victim);
  }
  if (attack.stop && *attack.stop <= attack.start) {
    return fail_at(scenario, path + "stop", "{}, and the attack starts at {}", *attack.stop, attack.start);
  }
  if (attack.bandwidth && rank_of(scenario, path + "rate") >= static_cast<int>(Origin::kFile)) {
    return fail_at(scenario, path + "bandwidth", "stands in place of rate; give one of the two");
  }
  return validate_kind(scenario, attack, path);
}

/// What attacks cannot be beside.
Result<void> validate_run(const Scenario& scenario) {
  if (scenario.fidelity == Fidelity::kFlow) {
    return fail_at(scenario, "attack[0].kind", "attacks are packets; set fidelity = \"packet\"");
  }
  if (scenario.routing.port_failover) {
    return fail_at(scenario, "routing.port_failover",
                   "ports stand in for one another, which attacks do not know; set it to false");
  }
  const auto is_composed = [](const JobSettings& job) {
    return job.trains() && job.training.fidelity == StepFidelity::kComposed;
  };
  if (const auto job = std::ranges::find_if(scenario.jobs, is_composed); job != scenario.jobs.end()) {
    return fail_at(scenario, "attack[0].kind",
                   "job '{}' is composed of slices, which have no times of an attack; set its fidelity = \"packet\"",
                   job->name);
  }
  return {};
}

/// Partitions of a file, which a subnet manager of InfiniBand reads.
Result<void> validate_partition_file(const Scenario& scenario) {
  const KeySettings& keys = scenario.keys;
  if (keys.partitions != PartitionRule::kFile) {
    return {};
  }
  if (keys.partition_file.empty()) {
    return fail_at(scenario, "keys.partitions", "'file' needs keys.partition_file");
  }
  // A comparison of families may have it for those that have a manager.
  return is_infiniband(scenario.fabric.family) ||
                 rank_of(scenario, "keys.partitions") < rank_of(scenario, "fabric.family")
             ? Result<void>()
             : fail_at(scenario, "keys.partitions",
                       "'file' is of InfiniBand's subnet manager, and the family is \"{}\"; use \"per-job\"",
                       word_of(scenario.fabric.family));
}

/// A check that nothing would ever meet.
Result<void> validate_keys(const Scenario& scenario) {
  const KeySettings& keys = scenario.keys;
  const auto given = [&](const char* key) {
    return rank_of(scenario, key) >= rank_of(scenario, "fabric.family") &&
           rank_of(scenario, key) >= static_cast<int>(Origin::kFile);
  };
  const bool infiniband = is_infiniband(scenario.fabric.family);
  if (keys.source_check && infiniband && given("keys.source_check")) {
    return fail_at(scenario, "keys.source_check", "switches of InfiniBand do not look at source addresses");
  }
  if (keys.switch_enforcement && !infiniband && given("keys.switch_enforcement")) {
    return fail_at(scenario, "keys.switch_enforcement", "switches of Ethernet do not read P_Keys");
  }
  if (keys.cc_key && !infiniband && given("keys.cc_key")) {
    return fail_at(scenario, "keys.cc_key", "is of InfiniBand, and the family is \"{}\"",
                   word_of(scenario.fabric.family));
  }
  if (keys.sa_key && !infiniband && given("keys.sa_key")) {
    return fail_at(scenario, "keys.sa_key", "is of InfiniBand, and the family is \"{}\"",
                   word_of(scenario.fabric.family));
  }
  if (keys.m_key && !infiniband && given("keys.m_key")) {
    return fail_at(scenario, "keys.m_key", "is of InfiniBand, and the family is \"{}\"",
                   word_of(scenario.fabric.family));
  }
  return {};
}

}  // namespace

Result<void> validate_attacks(const Scenario& scenario) {
  if (Result<void> read = validate_partition_file(scenario); !read) {
    return read;
  }
  if (Result<void> right = validate_keys(scenario); !right) {
    return right;
  }
  const bool at_ports = (!scenario.attacks.empty() && scenario.keys.attacks) || scenario.keys.cnp_limit;
  if (at_ports && (scenario.security.encrypts() || scenario.security.filters())) {
    return fail_at(scenario, scenario.security.encrypts() ? "security.encryption" : "security.firewall",
                   "not beside [[attack]] or keys.cnp_limit, which stand at the same ports of NICs");
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < scenario.attacks.size(); ++i) {
    const AttackSettings& attack = scenario.attacks[i];
    const std::string path = fmt::format("attack[{}].", i);
    if (!names.insert(attack.name).second) {
      return fail_at(scenario, path + "name", "a second attack '{}'", attack.name);
    }
    if (Result<void> right = validate_attack(scenario, attack, path); !right) {
      return right;
    }
  }
  return scenario.attacks.empty() || !scenario.keys.attacks ? Result<void>() : validate_run(scenario);
}

}  // namespace weft::study::scenario
