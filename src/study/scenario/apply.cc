#include "study/scenario/apply.h"

#include <fmt/core.h>

#include "base/assert.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/selector.h"

namespace weft::study::scenario {

std::vector<KeyAt> expand(const KeyAt& at) {
  if (at.section->shape != SectionShape::kGroup || at.index) {
    return {at};
  }
  std::vector<KeyAt> all(at.section->group.size(), at);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].index = i;
  }
  return all;
}

Result<void> apply(const Given& given, const Target& target) {
  for (const auto& at : expand(given.at)) {
    void* settings = at.section->settings(target, at.index.value_or(0));
    if (auto done = at.key->binding.set(settings, given.value, *at.key); !done) {
      return fail("{}: {}", key_at(given.place, path_of(given.at)), done.error().message);
    }
  }
  return {};
}

Result<void> apply(const Given& given, const Target& target, const ValueSource& source,
                   std::map<std::string, ValueSource>& sources) {
  for (const auto& at : expand(given.at)) {
    sources[path_of(at)] = source;
  }
  return apply(given, target);
}

std::string value_text(const KeyAt& at, const Target& target) {
  return at.key->binding.text(at.section->settings(target, at.index.value_or(0)), *at.key);
}

namespace {

// Overrides were applied once when the scenario was loaded, so they cannot fail here.
void apply_override(const DeviceOverride& override, DeviceSettings& settings) {
  const Target target{.scenario = nullptr, .devices = &settings};
  for (const auto& assignment : override.assignments) {
    auto at = find_path(assignment.path);
    WEFT_ASSERT(at.has_value() && at->section->of_devices);
    const auto done = apply({.at = *at, .value = read_value(assignment.text), .place = assignment.place}, target);
    WEFT_ASSERT(done.has_value());
  }
}

}  // namespace

DeviceSettings settings_of_device(const Scenario& scenario, const std::string& device) {
  DeviceSettings settings = scenario.devices;
  for (const auto& override : scenario.overrides) {
    if (!override.by_link() && selects_device(override.select, device)) {
      apply_override(override, settings);
    }
  }
  return settings;
}

bool selects_link(const DeviceOverride& override, const std::optional<PortLink>& link) {
  if (!link) {
    return !override.by_link();
  }
  return override.select_rate.value_or(link->rate) == link->rate &&
         override.select_tier.value_or(link->tier) == link->tier;
}

DeviceSettings settings_of_port(const Scenario& scenario, const std::string& port,
                                const std::optional<PortLink>& link) {
  DeviceSettings settings = scenario.devices;
  for (const auto& override : scenario.overrides) {
    if (selects(override.select, port) && selects_link(override, link)) {
      apply_override(override, settings);
    }
  }
  return settings;
}

}  // namespace weft::study::scenario
