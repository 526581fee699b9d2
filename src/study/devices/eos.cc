#include "study/devices/eos.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "study/devices/command_line.h"

namespace weft::study::devices {
namespace {

std::string class_text(const ClassSetting& one, std::size_t number) {
  if (!one.weight && !one.mark) {
    return "";
  }
  std::string text = fmt::format("   uc-tx-queue {}\n", number);
  if (one.weight && *one.weight == 0) {
    text += "      priority strict\n";
  } else if (one.weight) {
    text += fmt::format("      no priority\n      bandwidth percent {}\n", *one.weight);
  }
  if (one.mark) {
    text += fmt::format(
        "      random-detect ecn minimum-threshold {} bytes maximum-threshold {} bytes max-mark-probability {}\n",
        std::max<std::uint64_t>(one.mark->kmin, 1), std::max<std::uint64_t>(one.mark->kmax, 1),
        std::max<std::uint64_t>(one.mark->percent, 1));
  }
  return text;
}

std::string port_text(const PortSetting& port) {
  std::string text = fmt::format("interface {}\n", port.name);
  if (!port.peer.empty()) {
    text += fmt::format("   description {},{}\n", port.peer, port.peer_port);
  }
  if (port.mtu) {
    text += fmt::format("   mtu {}\n", *port.mtu);
  }
  if (port.speed > 0) {
    text += fmt::format("   speed {}g\n", port.speed / 1000);
  }
  if (!port.address.empty()) {
    text += fmt::format("   no switchport\n   ip address {}\n", port.address);
  }
  text += "   qos trust dscp\n   priority-flow-control on\n";
  for (std::size_t i = 0; i < kClasses; ++i) {
    if (port.classes[i].pfc) {
      text += fmt::format("   priority-flow-control priority {} no-drop\n", i);
    }
  }
  for (std::size_t i = 0; i < kClasses; ++i) {
    text += class_text(port.classes[i], i);
  }
  return text + "!\n";
}

std::string protection_text(const NeighbourSetting& one) {
  std::string text;
  if (one.bfd) {
    text += fmt::format("   neighbor {} bfd\n   neighbor {} bfd interval {} min-rx {} multiplier {}\n", one.address,
                        one.address, one.bfd_interval, one.bfd_receive, one.bfd_multiplier);
  }
  if (!one.password.empty()) {
    text += fmt::format("   neighbor {} password {}\n", one.address, one.password);
  }
  if (one.ttl_hops) {
    text += fmt::format("   neighbor {} ttl maximum-hops {}\n", one.address, *one.ttl_hops);
  }
  return text;
}

std::string routing_text(const SwitchSetting& own) {
  if (own.as_number == 0) {
    return "";
  }
  std::string text = fmt::format("interface Loopback0\n   ip address {}/32\n!\nip routing\n!\nrouter bgp {}\n",
                                 own.router_id, own.as_number);
  text += fmt::format("   router-id {}\n   maximum-paths {}\n   bgp bestpath as-path multipath-relax\n", own.router_id,
                      own.paths);
  for (const NeighbourSetting& one : own.neighbours) {
    text += fmt::format("   neighbor {} remote-as {}\n   neighbor {} description {}\n   neighbor {} timers {} {}\n",
                        one.address, one.as_number, one.address, one.name, one.address, one.keepalive, one.hold);
    text += fmt::format("   neighbor {} out-delay {}\n", one.address, one.mrai);
    text += protection_text(one);
  }
  return text + "!\n";
}

class EosReader {
 public:
  explicit EosReader(const ConfigText& source) : source_(source), read_(source) {}

  Result<DeviceConfig> read() {
    device_.syntax = Syntax::kEos;
    device_.file = source_.name;
    for (const ConfigLine& line : lines_of(source_.text, "!")) {
      read_.begin(line);
      command(line);
      read_.note_unread(device_);
      if (read_.fault()) {
        return tl::unexpected<Error>(*read_.fault());
      }
    }
    if (device_.name.empty()) {
      return fail("{}: there is no 'hostname NAME', which says which device this is", source_.name);
    }
    finish();
    return std::move(device_);
  }

 private:
  void command(const ConfigLine& line) {
    if (line.indent == 0) {
      port_.clear();
      in_loopback_ = false;
      in_bgp_ = read_.is({"router", "bgp"});
      top();
    } else if (in_loopback_ && read_.is({"ip", "address"})) {
      device_.native["loopback.address"] = here(std::string(read_.word(2, "the address")));
    } else if (!port_.empty()) {
      of_port(port_named(device_, port_, read_.place()));
    } else if (in_bgp_) {
      of_bgp();
    }
  }

