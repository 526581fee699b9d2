#include "study/devices/lint_cables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "study/devices/ipv4_prefix.h"
#include "study/devices/lint_session_ends.h"

namespace weft::study::devices {
namespace {

const DeviceConfig* switch_named(const std::vector<DeviceConfig>& devices, const std::string& name) {
  const auto found = std::ranges::find_if(
      devices, [&name](const DeviceConfig& one) { return one.name == name && is_switch(one.syntax); });
  return found == devices.end() ? nullptr : &*found;
}

const PortSetting* port_named(const DeviceConfig& device, const std::string& name) {
  const auto found = std::ranges::find(device.bridge.ports, name, &PortSetting::name);
  return found == device.bridge.ports.end() ? nullptr : &*found;
}

/// "Ethernet#/#" of "Ethernet12/1": aliases have another form than names.
std::string form_of(std::string_view name) {
  std::string made;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit || made.empty() || made.back() != '#') {
      made += is_digit ? '#' : c;
    }
  }
  return made;
}

std::string gigabits(std::uint64_t mbps) { return fmt::format("{:g} Gb/s", static_cast<double>(mbps) / 1'000); }

class CableLint {
 public:
  CableLint(const std::vector<DeviceConfig>& devices, std::vector<Finding>& findings)
      : devices_(devices), findings_(findings) {}

  void all() {
    for (const DeviceConfig& device : devices_) {
      if (!is_switch(device.syntax)) {
        continue;
      }
      for (const PortSetting& port : device.bridge.ports) {
        if (const DeviceConfig* peer = switch_named(devices_, port.peer); peer != nullptr && peer != &device) {
          of_port({.device = device, .port = port}, *peer);
        }
      }
      router_identifier(device);
    }
    for (const DeviceConfig& device : devices_) {
      if (is_switch(device.syntax)) {
        neighbours(device);
      }
    }
    lint_session_ends(devices_, findings_);
  }

 private:
  struct End {
    const DeviceConfig& device;
    const PortSetting& port;
    [[nodiscard]] std::string text() const { return device.name + " " + port.name; }
  };

  void add(const End& own, const char* rule, const char* item, std::string what, std::string should,
           const char* no_cost) {
    findings_.push_back({.rule = rule,
                         .device = own.device.name,
                         .place = own.device.where(fmt::format("port.{}{}", own.port.number, item)),
                         .what = fmt::format("{}: {}", own.port.name, what),
                         .right = std::move(should),
                         .no_cost = no_cost});
  }

  void of_port(const End& own, const DeviceConfig& peer) {
    const PortSetting* far = port_named(peer, own.port.peer_port);
    if (far == nullptr || !leads_back(*far, own)) {
      contradicts(own, peer, far);
    } else if (own.device.name < peer.name || !names(*far, own)) {  // once for both ends
      compare(own, {.device = peer, .port = *far});
    }
  }

  static bool names(const PortSetting& far, const End& own) {
    return far.peer == own.device.name && far.peer_port == own.port.name;
  }

  /// As far as the other end says anything: names in its own device's form alone can be compared.
  static bool leads_back(const PortSetting& far, const End& own) {
    const bool same_port =
        far.peer_port.empty() || far.peer_port == own.port.name || form_of(far.peer_port) != form_of(own.port.name);
    return far.peer.empty() || (far.peer == own.device.name && same_port);
  }

  void contradicts(const End& own, const DeviceConfig& peer, const PortSetting* far) {
    const bool is_name = std::ranges::any_of(
        peer.bridge.ports, [&](const PortSetting& one) { return form_of(one.name) == form_of(own.port.peer_port); });
    const std::pair here{own.device.name, own.port.name};
    const std::pair there{peer.name, own.port.peer_port};
    if ((far == nullptr && (!is_name || own.device.syntax != peer.syntax)) || contradicted_.contains(here) ||
        contradicted_.contains(there)) {
      return;
    }
    contradicted_.insert(here);
    contradicted_.insert(there);
    const auto claims =
        std::ranges::find_if(peer.bridge.ports, [&](const PortSetting& one) { return names(one, own); });
    std::string should = fmt::format("the same cable at both ends: {}", peer.name);
    if (far == nullptr) {
      should += fmt::format(" has no port {}", own.port.peer_port);
    } else {
      should += fmt::format(" {} leads to {} {}", far->name, far->peer, far->peer_port);
    }
    should +=
        claims == peer.bridge.ports.end() ? "" : fmt::format(", and its {} says that it leads here", claims->name);
    add(own, "cable", ".peer", fmt::format("leads to {} {}", peer.name, own.port.peer_port), std::move(should),
        "which cable is meant is not known");
  }

  void compare(const End& own, const End& far) {
    if (own.port.speed > 0 && far.port.speed > 0 && own.port.speed != far.port.speed) {
      add(own, "speed", "", gigabits(own.port.speed),
          fmt::format("the speed of its other end: {} has {}", far.text(), gigabits(far.port.speed)),
          "a link whose ends differ does not come up");
    }
    if (own.port.metres && far.port.metres && *own.port.metres != *far.port.metres) {
      add(own, "cable-length", ".metres", fmt::format("a cable of {} m", *own.port.metres),
          fmt::format("the length that its other end has: {} has {} m", far.text(), *far.port.metres),
          "devices compute headroom from it");
    }
    if (own.device.syntax == far.device.syntax) {  // one may have no line for what another has
      lengths_and_headroom(own, far);
      lengths_and_headroom(far, own);
    }
    addresses(own, far);
  }

  /// What this end lacks of what the other has for the same cable.
  void lengths_and_headroom(const End& own, const End& far) {
    if (!own.port.metres && far.port.metres) {
      add(own, "cable-length", ".metres", "no length of the cable is given",
          fmt::format("the length that its other end has: {} has {} m", far.text(), *far.port.metres),
          "devices compute headroom from it");
    }
    const bool same_cable = own.port.speed == far.port.speed && own.port.mtu == far.port.mtu &&
                            own.port.metres.value_or(far.port.metres.value_or(0)) == far.port.metres.value_or(0);
    for (std::size_t i = 0; same_cable && i < kClasses; ++i) {
      const ClassSetting& here = own.port.classes[i];
      const ClassSetting& there = far.port.classes[i];
      const bool both = here.pfc && there.pfc && here.buffer && there.buffer;
      if (!both || !here.buffer->headroom || *here.buffer->headroom >= there.buffer->headroom.value_or(0)) {
        continue;  // none at all is found without the other end
      }
      findings_.push_back(
          {.rule = "headroom-short",
           .device = own.device.name,
           .place = own.device.where(item_of(own.port, i, "headroom")),
           .what = fmt::format("{}: class {}: headroom of {} B", own.port.name, i, *here.buffer->headroom),
           .right = fmt::format("{} B, as the other end of the cable has: {}; less is right for a device that answers "
                                "pauses faster",
                                *there.buffer->headroom, far.text()),
           .no_cost = "what the device itself needs is known with a plan alone"});
    }
  }

  void addresses(const End& own, const End& far) {
    if (own.port.address.empty() != far.port.address.empty()) {
      const End& lacking = own.port.address.empty() ? own : far;
      const End& other = own.port.address.empty() ? far : own;
      add(lacking, "address", ".address", "no address",
          fmt::format("one in the subnet of its other end: {} has {}", other.text(), other.port.address),
          "sessions over addresses that do not match do not come up; a scenario has no addresses");
      return;
    }
    const auto address = ipv4_prefix(own.port.address);
    const auto other = ipv4_prefix(far.port.address);
    if (!address || !other) {
      return;
    }
    if (address->bits != other->bits || !address->holds(*other)) {
      add(own, "address", ".address", "address " + own.port.address,
          fmt::format("one subnet at both ends: {} has {}", far.text(), far.port.address),
          "sessions over addresses that do not match do not come up; a scenario has no addresses");
      apart_.insert({own.device.name, far.device.name});
      apart_.insert({far.device.name, own.device.name});
    } else if (address->address == other->address) {
      add(own, "address", ".address", "address " + own.port.address,
          fmt::format("one of its own: {} has it too", far.text()),
          "sessions over addresses that do not match do not come up; a scenario has no addresses");
    }
  }

  /// Of a neighbour that a cable leads to. One that is reached over a loopback, or by several hops, has another
  /// address.
  void neighbours(const DeviceConfig& device) {
    for (const NeighbourSetting& one : device.bridge.neighbours) {
      const auto address = ipv4_prefix(one.address);
      const DeviceConfig* peer = switch_named(devices_, one.name);
      const bool is_loopback = peer == nullptr ? one.ttl_hops.value_or(1) > 1 : peer->bridge.router_id == one.address;
      if (!address || is_loopback || apart_.contains({device.name, one.name})) {
        continue;
      }
      const PortSetting* to_it = nullptr;
      bool is_known = true;
      for (const PortSetting& port : device.bridge.ports) {
        if (port.peer == one.name) {
          const auto own = ipv4_prefix(port.address);
          to_it = &port;
          is_known = is_known && own && !own->holds(*address);
        }
      }
      if (to_it != nullptr && is_known) {
        findings_.push_back(
            {.rule = "neighbour",
             .device = device.name,
             .place = device.where("bgp." + one.address),
             .what = fmt::format("{}, called {}, is in the subnet of no port that leads there", one.address, one.name),
             .right = fmt::format("the other address of {}, {}", to_it->name, to_it->address),
             .no_cost = "sessions over addresses that do not match do not come up"});
      }
    }
  }

  void router_identifier(const DeviceConfig& device) {
    if (device.bridge.as_number == 0 || device.bridge.router_id.empty()) {
      return;
    }
    const auto [first, is_new] = routers_.try_emplace(device.bridge.router_id, &device);
    if (!is_new) {
      findings_.push_back(
          {.rule = "router-id",
           .device = device.name,
           .place = device.where("as"),
           .what = "router identifier " + device.bridge.router_id,
           .right = fmt::format("one of its own: {} has it too ({})", first->second->name, first->second->where("as")),
           .no_cost = "routers with one identifier have no session with each other, and take each "
                      "other's routes for their own"});
    }
  }

  const std::vector<DeviceConfig>& devices_;
  std::vector<Finding>& findings_;
  std::set<std::pair<std::string, std::string>> contradicted_;  // device and port
  std::set<std::pair<std::string, std::string>> apart_;         // devices whose addresses do not match
  std::map<std::string, const DeviceConfig*> routers_;          // by identifier
};

}  // namespace

void lint_cables(const std::vector<DeviceConfig>& devices, std::vector<Finding>& findings) {
  CableLint(devices, findings).all();
}

}  // namespace weft::study::devices
