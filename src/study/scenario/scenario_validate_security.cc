// Protection of the data path: what a family can have, and settings that would have no effect.
#include <algorithm>
#include <array>

#include "base/format_quantity.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/packet_sizes.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"
#include "wire/uet/tss.h"

namespace weft::study::scenario {
namespace {

/// Of several keys the first that a file, a case or the command line gives; null: none does.
template <std::size_t Count>
const char* first_given(const Scenario& scenario, const std::array<const char*, Count>& keys) {
  const auto found = std::ranges::find_if(
      keys, [&](const char* key) { return rank_of(scenario, key) >= static_cast<int>(Origin::kFile); });
  return found == keys.end() ? nullptr : *found;
}

Result<void> check_effects(const Scenario& scenario) {
  constexpr std::array kOfEncryption = {"security.encryption_layer",     "security.encryption_bytes",
                                        "security.encryption_alignment", "security.encryption_latency",
                                        "security.encryption_rate",      "security.encryption_packet_rate"};
  constexpr std::array kOfFirewall = {"security.firewall_latency", "security.firewall_rate",
                                      "security.firewall_packet_rate"};
  constexpr std::array kOfBuffer = {"security.buffer", "security.overflow"};
  constexpr std::array kOfManagement = {"security.management_rate", "security.management_report",
                                        "security.management_priority"};
  const SecuritySettings& own = scenario.security;
  if (const char* key = first_given(scenario, kOfEncryption); key != nullptr && !own.encrypts()) {
    return fail_at(scenario, key,
                   "has no effect with security.encryption = \"none\"; name an encryption, such as "
                   "\"macsec\"");
  }
  if (const char* key = first_given(scenario, kOfFirewall); key != nullptr && !own.filters()) {
    return fail_at(scenario, key,
                   "has no effect with security.firewall = \"none\"; name a firewall, such as "
                   "\"dpu-offloaded\"");
  }
  if (const char* key = first_given(scenario, kOfBuffer); key != nullptr && !own.encrypts() && !own.filters()) {
    return fail_at(scenario, key, "has no effect without security.firewall and security.encryption");
  }
  if (const char* key = first_given(scenario, kOfManagement);
      key != nullptr && own.management == ManagementPlane::kSeparate) {
    return fail_at(scenario, key, "has no effect with security.management = \"separate\"; set \"in-band\"");
  }
  return {};
}

Result<void> check_layer(const Scenario& scenario) {
  constexpr const char* kKey = "security.encryption_layer";
  const SecuritySettings& own = scenario.security;
  const Family family = scenario.fabric.family;
  const bool ultra = engine_of(family) == FamilyEngine::kUet;
  switch (own.encryption_layer) {
    case EncryptionLayer::kLink:
      return scenario.routing.policy == RoutingPolicy::kScheduled
                 ? fail_at(scenario, "security.encryption",
                           "encryption of links is not modelled for a scheduled fabric, whose links carry cells; "
                           "choose one of layer \"ip\", such as \"psp\"")
                 : Result<void>();
    case EncryptionLayer::kIp:
      if (ultra) {
        return fail_at(scenario, kKey, "Ultra Ethernet has its own encryption; set security.encryption = \"tss\"");
      }
      return traits_of(family).reach == FamilyReach::kRouted
                 ? Result<void>()
                 : fail_at(scenario, kKey, "packets of {} have no IP header; set security.encryption = \"macsec\"",
                           word_of(family));
    case EncryptionLayer::kUet:
      break;
  }
  if (!ultra) {
    return fail_at(scenario, kKey, "\"uet\" is for family \"uet\"; packets of {} have no such header", word_of(family));
  }
  if (scenario.uet.security == UetSecurity::kNone) {
    return fail_at(scenario, "uet.security", "\"none\" contradicts security.encryption = \"{}\"; leave one of both out",
                   own.encryption);
  }
  const auto bytes = [](bool has_source) {
    return static_cast<std::int64_t>(wire::uet::tss_overhead({.has_source = has_source}));
  };
  return own.encryption_bytes == bytes(false) || own.encryption_bytes == bytes(true)
             ? Result<void>()
             : fail_at(scenario, "security.encryption_bytes", "{}; the headers of TSS have {}, or {} with the sender",
                       own.encryption_bytes, bytes(false), bytes(true));
}

/// What comes in after a port has asked for a pause: all that cable and pipelines hold, and a packet at either end.
Bytes after_pause(const Scenario& scenario) {
  const LinkSettings& link = scenario.devices.link(LinkTier::kHost);
  const Duration loop = link.propagation * 2 + scenario.devices.nic.rx_latency + security_latency(scenario).at_end();
  return link.rate.bytes_in(loop) + largest_packet(scenario, Bytes(scenario.fabric.mtu)).wire * 3;
}

// Where an entry of the catalogue asks for pauses that there cannot be, packets are lost.
Result<void> check_overflow(const Scenario& scenario) {
  constexpr const char* kKey = "security.overflow";
  const SecuritySettings& own = scenario.security;
  if (own.overflow != InlineOverflow::kPause) {
    return {};
  }
  const bool asked = rank_of(scenario, kKey) >= static_cast<int>(Origin::kFile);
  if (scenario.routing.policy == RoutingPolicy::kScheduled) {
    return asked ? fail_at(scenario, kKey, "\"pause\" is not modelled for a scheduled fabric; set \"drop\"")
                 : Result<void>();
  }
  const bool pauses = std::ranges::any_of(scenario.devices.ethernet.priorities, [](const PrioritySettings& priority) {
    return priority.lossless && !priority.credits;
  });
  if (!pauses) {
    return asked ? fail_at(scenario, kKey,
                           "\"pause\" needs a priority with PFC, and none is lossless; set \"drop\", or for example "
                           "ethernet.priority.{}.lossless",
                           scenario.qos.data_priority)
                 : Result<void>();
  }
  const bool limits =
      own.encryption_rate || own.encryption_packet_rate || own.firewall_rate || own.firewall_packet_rate;
  const Bytes needed = after_pause(scenario) * 2;
  return !limits || own.buffer >= needed
             ? Result<void>()
             : fail_at(scenario, "security.buffer",
                       "{} with overflow = \"pause\": a pause is asked for at half of it, and as much as {} comes in "
                       "after that; at least {}, or overflow = \"drop\"",
                       to_string(own.buffer), to_string(after_pause(scenario)), to_string(needed));
}

Result<void> check_management(const Scenario& scenario) {
  const SecuritySettings& own = scenario.security;
  if (own.management != ManagementPlane::kInBand) {
    return {};
  }
  const bool has_end =
      scenario.stop || std::ranges::any_of(scenario.jobs, [](const JobSettings& job) { return job.runs_steps(); });
  if (!has_end) {
    return fail_at(scenario, "security.management",
                   "\"in-band\" has no end of its own; set stop, or add a [[job]] that runs steps");
  }
  const Rate line = scenario.devices.link(LinkTier::kHost).rate;
  if (own.management_rate >= line) {
    return fail_at(scenario, "security.management_rate", "{} is not less than the rate of a host's link, {}",
                   to_string(own.management_rate), to_string(line));
  }
  const std::int64_t most = is_infiniband(scenario.fabric.family) ? 15 : 7;
  return own.management_priority.value_or(0) <= most
             ? Result<void>()
             : fail_at(scenario, "security.management_priority", "{}; Ethernet has priorities 0 to {}",
                       *own.management_priority, most);
}

}  // namespace

Result<void> validate_protection(const Scenario& scenario) {
  const SecuritySettings& own = scenario.security;
  if (!is_infiniband(scenario.fabric.family)) {
    return {};
  }
  if (own.encrypts()) {
    return fail_at(scenario, "security.encryption",
                   "InfiniBand encrypts neither links nor packets; set \"none\", and encrypt in the program");
  }
  return own.filters() ? fail_at(scenario, "security.firewall",
                                 "no firewall passes packets of InfiniBand, whose partitions separate tenants; set "
                                 "\"none\"")
                       : Result<void>();
}

Result<void> validate_security_settings(const Scenario& scenario) {
  const SecuritySettings& own = scenario.security;
  if (auto checked = check_effects(scenario); !checked) {
    return checked;
  }
  if (own.encrypts()) {
    if (auto checked = check_layer(scenario); !checked) {
      return checked;
    }
  }
  if (own.encrypts() || own.filters()) {
    if (auto checked = check_overflow(scenario); !checked) {
      return checked;
    }
    if (scenario.routing.port_failover) {
      return fail_at(scenario, "routing.port_failover",
                     "is not modelled with security.firewall or security.encryption, which are of one port each");
    }
  }
  return check_management(scenario);
}

}  // namespace weft::study::scenario
