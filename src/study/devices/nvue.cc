#include "study/devices/nvue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/printable.h"
#include "study/devices/command_line.h"

namespace weft::study::devices {
namespace {

using Marks = std::array<std::optional<MarkSetting>, kClasses>;
using Weights = std::array<std::optional<std::uint64_t>, kClasses>;

/// One for all lossless classes of a port.
struct PauseProfile {
  std::array<bool, kClasses> pfc{};
  std::optional<std::uint64_t> buffer{};
  std::optional<std::uint64_t> metres{};
  friend bool operator==(const PauseProfile&, const PauseProfile&) = default;
};

/// What a reader finds in a profile beside its members, by item, as "tx".
using NativeOfProfile = std::map<std::string, NativeSetting>;

PauseProfile pauses_of(const PortSetting& port) {
  PauseProfile made{.pfc = {}, .metres = port.metres};
  for (std::size_t i = 0; i < kClasses; ++i) {
    made.pfc[i] = port.classes[i].pfc;
    if (port.classes[i].buffer && port.classes[i].buffer->headroom) {
      made.buffer = std::max(made.buffer.value_or(0), *port.classes[i].buffer->headroom);
    }
  }
  return made;
}

Marks marks_of(const PortSetting& port) {
  Marks made;
  std::ranges::transform(port.classes, made.begin(), &ClassSetting::mark);
  return made;
}

Weights weights_of(const PortSetting& port) {
  Weights made;
  std::ranges::transform(port.classes, made.begin(), &ClassSetting::weight);
  return made;
}

template <class Profile>
std::string profile_name(std::vector<Profile>& known, const Profile& profile) {
  const auto found = std::ranges::find(known, profile);
  const auto index = found - known.begin();
  if (found == known.end()) {
    known.push_back(profile);
  }
  return fmt::format("weft-{}", index + 1);
}

class NvueWriter {
 public:
  explicit NvueWriter(const DeviceConfig& device) : device_(device) {}

