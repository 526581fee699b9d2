#include "study/devices/lint_native.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "study/devices/lint_mistakes.h"

namespace weft::study::devices {
namespace {

/// "port.3.class.2.mark.red" in its parts.
struct NativeItem {
  std::optional<std::uint64_t> port{};
  std::string rest{};   // "class.2.mark.red"
  std::string group{};  // "class.2.mark"; empty: none
  std::string label{};  // "class 2: red"
};

NativeItem parts_of(const std::string& key) {
  NativeItem made{.rest = key};
  constexpr std::string_view kPort = "port.";
  if (key.starts_with(kPort)) {
    const std::size_t dot = key.find('.', kPort.size());
    made.port = std::stoull(key.substr(kPort.size(), dot - kPort.size()));
    made.rest = key.substr(dot + 1);
  }
  const std::size_t last = made.rest.rfind('.');
  made.group = last == std::string::npos ? "" : made.rest.substr(0, last);
  made.label = last == std::string::npos ? made.rest : made.rest.substr(last + 1);
  constexpr std::string_view kClass = "class.";
  if (made.rest.starts_with(kClass)) {
    made.label = fmt::format("class {}: {}", made.rest.substr(kClass.size(), 1), made.label);
  }
  return made;
}

bool is_port_state(const NativeItem& item) {
  return item.rest == "admin_status" || item.rest == "shutdown" || item.rest == "link state";
}

const char* rule_of(const NativeItem& item) {
  struct Row {
    std::string_view part;
    const char* rule;
  };
  static constexpr std::array kRules = {
      Row{"mark", "wred-differs"},     Row{"ecn", "wred-differs"},          Row{"weight", "scheduler"},
      Row{"buffer", "buffer-differs"}, Row{"pool", "pool-differs"},         Row{"map", "priority-map"},
      Row{"trust", "trust"},           Row{"pause", "nic-pause"},           Row{"dcqcn", "nic-dcqcn"},
      Row{"data_dscp", "nic-dscp"},    Row{"watchdog", "watchdog-differs"}, Row{"pfc", "pfc-setting"},
      Row{"bgp", "bgp-setting"},       Row{"loopback", "address"},          Row{"commands", "nic-commands"},
  };
  if (is_port_state(item)) {
    return "port-down";
  }
  const auto row =
      std::ranges::find_if(kRules, [&](const Row& each) { return item.rest.find(each.part) != std::string::npos; });
  return row == kRules.end() ? "port-setting" : row->rule;
}

/// Of every port of one speed, or of every device.
struct UsualOf {
  Syntax syntax = Syntax::kSonic;
  std::optional<std::uint64_t> speed{};  // Mb/s; none: not of ports
  std::string rest{};
  friend auto operator<=>(const UsualOf&, const UsualOf&) = default;
};
/// The value that occurs most often; empty: not given.
using Usual = std::map<UsualOf, std::string>;

std::optional<std::uint64_t> speed_at(const DeviceConfig& device, const NativeItem& item) {
  const auto port = std::ranges::find(device.bridge.ports, item.port.value_or(0), &PortSetting::number);
  return item.port && port != device.bridge.ports.end() ? std::optional(port->speed) : std::nullopt;
}

Usual usual_of(const std::vector<DeviceConfig>& devices) {
  std::map<UsualOf, std::map<std::string, std::size_t>> counts;
  std::map<std::pair<Syntax, std::optional<std::uint64_t>>, std::size_t> sizes;
  for (const DeviceConfig& device : devices) {
    ++sizes[{device.syntax, std::nullopt}];
    for (const PortSetting& port : device.bridge.ports) {
      ++sizes[{device.syntax, port.speed}];
    }
    for (const auto& [key, setting] : device.native) {
      const NativeItem item = parts_of(key);
      ++counts[{.syntax = device.syntax, .speed = speed_at(device, item), .rest = item.rest}][setting.value];
    }
  }
  Usual made;
  for (const auto& [key, values] : counts) {
    std::size_t given = 0;
    for (const auto& [value, times] : values) {
      given += times;
    }
    const auto most = std::ranges::max_element(values, {}, [](const auto& one) { return one.second; });
    made[key] = 2 * given >= sizes[{key.syntax, key.speed}] ? most->first : "";
  }
  return made;
}

/// Of each device its own: no majority says anything about them.
bool is_individual(const std::string& rest) {
  return rest == "loopback.address" || rest == "bgp.bgp_asn" || rest == "INTERFACE" || rest == "switchport" ||
         rest == "commands";
}

class NativeLint {
 public:
  NativeLint(const DeviceConfig& device, const Reference& reference, const Usual& usual, std::vector<Finding>& findings)
      : device_(device), reference_(reference), usual_(usual), findings_(findings) {}

  void all() {
    for (const auto& [key, wanted] : wanted_settings()) {
      const auto own = device_.native.find(key);
      const std::string found = own == device_.native.end() ? "" : own->second.value;
      const bool of_none = key == "commands" && found.empty();  // what they set is missed then, one by one
      const bool extra_of_class = wanted.empty() && parts_of(key).rest.starts_with("class.");  // its feature is extra
      if (found != wanted && !of_none && !extra_of_class && !is_off(key)) {
        add(key, found, wanted);
      }
    }
    for (AtPorts& one : at_ports_) {
      if (!one.ports.empty()) {
        const std::size_t more = one.ports.size() - 1;
        one.finding.what = fmt::format("{}{}: {}", port_name(one.ports.front()),
                                       more > 0 ? fmt::format(" and {} more", more) : "", one.finding.what);
      }
      if (reference_.has_plan() && one.is_down) {
        one.finding.mistake = [name = device_.name, ports = one.ports](scenario::Scenario& made) {
          for (const std::uint64_t port : ports) {
            link_down(name, port)(made);
          }
        };
      } else {
        one.finding.no_cost = "a scenario has no such setting";
      }
      findings_.push_back(std::move(one.finding));
    }
  }

