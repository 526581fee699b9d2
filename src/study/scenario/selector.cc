#include "study/scenario/selector.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/nearest_word.h"
#include "study/scenario/given.h"

namespace weft::study::scenario {
namespace {

// Whether `pattern` matches all of `name`; linear but for the last '*', to which it goes back.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && (pattern[p] == name[n] || (pattern[p] == '?' && name[n] != '/'))) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos && name[star_name] != '/') {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  return std::ranges::all_of(pattern.substr(p), [](char c) { return c == '*'; });
}

bool any_selected(std::string_view selector, std::span<const std::string> names) {
  return std::ranges::any_of(names, [&](const std::string& name) { return selects(selector, name); });
}

tl::unexpected<Error> nothing_selected(std::string_view place, std::string_view selector,
                                       std::span<const std::string> names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto nearest = nearest_word(selector, views);
  const auto first = names.empty() ? std::string() : names.front();
  const auto last = names.empty() ? std::string() : names.back();
  return fail("{}: selector '{}' matches nothing{}; the topology has {} to {}", place, selector,
              nearest ? fmt::format("; did you mean '{}'?", *nearest) : "", first, last);
}

bool has_device_key(const DeviceOverride& override) {
  return std::ranges::any_of(override.assignments, [](const Assignment& assignment) {
    const auto at = find_path(assignment.path);
    return at && at->key->scope == Scope::kDevice;
  });
}

std::string place_of(const Scenario& scenario, const std::string& path) {
  const auto found = scenario.sources.find(path);
  return found == scenario.sources.end() ? scenario.file : found->second.text;
}

Result<void> check_overrides(const Scenario& scenario, const TopologyNames& names) {
  for (const auto& override : scenario.overrides) {
    const auto selects_it = [&](const std::string& device) { return selects_device(override.select, device); };
    const bool device = std::ranges::any_of(names.devices, selects_it);
    if (!device && !any_selected(override.select, names.ports)) {
      return nothing_selected(override.place, override.select, names.devices);
    }
    if (!device && has_device_key(override)) {
      return fail("{}: selector '{}' selects ports, but some of its keys apply to whole devices", override.place,
                  override.select);
    }
  }
  return {};
}

// Participants that a job does not name are hosts or their NICs; those of scale-up links are found with their domains.
Result<void> check_participants(const Scenario& scenario, const TopologyNames& names) {
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    const auto& traffic = scenario.traffic[i];
    if (!traffic.job.empty() || traffic.over == TrafficRoute::kScaleUp) {
      continue;
    }
    for (const auto* list : {&traffic.sources, &traffic.destinations}) {
      const auto* key = list == &traffic.sources ? "sources" : "destinations";
      for (const auto& selector : *list) {
        if (!any_selected(selector, names.hosts) && !any_selected(selector, names.devices)) {
          return nothing_selected(place_of(scenario, fmt::format("traffic[{}].{}", i, key)), selector, names.hosts);
        }
      }
    }
  }
  return {};
}

}  // namespace

bool selects(std::string_view selector, std::string_view name) {
  for (auto end = name.size();; end = name.rfind('/', end - 1)) {
    if (end == std::string_view::npos) {
      return false;
    }
    if (matches(selector, name.substr(0, end))) {
      return true;
    }
    if (end == 0) {
      return false;
    }
  }
}

bool selects_device(std::string_view selector, std::string_view device) {
  return selects(selector, device) ||
         (selector.ends_with("/*") && selects(selector.substr(0, selector.size() - 2), device));
}

Result<void> check_selectors(const Scenario& scenario, const TopologyNames& names) {
  if (auto checked = check_overrides(scenario, names); !checked) {
    return checked;
  }
  for (std::size_t i = 0; i < scenario.events.size(); ++i) {
    const auto& select = scenario.events[i].select;
    if (!any_selected(select, names.devices) && !any_selected(select, names.ports)) {
      return nothing_selected(place_of(scenario, fmt::format("event[{}].select", i)), select, names.devices);
    }
  }
  for (std::size_t i = 0; i < scenario.failures.size(); ++i) {
    // GPUs are known where jobs are.
    const FailureSettings& failure = scenario.failures[i];
    if (failure.select.empty() || failure.kind == FailureKind::kGpuSlow) {
      continue;
    }
    if (!any_selected(failure.select, names.devices) && !any_selected(failure.select, names.ports)) {
      return nothing_selected(place_of(scenario, fmt::format("failure[{}].select", i)), failure.select, names.devices);
    }
  }
  return check_participants(scenario, names);
}

}  // namespace weft::study::scenario
