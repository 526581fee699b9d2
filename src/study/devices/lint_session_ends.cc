#include "study/devices/lint_session_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "study/devices/ipv4_prefix.h"

namespace weft::study::devices {
namespace {

/// What several sessions of a device lack alike.
struct LackingEnd {
  const DeviceConfig* device = nullptr;
  const char* rule = "";
  std::string what;  // behind the neighbour's address
  std::string right;
  std::string place;
  std::string first;  // the neighbour
  std::size_t more = 0;
};

class SessionEndLint {
 public:
  SessionEndLint(const std::vector<DeviceConfig>& devices, std::vector<Finding>& findings)
      : devices_(devices), findings_(findings) {}

  void all() {
    for (const DeviceConfig& device : devices_) {
      if (!is_switch(device.syntax)) {
        continue;
      }
      for (const NeighbourSetting& one : device.bridge.neighbours) {
        of_session(device, one);
      }
    }
    for (LackingEnd& one : lacking_) {
      const std::string more = one.more > 0 ? fmt::format(" and {} more", one.more) : "";
      findings_.push_back({.rule = one.rule,
                           .device = one.device->name,
                           .place = std::move(one.place),
                           .what = fmt::format(fmt::runtime(one.what), one.first + more),
                           .right = std::move(one.right),
                           .no_cost = "which cable the session is for is known with a plan alone"});
    }
  }

 private:
  /// The other end: a device of these, and the address that its neighbour should have.
  struct FarEnd {
    const DeviceConfig* device = nullptr;
    std::string address;
  };

  [[nodiscard]] const DeviceConfig* switch_of(const std::string& name) const {
    const auto found = std::ranges::find_if(
        devices_, [&name](const DeviceConfig& one) { return one.name == name && is_switch(one.syntax); });
    return found == devices_.end() ? nullptr : &*found;
  }

  [[nodiscard]] FarEnd far_end(const DeviceConfig& own, const NeighbourSetting& session) const {
    const auto address = ipv4_prefix(session.address);
    if (!address) {
      return {};
    }
    for (const PortSetting& port : own.bridge.ports) {
      const auto subnet = ipv4_prefix(port.address);
      if (subnet && subnet->bits < 32 && subnet->holds(*address) && subnet->address != address->address) {
        return {.device = switch_of(port.peer.empty() ? session.name : port.peer),
                .address = port.address.substr(0, port.address.find('/'))};
      }
    }
    const DeviceConfig* peer = switch_of(session.name);
    const bool is_loopback =
        peer != nullptr && !own.bridge.router_id.empty() && peer->bridge.router_id == session.address;
    return is_loopback ? FarEnd{.device = peer, .address = own.bridge.router_id} : FarEnd{};
  }

  /// Lines of a device that make neighbours, or set them, under another name than their own.
  static bool has_groups(const DeviceConfig& device) {
    const auto speaks_of_groups = [](const UnreadLine& line) {
      const std::string text = line.place + " " + line.text;
      return std::ranges::any_of(
          std::array<std::string_view, 5>{"peer-group", "peer group", "PEER_GROUP", "PEER_RANGE", "listen range"},
          [&](std::string_view word) { return text.find(word) != std::string::npos; });
    };
    return std::ranges::any_of(device.unread, speaks_of_groups) ||
           std::ranges::any_of(device.bridge.neighbours,
                               [](const NeighbourSetting& one) { return !ipv4_prefix(one.address); });
  }

  /// As far as neighbours have names.
  static std::ptrdiff_t sessions_with(const DeviceConfig& own, const DeviceConfig& peer) {
    return std::ranges::count(own.bridge.neighbours, peer.name, &NeighbourSetting::name);
  }

  void of_session(const DeviceConfig& own, const NeighbourSetting& session) {
    const FarEnd end = far_end(own, session);
    if (end.device == nullptr || end.device == &own || has_groups(*end.device)) {
      return;
    }
    const auto far = std::ranges::find(end.device->bridge.neighbours, end.address, &NeighbourSetting::address);
    if (far == end.device->bridge.neighbours.end()) {
      const std::ptrdiff_t theirs = sessions_with(*end.device, own);
      if (theirs > 0 && theirs >= sessions_with(own, *end.device)) {
        return;  // none is lacking: one has another address, as over a loopback, or a wrong one, which is found there
      }
      gather({.device = end.device,
              .rule = "neighbour",
              .what = "no BGP neighbour {}",
              .right = fmt::format("one with AS {}, as {} has it at its end", own.bridge.as_number, own.name),
              .place = end.device->where("as"),
              .first = end.address});
    } else if (session.bfd && !far->bfd && !has_groups(own)) {
      gather({.device = end.device,
              .rule = "session",
              .what = "neighbour {}: BFD is off",
              .right = fmt::format("on, as {} has it at its end", own.name),
              .place = end.device->where("bgp." + far->address),
              .first = far->address});
    }
  }

  void gather(LackingEnd found) {
    const auto same = std::ranges::find_if(lacking_, [&](const LackingEnd& one) {
      return one.device == found.device && one.what == found.what && one.right == found.right;
    });
    if (same == lacking_.end()) {
      lacking_.push_back(std::move(found));
    } else {
      ++same->more;
    }
  }

  const std::vector<DeviceConfig>& devices_;
  std::vector<Finding>& findings_;
  std::vector<LackingEnd> lacking_;
};

}  // namespace

void lint_session_ends(const std::vector<DeviceConfig>& devices, std::vector<Finding>& findings) {
  SessionEndLint(devices, findings).all();
}

}  // namespace weft::study::devices