  NativeSetting here(std::string value) { return {.value = std::move(value), .place = read_.place()}; }

  void top() {
    SwitchSetting& own = device_.bridge;
    if (read_.is({"hostname"})) {
      device_.name = read_.word(1, "the name");
    } else if (read_.is({"qos", "map", "dscp", "*", "to", "traffic-class"})) {
      const std::uint64_t dscp = read_.number(3, "DSCP", {.most = 63});
      own.dscp_class[dscp] = read_.number(6, "the traffic class", {.most = 7});
      device_.places["dscp"] = read_.place();
    } else if (read_.is({"interface"}) && read_.word(1, "an interface").starts_with("Ethernet")) {
      port_ = read_.word(1, "an interface");
      if (device_.places.contains("name." + port_)) {
        device_.interfaces.push_back({.name = port_, .place = read_.place()});
      }
      static_cast<void>(port_named(device_, port_, read_.place()));
      queue_ = kClasses;
      native_.set(port_, "shutdown", here("no"));
    } else if (read_.is({"interface", "Loopback0"})) {
      in_loopback_ = true;
    } else if (read_.is({"ip", "routing"})) {
      device_.native["bgp.ip routing"] = here("on");
    } else if (read_.is({"no", "ip", "routing"})) {
      device_.native["bgp.ip routing"] = here("off");
    } else if (in_bgp_) {
      own.as_number = read_.number(2, "the AS number", {.least = 1, .most = UINT32_MAX});
      device_.places["as"] = read_.place();
    } else if (read_.is({"priority-flow-control", "pause", "watchdog"})) {
      watchdog();
    }
  }