  std::string text() {
    if (has_placeholder(device_.bridge)) {
      text_ += fmt::format("# {} is a placeholder: each session has a password of yours\n", kPasswordPlaceholder);
    }
    add("system hostname {}", device_.name);
    add("qos mapping default-global trust l3");
    for (const auto& [dscp, tc] : device_.bridge.dscp_class) {
      add("qos mapping default-global dscp {} switch-priority {}", dscp, tc);
    }
    for (std::size_t i = 0; i < kClasses; ++i) {
      add("qos egress-queue-mapping default-global switch-priority {} traffic-class {}", i, i);
    }
    for (const PortSetting& port : device_.bridge.ports) {
      interface(port);
    }
    profiles();
    routing();
    return std::move(text_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    text_ += "nv set ";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void interface(const PortSetting& port) {
    if (port.speed > 0) {
      add("interface {} link speed {}G", port.name, port.speed / 1000);
    }
    if (port.mtu) {
      add("interface {} link mtu {}", port.name, *port.mtu);
    }
    if (!port.peer.empty()) {
      add("interface {} description {},{}", port.name, port.peer, port.peer_port);
    }
    if (!port.address.empty()) {
      add("interface {} ip address {}", port.name, port.address);
    }
    add("interface {} qos pfc profile {}", port.name, profile_name(pauses_, pauses_of(port)));
    add("interface {} qos congestion-control profile {}", port.name, profile_name(marks_, marks_of(port)));
    add("interface {} qos egress-scheduler profile {}", port.name, profile_name(weights_, weights_of(port)));
  }

  void profiles() {
    for (std::size_t k = 0; k < pauses_.size(); ++k) {
      for (std::size_t i = 0; i < kClasses; ++i) {
        if (pauses_[k].pfc[i]) {
          add("qos pfc weft-{} switch-priority {}", k + 1, i);
        }
      }
      add("qos pfc weft-{} tx enable", k + 1);
      add("qos pfc weft-{} rx enable", k + 1);
      if (pauses_[k].buffer) {
        add("qos pfc weft-{} port-buffer {}", k + 1, *pauses_[k].buffer);
      }
      if (pauses_[k].metres) {
        add("qos pfc weft-{} cable-length {}", k + 1, *pauses_[k].metres);
      }
    }
    for (std::size_t k = 0; k < marks_.size(); ++k) {
      for (std::size_t i = 0; i < kClasses; ++i) {
        add("qos congestion-control weft-{} traffic-class {} ecn {}", k + 1, i, marks_[k][i] ? "enable" : "disable");
        if (const auto& mark = marks_[k][i]) {
          add("qos congestion-control weft-{} traffic-class {} red disable", k + 1, i);
          add("qos congestion-control weft-{} traffic-class {} min-threshold {}", k + 1, i, mark->kmin);
          add("qos congestion-control weft-{} traffic-class {} max-threshold {}", k + 1, i, mark->kmax);
          add("qos congestion-control weft-{} traffic-class {} probability {}", k + 1, i, mark->percent);
        }
      }
    }
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      for (std::size_t i = 0; i < kClasses; ++i) {
        if (const auto& weight = weights_[k][i]) {
          add("qos egress-scheduler weft-{} traffic-class {} mode {}", k + 1, i, *weight == 0 ? "strict" : "dwrr");
          if (*weight > 0) {
            add("qos egress-scheduler weft-{} traffic-class {} bw-percent {}", k + 1, i, *weight);
          }
        }
      }
    }
  }

  void routing() {
    const SwitchSetting& own = device_.bridge;
    if (own.as_number == 0) {
      return;
    }
    add("router bgp autonomous-system {}", own.as_number);
    add("router bgp router-id {}", own.router_id);
    add("interface lo ip address {}/32", own.router_id);
    add("vrf default router bgp address-family ipv4-unicast multipaths ebgp {}", own.paths);
    add("vrf default router bgp path-selection multipath aspath-ignore on");
    for (const NeighbourSetting& one : own.neighbours) {
      const std::string at = "vrf default router bgp neighbor " + one.address;
      add("{} remote-as {}", at, one.as_number);
      add("{} description {}", at, one.name);
      add("{} timers keepalive {}", at, one.keepalive);
      add("{} timers hold {}", at, one.hold);
      add("{} timers route-advertisement {}", at, one.mrai);
      add("{} bfd enable {}", at, one.bfd ? "on" : "off");
      protection(at, one);
    }
  }

  void protection(const std::string& at, const NeighbourSetting& one) {
    if (one.bfd) {
      add("{} bfd min-tx-interval {}", at, one.bfd_interval);
      add("{} bfd min-rx-interval {}", at, one.bfd_receive);
      add("{} bfd detect-multiplier {}", at, one.bfd_multiplier);
    }
    if (!one.password.empty()) {
      add("{} password {}", at, one.password);
    }
    if (one.ttl_hops) {
      add("{} ttl-security enable on", at);
      add("{} ttl-security hops {}", at, *one.ttl_hops);
    }
  }

  const DeviceConfig& device_;
  std::string text_;
  std::vector<PauseProfile> pauses_;
  std::vector<Marks> marks_;
  std::vector<Weights> weights_;
};

/// What ports name, until all profiles are read.
struct Named {
  std::string port{};
  std::string pauses{};
  std::string marks{};
  std::string weights{};
};

class NvueReader {
 public:
  explicit NvueReader(const ConfigText& source) : source_(source), read_(source) {}

  Result<DeviceConfig> read() {
    device_.syntax = Syntax::kNvue;
    device_.file = source_.name;
    for (const ConfigLine& line : lines_of(source_.text, "#")) {
      read_.begin(line);
      if (!read_.is({"nv"})) {
        read_.refuse(fmt::format("'{}' begins no command of NVUE; lines begin with 'nv set'", excerpt(line.words[0])));
      } else if (read_.is({"nv", "set"})) {
        command();
      } else if (read_.is({"nv", "config"})) {
        read_.take_rest();  // applies and saves what was set
      }
      read_.note_unread(device_);
      if (read_.fault()) {
        return tl::unexpected<Error>(*read_.fault());
      }
    }
    if (device_.name.empty()) {
      return fail("{}: there is no 'nv set system hostname NAME', which says which device this is", source_.name);
    }
    return finish();
  }

