// What [security] means for other parts of a scenario: the headers of Ultra Ethernet, and a traffic of management.
#include <fmt/core.h>

#include <algorithm>

#include "base/assert.h"
#include "study/scenario/apply.h"
#include "study/scenario/scenario_derive.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/value_codec.h"
#include "wire/uet/tss.h"

namespace weft::study::scenario {
namespace {

bool is_open(const Scenario& scenario, const std::string& path) {
  return rank_of(scenario, path) < static_cast<int>(Origin::kFile);
}

void derive_tss(Scenario& scenario) {
  const SecuritySettings& own = scenario.security;
  if (!own.encrypts() || own.encryption_layer != EncryptionLayer::kUet) {
    return;
  }
  const ValueSource source{.origin = Origin::kDerived, .text = "derived: security.encryption"};
  if (is_open(scenario, "uet.security")) {
    const auto with_source = static_cast<std::int64_t>(wire::uet::tss_overhead({.has_source = true}));
    scenario.uet.security = own.encryption_bytes == with_source ? UetSecurity::kTssWithSource : UetSecurity::kTss;
    scenario.sources["uet.security"] = source;
  }
  if (is_open(scenario, "uet.security_latency")) {
    scenario.uet.security_latency = own.encryption_latency;
    scenario.sources["uet.security_latency"] = source;
  }
}

void set_defaults_of(Scenario& scenario, std::size_t index) {
  const Section* const section = find_section("traffic");
  const Target target{.scenario = &scenario, .devices = &scenario.devices};
  for (const Key& key : section->keys) {
    const KeyAt at{.section = section, .key = &key, .index = index};
    scenario.sources[path_of(at)] = {.origin = Origin::kDerived, .text = "derived: security.management"};
    if (key.fallback == kRequired) {
      continue;
    }
    const auto raw = key.binding.type == &Codec<std::string>::type
                         ? RawValue{.place = {}, .content = std::string(key.fallback)}
                         : read_value(key.fallback);
    const auto done = apply({.at = at, .value = raw, .place = "default"}, target);
    WEFT_ASSERT(done.has_value());
  }
}

// Reports of each port to others at random: what a collector on every host, or a mesh of agents, gives.
void derive_management(Scenario& scenario) {
  const SecuritySettings& own = scenario.security;
  const Rate line = scenario.devices.link(LinkTier::kHost).rate;
  if (own.management != ManagementPlane::kInBand || own.management_rate >= line) {
    return;
  }
  const std::size_t index = scenario.traffic.size();
  scenario.traffic.emplace_back();
  set_defaults_of(scenario, index);
  TrafficSettings& traffic = scenario.traffic.back();
  traffic.name = kManagementTraffic;
  traffic.kind = TrafficKind::kPoisson;
  traffic.size = own.management_report;
  traffic.load =
      Probability::from_ratio({.numerator = static_cast<std::uint64_t>(own.management_rate.bits_per_second()),
                               .denominator = static_cast<std::uint64_t>(line.bits_per_second())});
  traffic.priority = own.management_priority;
}

}  // namespace

void derive_security(Scenario& scenario) {
  derive_tss(scenario);
  derive_management(scenario);
}

}  // namespace weft::study::scenario
