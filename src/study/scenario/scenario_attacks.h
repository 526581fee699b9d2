// What a scenario says of attacks: what attackers do, and by which keys and checks the network resists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"
#include "host/attack/attack_types.h"
#include "study/scenario/family.h"

namespace weft::study::scenario {

/// A field of the victim's connections that an attacker may have seen, or the SM_Key of subnet administration.
enum class KnownField : std::uint8_t { kQpn, kPsn, kRKey, kPKey, kQKey, kSmKey };

/// One [[attack]].
struct AttackSettings {
  std::string name{};  // "attack0" where the file gives none
  host::AttackKind kind = host::AttackKind::kForgedRKey;
  std::string from{};    // a host ("host3", its first port) or a port ("host3/nic0")
  std::string victim{};  // likewise
  Duration start{};
  std::optional<Duration> stop{};                  // none: with the run
  std::int64_t rate = 1;                           // packets a second
  std::optional<Rate> bandwidth{};                 // on the wire, in place of `rate`
  std::optional<std::vector<KnownField>> knows{};  // none: what the kind needs besides what it forges
  host::Guess guess = host::Guess::kRandom;
  Bytes payload{};
};

enum class PartitionRule : std::uint8_t { kDefault, kPerJob, kFile };
enum class KeyNumbering : std::uint8_t { kRandom, kSequential };

/// [keys]
struct KeySettings {
  bool attacks = true;  // those of the scenario happen
  PartitionRule partitions = PartitionRule::kDefault;
  std::string partition_file{};  // a partitions.conf, of kFile
  bool switch_enforcement = false;
  KeyNumbering r_keys = KeyNumbering::kRandom;
  bool source_check = false;
  std::optional<Duration> cnp_limit{};
  bool m_key = false;
  bool sa_key = false;
  bool cc_key = false;
  bool bgp_password = false;
  bool bgp_ttl_security = false;

  friend bool operator==(const KeySettings&, const KeySettings&) = default;
};

/// What the attacker knows.
[[nodiscard]] host::Knowledge knowledge_of(const AttackSettings& attack);
/// Why networks of the family cannot suffer such an attack at all; empty: they can.
[[nodiscard]] std::string_view impossible_attack(host::AttackKind kind, Family family);

}  // namespace weft::study::scenario