 private:
  void command() {
    if (read_.is({"system", "hostname"}, 2)) {
      device_.name = read_.word(4, "the name");
    } else if (read_.is({"interface"}, 2)) {
      interface();
    } else if (read_.is({"qos", "mapping", "*", "dscp", "*", "switch-priority"}, 2)) {
      const std::uint64_t dscp = read_.number(6, "DSCP", {.most = 63});
      device_.bridge.dscp_class[dscp] = read_.number(8, "switch-priority", {.most = 7});
      device_.places["dscp"] = read_.place();
    } else if (read_.is({"qos", "mapping", "default-global", "trust"}, 2)) {
      device_.native["trust"] = here(6);
    } else if (read_.is({"qos", "egress-queue-mapping", "*", "switch-priority", "*", "traffic-class"}, 2)) {
      const std::uint64_t priority = read_.number(6, "switch-priority", {.most = 7});
      device_.native[fmt::format("map.switch-priority {} traffic-class", priority)] = here(8);
    } else if (read_.is({"qos", "pfc"}, 2)) {
      pauses();
    } else if (read_.is({"qos", "congestion-control", "*", "traffic-class"}, 2)) {
      marks();
    } else if (read_.is({"qos", "egress-scheduler", "*", "traffic-class"}, 2)) {
      weights();
    } else if (read_.is({"router", "bgp", "autonomous-system"}, 2)) {
      device_.bridge.as_number = read_.number(5, "the AS number", {.least = 1, .most = UINT32_MAX});
      device_.places["as"] = read_.place();
    } else if (read_.is({"router", "bgp", "router-id"}, 2)) {
      device_.bridge.router_id = read_.word(5, "the identifier");
    } else if (read_.is({"vrf", "*", "router", "bgp"}, 2)) {
      routing();
    }
  }

  NativeSetting here(std::size_t index) {
    return {.value = std::string(read_.word(index, "a value")), .place = read_.place()};
  }

