#include "study/devices/lint_interfaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "study/devices/lint_mistakes.h"
#include "study/devices/nic_commands.h"
#include "study/devices/reference.h"

namespace weft::study::devices {
namespace {

/// What its lines should be for.
struct OwnInterface {
  std::string name;
  std::string why;  // " as the plan has it"
};

OwnInterface own_interface(const DeviceConfig& device, const DeviceConfig* right, bool rdma) {
  const std::string& most = rdma ? device.nic.rdma : device.nic.interface;
  if (right != nullptr && (most.empty() || is_planned_interface(most))) {
    return {.name = rdma ? right->nic.rdma : right->nic.interface, .why = "as the plan has it"};
  }
  return {.name = most, .why = "as most lines have it"};
}

void interfaces_of_nic(const DeviceConfig& device, const DeviceConfig* right, bool rdma,
                       std::vector<Finding>& findings) {
  const OwnInterface own = own_interface(device, right, rdma);
  std::map<std::string, std::vector<const InterfaceLine*>> others;
  std::size_t all = 0;
  for (const InterfaceLine& line : device.interfaces) {
    if (line.rdma == rdma) {
      ++all;
      if (line.name != own.name) {
        others[line.name].push_back(&line);
      }
    }
  }
  for (const auto& [name, lines] : others) {
    Finding finding{.rule = "nic-interface", .device = device.name, .place = lines.front()->place};
    finding.what = lines.size() == all ? fmt::format("all {} lines of the kind are for {}", all, name)
                   : lines.size() == 1 ? fmt::format("a line for {}", name)
                                       : fmt::format("this and {} more lines are for {}", lines.size() - 1, name);
    finding.right =
        fmt::format("{}, {}; {}", own.name, own.why,
                    lines.size() == all ? "it has no line" : "it lacks what the line sets, and the other has it");
    finding.no_cost = "what the other interface is for is not known";
    findings.push_back(std::move(finding));
  }
}

/// "host3" of "host3/nic0".
std::string_view host_name_of(const DeviceConfig& device) {
  return std::string_view(device.name).substr(0, device.name.find('/'));
}

void shared_interfaces(const std::vector<DeviceConfig>& devices, std::vector<Finding>& findings) {
  std::map<std::pair<std::string_view, std::string_view>, const DeviceConfig*> first;
  for (const DeviceConfig& device : devices) {
    if (device.syntax != Syntax::kNic || device.name.find('/') == std::string::npos) {
      continue;
    }
    for (const bool rdma : {false, true}) {
      const std::string& name = rdma ? device.nic.rdma : device.nic.interface;
      const auto [known, added] = first.emplace(std::pair(host_name_of(device), std::string_view(name)), &device);
      if (!added && !name.empty()) {
        const auto line = std::ranges::find(device.interfaces, name, &InterfaceLine::name);
        findings.push_back({.rule = "nic-interface",
                            .device = device.name,
                            .place = line->place,
                            .what = fmt::format("{} is configured here too", name),
                            .right = fmt::format("another: {} has it ({})", known->second->name, known->second->file),
                            .no_cost = "which of the two is meant is not known"});
      }
    }
  }
}

/// "2" of "Ethernet1/2", "0" of "swp1s0"; empty: the name has none.
std::string_view lane_of(Syntax syntax, std::string_view name) {
  const std::size_t at = syntax == Syntax::kNvue ? name.find('s', std::string_view("swp").size()) : name.rfind('/');
  return syntax == Syntax::kSonic || at == std::string_view::npos ? "" : name.substr(at + 1);
}

void lanes(const DeviceConfig& device, const DeviceConfig& right, std::vector<Finding>& findings) {
  for (const PortSetting& port : device.bridge.ports) {
    const auto wanted = std::ranges::find(right.bridge.ports, port.number, &PortSetting::number);
    const std::string_view lane = lane_of(device.syntax, port.name);
    if (wanted == right.bridge.ports.end() || lane.empty() || lane == lane_of(device.syntax, wanted->name)) {
      continue;
    }
    findings.push_back(
        {.rule = "port-lane",
         .device = device.name,
         .place = device.where("name." + port.name),
         .what = fmt::format("{} is another lane of the port", port.name),
         .right = fmt::format("{}, as the plan has it: its cable leads to {}", wanted->name, wanted->peer),
         .mistake = link_down(device.name, port.number)});
  }
}

}  // namespace

void lint_interfaces(const std::vector<DeviceConfig>& devices, const Reference& reference,
                     std::vector<Finding>& findings) {
  for (const DeviceConfig& device : devices) {
    const DeviceConfig* right = reference.device(device);
    if (device.syntax == Syntax::kNic) {
      interfaces_of_nic(device, right, false, findings);
      interfaces_of_nic(device, right, true, findings);
    } else if (is_switch(device.syntax)) {
      for (const InterfaceLine& line : device.interfaces) {
        findings.push_back({.rule = "port-twice",
                            .device = device.name,
                            .place = line.place,
                            .what = fmt::format("{} stands a second time here", line.name),
                            .right = "once: the first is at " + device.where("name." + line.name),
                            .no_cost = "which port is meant is not known"});
      }
      if (right != nullptr) {
        lanes(device, *right, findings);
      }
    }
  }
  if (!reference.has_plan()) {
    shared_interfaces(devices, findings);
  }
}

}  // namespace weft::study::devices