  /// "0.2" seconds as milliseconds.
  std::uint64_t milliseconds(std::size_t index) {
    const std::string_view said = read_.word(index, "seconds");
    const std::size_t point = std::min(said.find('.'), said.size());
    std::string decimals(said.substr(std::min(point + 1, said.size())));
    decimals.resize(3, '0');
    return read_.number_in(said.substr(0, point), "seconds", {.most = 100'000}) * 1'000 +
           read_.number_in(decimals, "seconds", {.most = 999});
  }

  void watchdog() {
    WatchdogSetting made = device_.bridge.watchdog.value_or(WatchdogSetting{});
    if (read_.is({"default", "timeout"}, 3)) {
      made.detect = milliseconds(5);
    } else if (read_.is({"default", "recovery-time"}, 3)) {
      made.restore = milliseconds(5);
    } else if (read_.is({"action"}, 3)) {
      made.drops = read_.word(4, "the action") == "drop";
      device_.native["watchdog.action"] = here("given");
    } else {
      read_.leave();
      return;
    }
    device_.bridge.watchdog = made;
    device_.places.emplace("watchdog", read_.place());
  }

  void of_port(PortSetting& port) {
    if (read_.is({"uc-tx-queue"}) || read_.is({"tx-queue"})) {
      queue_ = read_.number(1, "the queue", {.most = 7});
    } else if (read_.is({"priority-flow-control"}) || read_.is({"no", "priority-flow-control"})) {
      pauses(port);
    } else if (read_.is({"mtu"})) {
      port.mtu = read_.number(1, "the MTU", {.least = 68, .most = 10'218});
      device_.places[fmt::format("mtu.{}", port.name)] = read_.place();
    } else if (read_.is({"description"})) {
      const std::string_view said = read_.word(1, "the description");
      read_.take_rest();
      if (const std::size_t comma = said.find(','); comma != std::string_view::npos) {
        port.peer = said.substr(0, comma);
        port.peer_port = said.substr(comma + 1);
      }
    } else if (read_.is({"ip", "address"})) {
      port.address = read_.word(2, "the address");
      device_.places[fmt::format("address.{}", port.name)] = read_.place();
    } else if (read_.is({"qos", "trust"})) {
      native_.set(port.name, "qos trust", here(std::string(read_.word(2, "dscp or cos"))));
    } else if (read_.is({"no", "qos", "trust"})) {
      native_.set(port.name, "qos trust", here("none"));
    } else if (read_.is({"shutdown"}) || read_.is({"no", "shutdown"})) {
      native_.set(port.name, "shutdown", here(read_.is({"no"}) ? "no" : "yes"));
    } else if (read_.is({"switchport"}) || read_.is({"no", "switchport"})) {
      native_.set(port.name, "switchport", here(read_.is({"no"}) ? "no" : "yes"));
    } else if (read_.is({"speed"})) {
      const std::string_view said = read_.word(1, "the speed");
      const std::size_t digits = std::min(said.find_first_not_of("0123456789"), said.size());
      port.speed = digits == 0 ? 0 : read_.number_in(said.substr(0, digits), "the speed", {.most = 1'600}) * 1'000;
    } else if (queue_ < kClasses) {
      of_queue(port);
    }
  }

  /// PFC is off at a port until it is switched on, and of each priority until that is.
  void pauses(PortSetting& port) {
    const std::size_t from = read_.is({"no"}) ? 1 : 0;
    if (read_.is({"priority"}, from + 1)) {
      const std::size_t tc = read_.number(from + 2, "the priority", {.most = 7});
      if (from == 0 && !read_.is({"no-drop"}, 3) && !read_.is({"drop"}, 3)) {
        read_.leave();
        return;
      }
      read_.take_rest();
      port.classes[tc].pfc = from == 0 && read_.is({"no-drop"}, 3);
      device_.places[fmt::format("pfc.{}.{}", port.name, tc)] = read_.place();
    } else if (read_.is({"on"}, from + 1) || read_.words() == from + 1 || read_.is({"off"}, from + 1)) {
      pfc_on_[port.name] = {from == 0 && read_.is({"on"}, 1), read_.place()};
    } else {
      read_.leave();
    }
  }

  void of_queue(PortSetting& port) {
    ClassSetting& one = port.classes[queue_];
    if (read_.is({"priority", "strict"})) {
      one.weight = 0;
      round_robin_.erase({port.name, queue_});
    } else if (read_.is({"no", "priority"})) {
      round_robin_.insert({port.name, queue_});
    } else if (read_.is({"bandwidth", "percent"})) {
      one.weight = read_.number(2, "percent", {.least = 1, .most = 100});
      device_.places[fmt::format("weight.{}.{}", port.name, queue_)] = read_.place();
    } else if (read_.is({"random-detect", "ecn", "minimum-threshold"})) {
      one.mark = MarkSetting{.kmin = bytes(3), .kmax = bytes(6), .percent = 100};
      if (read_.is({"max-mark-probability"}, 8)) {
        one.mark->percent = read_.number(9, "max-mark-probability", {.least = 1, .most = 100});
      }
      static_cast<void>(read_.is({"maximum-threshold"}, 5));
      if (one.mark->kmax < one.mark->kmin) {
        read_.refuse("maximum-threshold is below minimum-threshold");
      }
      device_.places[fmt::format("mark.{}.{}", port.name, queue_)] = read_.place();
    }
  }

  std::uint64_t bytes(std::size_t index) {
    const std::uint64_t number = read_.number(index, "the threshold", {.least = 1, .most = 256'000'000});
    const std::string_view unit = read_.word(index + 1, "its unit");
    if (unit == "bytes" || unit == "kbytes" || unit == "mbytes") {
      return number * (unit == "bytes" ? 1 : unit == "kbytes" ? 1'000 : 1'000'000);
    }
    read_.refuse(fmt::format("thresholds in '{}' are not read; bytes, kbytes, mbytes are", unit));
    return number;
  }

  void of_bgp() {
    SwitchSetting& own = device_.bridge;
    if (read_.is({"router-id"})) {
      own.router_id = read_.word(1, "the identifier");
    } else if (read_.is({"maximum-paths"})) {
      own.paths = read_.number(1, "the paths", {.least = 1, .most = 600});
    } else if (read_.is({"bgp", "bestpath", "as-path", "multipath-relax"})) {
      device_.native["bgp.bestpath as-path multipath-relax"] = here("on");
    }
    if (!read_.is({"neighbor", "*"})) {
      return;
    }
    const std::string address(read_.word(1, "the neighbour"));
    auto one = std::ranges::find(own.neighbours, address, &NeighbourSetting::address);
    if (one == own.neighbours.end()) {
      own.neighbours.push_back({.address = address});
      one = own.neighbours.end() - 1;
    }
    if (read_.is({"remote-as"}, 2)) {
      one->as_number = read_.number(3, "the AS number", {.least = 1, .most = UINT32_MAX});
      device_.places["bgp." + address] = read_.place();
    } else if (read_.is({"description"}, 2)) {
      one->name = read_.word(3, "the description");
      read_.take_rest();
    } else if (read_.is({"timers"}, 2)) {
      one->keepalive = read_.number(3, "keepalive", {.most = 3'600});
      one->hold = read_.number(4, "the hold time", {.most = 7'200});
    } else if (read_.is({"out-delay"}, 2)) {
      one->mrai = read_.number(3, "out-delay", {.most = 600});
    } else {
      protection(*one);
    }
  }

  void protection(NeighbourSetting& one) {
    constexpr Span kMilliseconds{.least = 50, .most = 60'000};
    if (read_.is({"bfd", "interval", "*", "min-rx", "*", "multiplier"}, 2) ||
        read_.is({"bfd", "interval", "*", "min_rx", "*", "multiplier"}, 2)) {
      one.bfd_interval = read_.number(4, "the interval", kMilliseconds);
      one.bfd_receive = read_.number(6, "min-rx", kMilliseconds);
      one.bfd_multiplier = read_.number(8, "the multiplier", {.least = 3, .most = 50});
    } else if (read_.is({"bfd"}, 2)) {
      one.bfd = true;
    } else if (read_.is({"password"}, 2)) {
      one.password = read_.word(3, "the password");
      if (read_.words() > 4) {  // how it is encrypted stands before it; 0: not at all
        const std::string secret(read_.word(4, "the password"));
        one.password = one.password == "0" ? secret : one.password + " " + secret;
      }
    } else if (read_.is({"ttl", "maximum-hops"}, 2)) {
      one.ttl_hops = read_.number(4, "the hops", {.most = 254});
    }
  }

  void finish() {
    SwitchSetting& own = device_.bridge;
    number_ports(own.ports, Syntax::kEos);
    native_.move_to(device_);
    for (PortSetting& port : own.ports) {
      const std::string item = fmt::format("port.{}", port.number);
      device_.places[item] = device_.places[fmt::format("name.{}", port.name)];
      device_.places[item + ".mtu"] = device_.places[item];
      if (const auto mtu = device_.places.find("mtu." + port.name); mtu != device_.places.end()) {
        device_.places[item + ".mtu"] = mtu->second;
      }
      if (const auto address = device_.places.find("address." + port.name); address != device_.places.end()) {
        device_.places[item + ".address"] = address->second;
      }
      for (std::size_t i = 0; i < kClasses; ++i) {
        for (const char* what : {"mark", "pfc", "weight"}) {
          if (const auto at = device_.places.find(fmt::format("{}.{}.{}", what, port.name, i));
              at != device_.places.end()) {
            device_.places[item_of(port, i, what)] = at->second;
          }
        }
      }
      apply(port);
    }
    std::ranges::stable_sort(own.neighbours, {}, &NeighbourSetting::address);
  }

  /// What acts on all classes of a port: PFC that is off, and queues that are strict unless they say "no priority".
  void apply(PortSetting& port) {
    const auto on = pfc_on_.find(port.name);
    for (std::size_t i = 0; i < kClasses; ++i) {
      ClassSetting& one = port.classes[i];
      if (one.pfc && (on == pfc_on_.end() || !on->second.first)) {
        one.pfc = false;
        device_.places[item_of(port, i, "pfc")] =
            on == pfc_on_.end() ? device_.where(fmt::format("port.{}", port.number)) : on->second.second;
      }
      if (one.weight && !round_robin_.contains({port.name, i})) {
        one.weight = 0;
      }
    }
  }

  ConfigText source_;
  CommandReader read_;
  DeviceConfig device_;
  NativeOfPorts native_;
  std::map<std::string, std::pair<bool, std::string>> pfc_on_;  // by port, with its place
  std::set<std::pair<std::string, std::size_t>> round_robin_;
  std::string port_;
  std::size_t queue_ = kClasses;
  bool in_bgp_ = false;
  bool in_loopback_ = false;
};

}  // namespace

std::string eos_text(const DeviceConfig& device) {
  const SwitchSetting& own = device.bridge;
  std::string text = fmt::format("! device: {} (EOS)\n", device.name);
  if (has_placeholder(own)) {
    text += fmt::format("! {} is a placeholder: each session has a password of yours\n", kPasswordPlaceholder);
  }
  text += fmt::format("hostname {}\n!\n", device.name);
  for (const auto& [dscp, tc] : own.dscp_class) {
    text += fmt::format("qos map dscp {} to traffic-class {}\n", dscp, tc);
  }
  if (own.watchdog) {
    const auto seconds = [](std::uint64_t ms) { return fmt::format("{}.{:03}", ms / 1000, ms % 1000); };
    text += fmt::format("priority-flow-control pause watchdog default timeout {}\n", seconds(own.watchdog->detect));
    text +=
        fmt::format("priority-flow-control pause watchdog default recovery-time {}\n", seconds(own.watchdog->restore));
    text += fmt::format("priority-flow-control pause watchdog action {}\n", own.watchdog->drops ? "drop" : "forward");
  }
  text += "!\n";
  for (const PortSetting& port : own.ports) {
    text += port_text(port);
  }
  return text + routing_text(own);
}

Result<DeviceConfig> read_eos(const ConfigText& source) { return EosReader(source).read(); }

}  // namespace weft::study::devices