  void interface() {
    const std::string_view name = read_.word(3, "an interface");
    if (name == "lo" && read_.is({"ip", "address"}, 4)) {
      device_.native["loopback.address"] = here(6);
    }
    if (!name.starts_with("swp")) {
      return;
    }
    PortSetting& port = port_named(device_, name, read_.place());
    auto named = std::ranges::find(named_, port.name, &Named::port);
    if (named == named_.end()) {
      named_.push_back({.port = port.name});
      named = named_.end() - 1;
      native_.set(port.name, "link state", {.value = "up", .place = read_.place()});
    }
    if (read_.is({"link", "state"}, 4)) {
      native_.set(port.name, "link state", here(6));
    } else if (read_.is({"link", "mtu"}, 4)) {
      port.mtu = read_.number(6, "the MTU", {.least = 68, .most = 9'216});
      device_.places[fmt::format("mtu.{}", port.name)] = read_.place();
    } else if (read_.is({"link", "speed"}, 4)) {
      std::string_view speed = read_.word(6, "the speed");
      if (speed != "auto") {
        const bool giga = speed.ends_with('G');
        speed.remove_suffix(giga || speed.ends_with('M') ? 1 : 0);
        port.speed = read_.number_in(speed, "the speed", {.least = 1, .most = 1'600'000}) * (giga ? 1'000 : 1);
      }
    } else if (read_.is({"description"}, 4)) {
      const std::string_view said = read_.word(5, "the description");
      const std::size_t comma = said.find(',');
      if (comma != std::string_view::npos) {
        port.peer = said.substr(0, comma);
        port.peer_port = said.substr(comma + 1);
      }
      read_.take_rest();
    } else if (read_.is({"ip", "address"}, 4)) {
      port.address = read_.word(6, "the address");
      device_.places[fmt::format("address.{}", port.name)] = read_.place();
    } else if (read_.is({"qos", "pfc", "profile"}, 4)) {
      named->pauses = read_.word(7, "the profile");
    } else if (read_.is({"qos", "congestion-control", "profile"}, 4)) {
      named->marks = read_.word(7, "the profile");
    } else if (read_.is({"qos", "egress-scheduler", "profile"}, 4)) {
      named->weights = read_.word(7, "the profile");
    }
  }

  void pauses() {
    const std::string name(read_.word(4, "the profile"));
    PauseProfile& own = pauses_[name];
    device_.places["profile.pfc." + name] = read_.place();
    if (read_.is({"switch-priority"}, 5)) {
      std::string_view rest = read_.word(6, "the priority");
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        own.pfc[read_.number_in(rest.substr(0, end), "switch-priority", {.most = 7})] = true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    } else if (read_.is({"port-buffer"}, 5)) {
      own.buffer = read_.number(6, "port-buffer", {});
    } else if (read_.is({"cable-length"}, 5)) {
      own.metres = read_.number(6, "cable-length", {.least = 0, .most = 100'000});
    } else if (read_.is({"tx"}, 5) || read_.is({"rx"}, 5)) {
      const std::string side(read_.word(5, "tx or rx"));
      if (read_.word(6, "enable or disable") == "disable") {
        off_[name][side] = read_.place();
      } else {
        off_[name].erase(side);
      }
      native_of_[{"pfc", name}]["pfc." + side] = given();
    }
  }

  [[nodiscard]] NativeSetting given() const { return {.value = "given", .place = read_.place()}; }

  void marks() {
    const std::string name(read_.word(4, "the profile"));
    device_.places["profile.mark." + name] = read_.place();
    std::string_view rest = read_.word(6, "the traffic class");
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::size_t tc = read_.number_in(rest.substr(0, end), "traffic-class", {.most = 7});
      rest.remove_prefix(std::min(end + 1, rest.size()));
      MarkSetting& own = marks_[name].first[tc];
      NativeOfProfile& native = native_of_[{"mark", name}];
      if (read_.is({"ecn"}, 7)) {
        marks_[name].second[tc] = read_.word(8, "enable or disable") == "enable";
        native[fmt::format("class.{}.ecn", tc)] = given();
      } else if (read_.is({"red"}, 7)) {
        native[fmt::format("class.{}.mark.red", tc)] = here(8);
      } else if (read_.is({"min-threshold"}, 7)) {
        own.kmin = read_.number(8, "min-threshold", {});
      } else if (read_.is({"max-threshold"}, 7)) {
        own.kmax = read_.number(8, "max-threshold", {});
      } else if (read_.is({"probability"}, 7)) {
        own.percent = read_.number(8, "probability", {.most = 100});
        native[fmt::format("class.{}.mark.probability", tc)] = given();
      }
    }
  }

  void weights() {
    const std::string name(read_.word(4, "the profile"));
    const std::size_t tc = read_.number(6, "traffic-class", {.most = 7});
    device_.places["profile.weight." + name] = read_.place();
    NativeOfProfile& native = native_of_[{"weight", name}];
    if (read_.is({"mode"}, 7)) {
      weights_[name][tc] = read_.word(8, "the mode") == "strict" ? 0 : weights_[name][tc].value_or(1);
      native[fmt::format("class.{}.weight.mode", tc)] = given();
    } else if (read_.is({"bw-percent"}, 7)) {
      const std::uint64_t percent = read_.number(8, "bw-percent", {.most = 100});
      weights_[name][tc] = weights_[name][tc] == std::optional<std::uint64_t>(0) ? 0 : percent;
      native[fmt::format("class.{}.weight.bw-percent", tc)] = given();
    }
  }

  void routing() {
    SwitchSetting& own = device_.bridge;
    if (read_.is({"address-family", "ipv4-unicast", "multipaths", "ebgp"}, 6)) {
      own.paths = read_.number(10, "the paths", {.least = 1, .most = 256});
    }
    if (read_.is({"path-selection", "multipath", "aspath-ignore"}, 6)) {
      device_.native["bgp.multipath aspath-ignore"] = here(9);
    }
    if (!read_.is({"neighbor"}, 6)) {
      return;
    }
    const std::string address(read_.word(7, "the neighbour"));
    auto one = std::ranges::find(own.neighbours, address, &NeighbourSetting::address);
    if (one == own.neighbours.end()) {
      own.neighbours.push_back({.address = address});
      one = own.neighbours.end() - 1;
      device_.places["bgp." + address] = read_.place();
    }
    if (read_.is({"remote-as"}, 8)) {
      one->as_number = read_.number(9, "the AS number", {.least = 1, .most = UINT32_MAX});
      device_.places["bgp." + address] = read_.place();
    } else if (read_.is({"description"}, 8)) {
      one->name = read_.word(9, "the description");
      read_.take_rest();
    } else if (read_.is({"timers", "keepalive"}, 8)) {
      one->keepalive = read_.number(10, "keepalive", {.most = 65'535});
    } else if (read_.is({"timers", "hold"}, 8)) {
      one->hold = read_.number(10, "hold", {.most = 65'535});
    } else if (read_.is({"timers", "route-advertisement"}, 8)) {
      one->mrai = read_.number(10, "route-advertisement", {.most = 600});
    } else {
      protection(*one);
    }
  }

  void protection(NeighbourSetting& one) {
    constexpr Span kMilliseconds{.least = 50, .most = 60'000};
    if (read_.is({"bfd", "enable"}, 8)) {
      one.bfd = read_.word(10, "on or off") == "on";
    } else if (read_.is({"bfd", "min-tx-interval"}, 8)) {
      one.bfd_interval = read_.number(10, "min-tx-interval", kMilliseconds);
    } else if (read_.is({"bfd", "min-rx-interval"}, 8)) {
      one.bfd_receive = read_.number(10, "min-rx-interval", kMilliseconds);
    } else if (read_.is({"bfd", "detect-multiplier"}, 8)) {
      one.bfd_multiplier = read_.number(10, "detect-multiplier", {.least = 2, .most = 255});
    } else if (read_.is({"password"}, 8)) {
      one.password = read_.word(9, "the password");
    } else if (read_.is({"ttl-security", "enable"}, 8)) {
      ttl_[one.address].enabled = read_.word(10, "on or off") == "on";
    } else if (read_.is({"ttl-security", "hops"}, 8)) {
      ttl_[one.address].hops = read_.number(10, "the hops", {.least = 1, .most = 254});
    }
  }

  Result<DeviceConfig> finish() {
    SwitchSetting& own = device_.bridge;
    number_ports(own.ports, Syntax::kNvue);
    native_.move_to(device_);
    for (PortSetting& port : own.ports) {
      const std::string item = fmt::format("port.{}", port.number);
      device_.places[item] = device_.places[fmt::format("name.{}", port.name)];
      device_.places[item + ".mtu"] = device_.where(fmt::format("mtu.{}", port.name));
      device_.places[item + ".address"] = device_.where(fmt::format("address.{}", port.name));
      const Named& named = *std::ranges::find(named_, port.name, &Named::port);
      if ((!named.pauses.empty() && !pauses_.contains(named.pauses)) ||
          (!named.marks.empty() && !marks_.contains(named.marks)) ||
          (!named.weights.empty() && !weights_.contains(named.weights))) {
        return fail("{}: {} has a profile that is not there", device_.places[item], port.name);
      }
      apply(port, named);
    }
    for (NeighbourSetting& one : own.neighbours) {
      if (const TtlSecurity& ttl = ttl_[one.address]; ttl.enabled) {
        one.ttl_hops = ttl.hops;
      }
    }
    std::ranges::stable_sort(own.neighbours, {}, &NeighbourSetting::address);
    return std::move(device_);
  }

  void apply(PortSetting& port, const Named& named) {
    const PauseProfile& pauses = pauses_[named.pauses];
    port.metres = pauses.metres;
    const std::map<std::string, std::string>& off = off_[named.pauses];
    for (const auto& [kind, name] :
         {std::pair("pfc", named.pauses), std::pair("mark", named.marks), std::pair("weight", named.weights)}) {
      for (const auto& [item, setting] : native_of_[{kind, name}]) {
        device_.native[fmt::format("port.{}.{}", port.number, item)] = setting;
      }
    }
    for (std::size_t i = 0; i < kClasses; ++i) {
      ClassSetting& one = port.classes[i];
      one.pfc = pauses.pfc[i] && off.empty();
      if (one.pfc && pauses.buffer) {
        one.buffer = BufferSetting{.headroom = pauses.buffer};
      }
      if (marks_[named.marks].second[i]) {
        one.mark = marks_[named.marks].first[i];
      }
      one.weight = weights_[named.weights][i];
      device_.places[item_of(port, i, "pfc")] =
          off.empty() ? device_.where("profile.pfc." + named.pauses) : off.begin()->second;
      device_.places[item_of(port, i, "weight")] = device_.where("profile.weight." + named.weights);
      device_.places[item_of(port, i, "headroom")] = device_.where("profile.pfc." + named.pauses);
      device_.places[item_of(port, i, "mark")] = device_.where("profile.mark." + named.marks);
    }
  }

  ConfigText source_;
  CommandReader read_;
  DeviceConfig device_;
  std::vector<Named> named_;
  std::map<std::string, PauseProfile> pauses_;
  std::map<std::string, std::pair<std::array<MarkSetting, kClasses>, std::array<bool, kClasses>>> marks_;
  std::map<std::string, Weights> weights_;
  /// Of profiles of PFC the sides that are off, "tx" or "rx", with the place.
  std::map<std::string, std::map<std::string, std::string>> off_;
  std::map<std::pair<std::string, std::string>, NativeOfProfile> native_of_;  // by kind and name
  NativeOfPorts native_;
  struct TtlSecurity {
    bool enabled = false;
    std::uint64_t hops = 0;
  };
  std::map<std::string, TtlSecurity> ttl_;  // by the neighbour's address
};

}  // namespace

std::string nvue_text(const DeviceConfig& device) { return NvueWriter(device).text(); }

Result<DeviceConfig> read_nvue(const ConfigText& source) { return NvueReader(source).read(); }

}  // namespace weft::study::devices
