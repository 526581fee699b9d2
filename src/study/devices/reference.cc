#include "study/devices/reference.h"

#include <algorithm>
#include <set>
#include <utility>

#include "study/devices/config_file.h"
#include "study/devices/describe.h"

namespace weft::study::devices {
namespace {

/// What occurs most often; of several, what occurs first.
template <class Value>
Value most_common(const std::vector<Value>& values) {
  const Value* best = &values.front();
  std::ptrdiff_t most = 0;
  for (const Value& value : values) {
    const auto times = std::ranges::count(values, value);
    if (times > most) {
      most = times;
      best = &value;
    }
  }
  return *best;
}

/// A scenario whose headroom is whatever its cables need.
scenario::Scenario with_needed_headroom(const scenario::Scenario& scenario) {
  scenario::Scenario made = scenario;
  for (scenario::PrioritySettings& own : made.devices.ethernet.priorities) {
    own.headroom.reset();
  }
  for (scenario::DeviceOverride& own : made.overrides) {
    std::vector<scenario::Assignment> kept;
    std::ranges::copy_if(own.assignments, std::back_inserter(kept),
                         [](const scenario::Assignment& one) { return !one.path.ends_with(".headroom"); });
    own.assignments = std::move(kept);
  }
  return made;
}

Result<Described> described(const LintPlan& plan, Syntax syntax) {
  if (is_switch(syntax)) {
    return describe_switches(plan.scenario, plan.graph, syntax);
  }
  return syntax == Syntax::kNic ? describe_nics(plan.scenario, plan.graph)
                                : describe_manager(plan.scenario, plan.graph);
}

/// The same as a reader of its syntax sees it.
Result<DeviceConfig> as_read(const DeviceConfig& device) {
  return read_config({.text = config_text(device), .name = "plan"});
}

}  // namespace

std::uint64_t class_at(const std::map<std::uint64_t, std::uint64_t>& map, std::uint64_t dscp) {
  const auto found = map.find(dscp);
  return found == map.end() ? 0 : found->second;
}

Result<Reference> Reference::of_plan(const LintPlan& plan, const std::vector<DeviceConfig>& devices) {
  Reference made;
  made.has_plan_ = true;
  std::set<Syntax> syntaxes;
  for (const DeviceConfig& device : devices) {
    syntaxes.insert(is_manager(device.syntax) ? Syntax::kOpensm : device.syntax);
  }
  std::map<std::string, Syntax> wanted;
  for (const DeviceConfig& device : devices) {
    wanted.emplace(device.name, device.syntax);
  }
  for (const Syntax syntax : syntaxes) {
    auto all = described(plan, syntax);
    if (!all) {
      return pass_on(all);
    }
    for (const DeviceConfig& device : all->devices) {
      const auto own = wanted.find(device.name);
      if (own == wanted.end() || own->second != device.syntax) {
        continue;
      }
      auto read = as_read(device);
      if (!read) {
        return pass_on(read);
      }
      made.devices_.emplace(device.name, std::move(*read));
    }
    if (is_switch(syntax)) {
      const scenario::Scenario needed = with_needed_headroom(plan.scenario);
      auto needs = described({.scenario = needed, .graph = plan.graph}, syntax);
      if (!needs) {
        return pass_on(needs);
      }
      for (DeviceConfig& device : needs->devices) {
        made.needs_.insert_or_assign(device.name, std::move(device));
      }
    }
  }
  return made;
}

Reference Reference::of_majority(const std::vector<DeviceConfig>& devices) {
  Reference made;
  std::vector<std::map<std::uint64_t, std::uint64_t>> maps;
  std::map<std::uint64_t, std::vector<const PortSetting*>> ports;
  for (const DeviceConfig& device : devices) {
    if (is_switch(device.syntax)) {
      maps.push_back(device.bridge.dscp_class);
      for (const PortSetting& port : device.bridge.ports) {
        ports[port.speed].push_back(&port);
      }
    }
  }
  if (!maps.empty()) {
    made.dscp_class_ = most_common(maps);
  }
  for (const auto& [speed, alike] : ports) {
    PortSetting& port = made.ports_[speed];
    std::vector<std::optional<std::uint64_t>> mtus;
    std::ranges::transform(alike, std::back_inserter(mtus), [](const PortSetting* one) { return one->mtu; });
    port.mtu = most_common(mtus);
    for (std::size_t i = 0; i < kClasses; ++i) {
      std::vector<bool> pfc;
      std::vector<std::optional<MarkSetting>> marks;
      std::vector<std::optional<std::uint64_t>> weights;
      for (const PortSetting* one : alike) {
        pfc.push_back(one->classes[i].pfc);
        marks.push_back(one->classes[i].mark);
        weights.push_back(one->classes[i].weight);
      }
      port.classes[i].pfc = 2 * std::ranges::count(pfc, true) >= static_cast<std::ptrdiff_t>(pfc.size());
      port.classes[i].mark = most_common(marks);
      port.classes[i].weight = most_common(weights);
    }
  }
  return made;
}

const DeviceConfig* Reference::device(const DeviceConfig& found) const {
  const auto own = devices_.find(found.name);
  return own == devices_.end() ? nullptr : &own->second;
}

const DeviceConfig* Reference::needs(const DeviceConfig& found) const {
  const auto own = needs_.find(found.name);
  return own == needs_.end() ? nullptr : &own->second;
}

const PortSetting* Reference::port(const DeviceConfig& found, const PortSetting& port) const {
  if (!has_plan_) {
    const auto own = ports_.find(port.speed);
    return own == ports_.end() ? nullptr : &own->second;
  }
  const DeviceConfig* own = device(found);
  if (own == nullptr) {
    return nullptr;
  }
  const auto at = std::ranges::find(own->bridge.ports, port.number, &PortSetting::number);
  return at == own->bridge.ports.end() ? nullptr : &*at;
}

const std::map<std::uint64_t, std::uint64_t>* Reference::dscp_class(const DeviceConfig& found) const {
  if (!has_plan_) {
    return &dscp_class_;
  }
  const DeviceConfig* own = device(found);
  return own == nullptr ? nullptr : is_switch(found.syntax) ? &own->bridge.dscp_class : &own->nic.dscp_class;
}

}  // namespace weft::study::devices