 private:
  struct AtPorts {
    Finding finding{};
    std::vector<std::uint64_t> ports{};
    bool is_down = false;
  };

  /// By item what it should be; empty: not given.
  [[nodiscard]] std::map<std::string, std::string> wanted_settings() const {
    std::map<std::string, std::string> made;
    if (const DeviceConfig* right = reference_.device(device_)) {
      for (const auto& [key, setting] : right->native) {
        if (const NativeItem item = parts_of(key); !item.port || has_port(*item.port)) {
          made[key] = setting.value;
        }
      }
    } else {
      for (const auto& [key, value] : usual_) {
        add_usual(key, value, made);
      }
    }
    for (const auto& [key, setting] : device_.native) {
      const NativeItem item = parts_of(key);
      const bool compared = reference_.has_plan() ? !item.port || planned_port(*item.port) : !is_individual(item.rest);
      if (compared) {
        made.try_emplace(key, "");
      }
    }
    return made;
  }

  void add_usual(const UsualOf& key, const std::string& value, std::map<std::string, std::string>& made) const {
    const std::string& rest = key.rest;
    if (key.syntax != device_.syntax || is_individual(rest)) {
      return;
    }
    if (!key.speed) {
      made[rest] = value;
      return;
    }
    for (const PortSetting& port : device_.bridge.ports) {
      if (port.speed != *key.speed) {
        continue;
      }
      // A port that is down and leads somewhere is so by mistake, even if most are.
      const bool is_down_state = is_port_state({.rest = rest}) && !port.peer.empty();
      made[fmt::format("port.{}.{}", port.number, rest)] = !is_down_state                   ? value
                                                           : device_.syntax == Syntax::kEos ? "no"
                                                                                            : "up";
    }
  }

  [[nodiscard]] bool has_port(std::uint64_t number) const {
    return std::ranges::find(device_.bridge.ports, number, &PortSetting::number) != device_.bridge.ports.end();
  }
  [[nodiscard]] bool planned_port(std::uint64_t number) const {
    const DeviceConfig* right = reference_.device(device_);
    return right != nullptr &&
           std::ranges::find(right->bridge.ports, number, &PortSetting::number) != right->bridge.ports.end();
  }
  [[nodiscard]] std::string port_name(std::uint64_t number) const {
    const auto port = std::ranges::find(device_.bridge.ports, number, &PortSetting::number);
    return port == device_.bridge.ports.end() ? fmt::format("port {}", number) : port->name;
  }

  /// Nothing of the item's group is given: marks, buffers, DCQCN or BGP as a whole are off, which is another finding.
  [[nodiscard]] bool is_off(const std::string& key) const {
    const NativeItem item = parts_of(key);
    if (item.group.empty() || (item.rest.starts_with("class.") && std::ranges::count(item.group, '.') == 1)) {
      return false;
    }
    const bool of_class = item.rest.starts_with("class.");
    const bool whole = of_class || (item.rest.starts_with("bgp.") && device_.bridge.as_number == 0) ||
                       (item.rest.starts_with("dcqcn.") && device_.nic.congestion.empty()) ||
                       (item.rest.starts_with("pool.") && !device_.bridge.pool);
    if (!whole) {
      return false;
    }
    const std::string stem = key.substr(0, key.rfind('.') + 1);
    const auto first = device_.native.lower_bound(stem);
    return first == device_.native.end() || !first->first.starts_with(stem);
  }

  void add(const std::string& key, const std::string& found, const std::string& wanted) {
    const NativeItem item = parts_of(key);
    const std::string label = item.label.ends_with("_map") ? "classes of " + item.label : item.label;
    const auto own = device_.native.find(key);
    Finding finding{.rule = rule_of(item), .device = device_.name};
    finding.place = own != device_.native.end() ? own->second.place
                    : item.port                 ? device_.where(fmt::format("port.{}", *item.port))
                                                : device_.where("");
    finding.what = found.empty()      ? fmt::format("{} is not given", item.label)
                   : found == "given" ? fmt::format("{} is given", item.label)
                                      : fmt::format("{}: {}", label, found);
    finding.right = fmt::format("{}, {}",
                                wanted.empty()      ? std::string("nothing of the kind")
                                : wanted == "given" ? std::string("a line that says it")
                                                    : wanted,
                                reference_.has_it());
    const auto same = std::ranges::find_if(at_ports_, [&](const AtPorts& one) {
      return item.port && !one.ports.empty() && one.finding.rule == finding.rule && one.finding.what == finding.what &&
             one.finding.right == finding.right;
    });
    if (same != at_ports_.end()) {
      same->ports.push_back(*item.port);
      return;
    }
    at_ports_.push_back({.finding = std::move(finding), .ports = {}, .is_down = is_port_state(item)});
    if (item.port) {
      at_ports_.back().ports.push_back(*item.port);
    }
  }

  const DeviceConfig& device_;
  const Reference& reference_;
  const Usual& usual_;
  std::vector<Finding>& findings_;
  std::vector<AtPorts> at_ports_;
};

}  // namespace

void lint_native(const std::vector<DeviceConfig>& devices, const Reference& reference, std::vector<Finding>& findings) {
  const Usual usual = reference.has_plan() ? Usual{} : usual_of(devices);
  for (const DeviceConfig& device : devices) {
    if (!is_manager(device.syntax) && !(reference.has_plan() && reference.device(device) == nullptr)) {
      NativeLint(device, reference, usual, findings).all();
    }
  }
}

}  // namespace weft::study::devices
