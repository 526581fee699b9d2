#include "study/devices/lint_peers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <utility>

#include "study/devices/lint_mistakes.h"
#include "study/devices/lint_partitions.h"

namespace weft::study::devices {
namespace {

const DeviceConfig* named(const std::vector<DeviceConfig>& devices, const std::string& name) {
  const auto found = std::ranges::find(devices, name, &DeviceConfig::name);
  return found == devices.end() ? nullptr : &*found;
}

/// The port at whose cable the neighbour's address is the other of two.
const PortSetting* port_to(const SwitchSetting& own, const NeighbourSetting& neighbour) {
  const auto stem = [](std::string_view address) { return address.substr(0, address.rfind('.') + 1); };
  const auto last = [](std::string_view address) {
    unsigned value = 0;
    for (const char c : address.substr(address.rfind('.') + 1)) {
      if (c < '0' || c > '9') {
        break;
      }
      value = (value * 10 + static_cast<unsigned>(c - '0')) & 0xFFFFU;
    }
    return value;
  };
  const auto found = std::ranges::find_if(own.ports, [&](const PortSetting& port) {
    return !port.address.empty() && stem(port.address) == stem(neighbour.address) &&
           (last(port.address) ^ 1U) == last(neighbour.address);
  });
  return found == own.ports.end() ? nullptr : &*found;
}

class SessionLint {
 public:
  SessionLint(const DeviceConfig& device, const std::vector<DeviceConfig>& devices, const Reference& reference,
              std::vector<Finding>& findings)
      : device_(device), devices_(devices), reference_(reference), findings_(findings) {}

  void all() {
    const DeviceConfig* right = reference_.device(device_);
    if (right != nullptr && right->bridge.as_number != device_.bridge.as_number) {
      Finding finding{.rule = "asn",
                      .device = device_.name,
                      .place = device_.where("as"),
                      .what = fmt::format("AS {}", device_.bridge.as_number),
                      .right = fmt::format("AS {}, as the plan has it", right->bridge.as_number)};
      finding.mistake = [name = device_.name, ports = right->bridge](scenario::Scenario& made) {
        for (const NeighbourSetting& one : ports.neighbours) {
          if (const PortSetting* port = port_to(ports, one)) {
            link_down(name, port->number)(made);
          }
        }
      };
      findings_.push_back(std::move(finding));
    }
    for (const NeighbourSetting& one : device_.bridge.neighbours) {
      of_neighbour(one, right);
    }
    protections(right);
    if (right != nullptr) {
      for (const NeighbourSetting& one : right->bridge.neighbours) {
        if (std::ranges::find(device_.bridge.neighbours, one.address, &NeighbourSetting::address) ==
            device_.bridge.neighbours.end()) {
          add(one, right, "neighbour", device_.where("as"), fmt::format("no BGP neighbour {}", one.address),
              fmt::format("{} with AS {}, by the plan", one.name, one.as_number));
        }
      }
    }
  }

 private:
  void add(const NeighbourSetting& one, const DeviceConfig* right, const char* rule, std::string place,
           std::string what, std::string should) {
    Finding finding{.rule = rule,
                    .device = device_.name,
                    .place = std::move(place),
                    .what = std::move(what),
                    .right = std::move(should)};
    const PortSetting* port = port_to(right == nullptr ? device_.bridge : right->bridge, one);
    if (reference_.has_plan() && port != nullptr) {
      finding.mistake = link_down(device_.name, port->number);
    } else {
      finding.no_cost = "which cable the session is for is not known";
    }
    findings_.push_back(std::move(finding));
  }

  void of_neighbour(const NeighbourSetting& one, const DeviceConfig* right) {
    const std::string place = device_.where("bgp." + one.address);
    const DeviceConfig* peer = named(devices_, one.name);
    if (right != nullptr) {
      const auto wanted = std::ranges::find(right->bridge.neighbours, one.address, &NeighbourSetting::address);
      if (wanted == right->bridge.neighbours.end()) {
        add(one, right, "neighbour", place, fmt::format("BGP neighbour {}", one.address),
            "none: no cable of the plan has that address");
      } else if (wanted->as_number != one.as_number) {
        add(one, right, "asn", place, fmt::format("neighbour {} with AS {}", one.address, one.as_number),
            fmt::format("AS {} of {}, by the plan", wanted->as_number, wanted->name));
      } else {
        timers(one, *wanted, place);
      }
      return;
    }
    if (peer != nullptr && peer->bridge.as_number > 0 && peer->bridge.as_number != one.as_number) {
      add(one, right, "asn", place, fmt::format("neighbour {} with AS {}", one.address, one.as_number),
          fmt::format("AS {}, which {} has ({})", peer->bridge.as_number, peer->name, peer->where("as")));
    }
    const PortSetting* port = port_to(device_.bridge, one);
    if (port != nullptr && !port->peer.empty() && !one.name.empty() && port->peer != one.name) {
      add(one, right, "neighbour", place, fmt::format("{} is called {}", one.address, one.name),
          fmt::format("{}, to which the cable of {} leads", port->peer, port->name));
    }
  }

  /// What several sessions of the device lack alike.
  struct Lacking {
    const char* rule = "";
    std::string what{};
    std::string should{};
    std::string place{};
    std::vector<const NeighbourSetting*> sessions{};
  };

  static void gather(std::vector<Lacking>& found, const NeighbourSetting& one, Lacking made) {
    const auto same = std::ranges::find_if(found, [&](const Lacking& each) {
      return each.rule == made.rule && each.what == made.what && each.should == made.should;
    });
    Lacking& of = same == found.end() ? found.emplace_back(std::move(made)) : *same;
    of.sessions.push_back(&one);
  }

  static std::string ttl_text(const std::optional<std::uint64_t>& hops) {
    return !hops        ? "no TTL security"
           : *hops == 0 ? "TTL security without its hops"
                        : fmt::format("TTL security of {} hop{}", *hops, *hops == 1 ? "" : "s");
  }

  /// Passwords and TTL security of sessions, against the plan or the session's other end.
  void protections(const DeviceConfig* right) {
    std::vector<Lacking> found;
    for (const NeighbourSetting& one : device_.bridge.neighbours) {
      const std::string place = device_.where("bgp." + one.address);
      const PortSetting* port = port_to(device_.bridge, one);
      const DeviceConfig* peer = named(devices_, port != nullptr && !port->peer.empty() ? port->peer : one.name);
      const NeighbourSetting* far = peer == nullptr || port == nullptr ? nullptr : other_end(*port, *peer);
      if (right != nullptr) {
        const auto wanted = std::ranges::find(right->bridge.neighbours, one.address, &NeighbourSetting::address);
        if (wanted != right->bridge.neighbours.end()) {
          protection(found, one, *wanted, place, "as the plan has it");
        }
      } else if (far != nullptr) {  // what both have and have differently is left to the plan
        NeighbourSetting should = one;
        should.password = one.password.empty() ? far->password : one.password;
        should.ttl_hops = one.ttl_hops ? one.ttl_hops : far->ttl_hops;
        protection(found, one, should, place, "as " + peer->name + " has it");
      }
      const auto is_plain = [](const std::string& secret) {
        return !secret.empty() && secret.find(' ') == std::string::npos;  // "7 ..." is encrypted
      };
      if (far != nullptr && is_plain(one.password) && is_plain(far->password) && one.password != far->password &&
          device_.name < peer->name) {
        gather(found, one,
               {.rule = "bgp-password",
                .what = fmt::format("another password than {} has", peer->name),
                .should = "the same at both ends: no session comes up",
                .place = place});
      }
    }
    for (const Lacking& one : found) {
      report(one, right);
    }
  }

  static void protection(std::vector<Lacking>& found, const NeighbourSetting& one, const NeighbourSetting& wanted,
                         const std::string& place, const std::string& has_it) {
    if (one.password.empty() != wanted.password.empty()) {
      gather(found, one,
             one.password.empty()
                 ? Lacking{.rule = "bgp-password",
                           .what = "no password",
                           .should = fmt::format("one, {}: without it whoever forges its neighbour's address can reset "
                                                 "the session, or say what routes there are",
                                                 has_it),
                           .place = place}
                 : Lacking{.rule = "bgp-password",
                           .what = "a password",
                           .should = fmt::format("none, {}", has_it),
                           .place = place});
    }
    if (one.ttl_hops != wanted.ttl_hops) {
      const std::string exposed = wanted.ttl_hops && one.ttl_hops != std::optional<std::uint64_t>(0)
                                      ? ": without it the session takes packets from hosts that are further away"
                                      : "";
      gather(found, one,
             {.rule = "bgp-ttl-security",
              .what = ttl_text(one.ttl_hops),
              .should = fmt::format("{}, {}{}", wanted.ttl_hops ? ttl_text(wanted.ttl_hops) : "none", has_it, exposed),
              .place = place});
    }
  }

  /// The same session at the device to which the port's cable leads; null: not known.
  static const NeighbourSetting* other_end(const PortSetting& port, const DeviceConfig& peer) {
    const auto far = std::ranges::find(peer.bridge.neighbours, port.address.substr(0, port.address.find('/')),
                                       &NeighbourSetting::address);
    return far == peer.bridge.neighbours.end() ? nullptr : &*far;
  }

  void report(const Lacking& one, const DeviceConfig* right) {
    const std::size_t more = one.sessions.size() - 1;
    Finding finding{.rule = one.rule, .device = device_.name, .place = one.place};
    finding.what = fmt::format("neighbour {}{}: {}", one.sessions.front()->address,
                               more > 0 ? fmt::format(" and {} more", more) : "", one.what);
    finding.right = one.should;
    std::vector<std::uint64_t> ports;
    for (const NeighbourSetting* session : one.sessions) {
      if (const PortSetting* port = port_to(right == nullptr ? device_.bridge : right->bridge, *session)) {
        ports.push_back(port->number);
      }
    }
    if (right != nullptr && !ports.empty()) {
      finding.mistake = [name = device_.name, ports = std::move(ports)](scenario::Scenario& made) {
        for (const std::uint64_t port : ports) {
          link_down(name, port)(made);
        }
      };
      finding.cost_only = "if the other end has what the plan says, so that no session comes up";
    } else {
      finding.no_cost = "which cable the session is for is not known";
    }
    findings_.push_back(std::move(finding));
  }

  void timers(const NeighbourSetting& one, const NeighbourSetting& wanted, const std::string& place) {
    const auto text = [](const NeighbourSetting& session) {
      const std::string receive =
          session.bfd_receive == session.bfd_interval ? "" : fmt::format(", {} ms at least", session.bfd_receive);
      const std::string bfd =
          fmt::format("on with {} ms x {}{}", session.bfd_interval, session.bfd_multiplier, receive);
      return fmt::format("{}, timers {} {} s, MRAI {} s, BFD {}", session.name, session.keepalive, session.hold,
                         session.mrai, session.bfd ? bfd : "off");
    };
    if (text(one) == text(wanted)) {
      return;
    }
    Finding finding{.rule = "session",
                    .device = device_.name,
                    .place = place,
                    .what = fmt::format("neighbour {}: {}", one.address, text(one)),
                    .right = text(wanted) + ", as the plan has it"};
    finding.no_cost = "timers of one session are those of all in a scenario; see weft control for what they do";
    findings_.push_back(std::move(finding));
  }

  const DeviceConfig& device_;
  const std::vector<DeviceConfig>& devices_;
  const Reference& reference_;
  std::vector<Finding>& findings_;
};

/// What the NIC should be like: by the plan, else by the switch port that says it leads here.
struct NicTerms {
  std::array<bool, kClasses> pfc{};
  const std::map<std::uint64_t, std::uint64_t>* dscp_class = nullptr;
  std::optional<std::uint64_t> mtu{};
  std::string name{};
};

class NicLint {
 public:
  NicLint(const DeviceConfig& device, const std::vector<DeviceConfig>& devices, const Reference& reference,
          std::vector<Finding>& findings)
      : device_(device), nic_(device.nic), reference_(reference), findings_(findings) {
    for (const DeviceConfig& one : devices) {
      const auto port = std::ranges::find(one.bridge.ports, device.name, &PortSetting::peer);
      if (is_switch(one.syntax) && port != one.bridge.ports.end()) {
        NicTerms terms{
            .pfc = {}, .dscp_class = &one.bridge.dscp_class, .mtu = port->mtu, .name = one.name + " " + port->name};
        std::ranges::transform(port->classes, terms.pfc.begin(), &ClassSetting::pfc);
        leads_here_ = terms;
      }
    }
    terms_ = leads_here_;
    if (const DeviceConfig* right = reference.device(device)) {
      terms_ = NicTerms{
          .pfc = right->nic.pfc, .dscp_class = &right->nic.dscp_class, .mtu = right->nic.mtu, .name = "the plan"};
      right_ = &right->nic;
    }
  }

  void all() {
    if (!terms_) {
      return;
    }
    for (std::size_t i = 0; i < kClasses; ++i) {
      if (nic_.pfc[i] != terms_->pfc[i]) {
        add("nic-pfc", "pfc", fmt::format("class {}: PFC is {}", i, nic_.pfc[i] ? "on" : "off"),
            fmt::format("{}, as {} has it", terms_->pfc[i] ? "on" : "off", terms_->name),
            at_name(device_.name, i, {.values = {{"lossless", nic_.pfc[i] ? "true" : "false"}}}));
      }
    }
    for (std::uint64_t dscp = 0; dscp < kCodePoints; ++dscp) {
      const std::uint64_t found = class_at(nic_.dscp_class, dscp);
      const std::uint64_t wanted = class_at(*terms_->dscp_class, dscp);
      const bool is_missing = right_ != nullptr && right_->dscp_class.contains(dscp) && !nic_.dscp_class.contains(dscp);
      if (is_missing || (found != wanted && !nic_.dscp_class.empty())) {
        add("nic-dscp-map", "dscp",
            is_missing ? fmt::format("DSCP {} has no line", dscp)
                       : fmt::format("DSCP {} goes to class {}", dscp, found),
            fmt::format("class {}, as {} has it", wanted, terms_->name),
            found == wanted ? Mistake{} : wrong_class(device_.name, wanted, found));
      }
    }
    mtu();
    shares();
    code_points();
    against_plan();
  }

 private:
  void add(const char* rule, const std::string& item, std::string what, std::string should, Mistake mistake) {
    Finding finding{.rule = rule,
                    .device = device_.name,
                    .place = device_.where(item),
                    .what = std::move(what),
                    .right = std::move(should)};
    if (reference_.has_plan()) {
      finding.mistake = std::move(mistake);
      finding.no_cost = finding.mistake ? "" : "the simulation has it for all NICs alike";
    }
    findings_.push_back(std::move(finding));
  }

  /// Enough for the plan's path MTU, and no more than the switch lets pass.
  void mtu() {
    if (right_ != nullptr && right_->mtu && nic_.mtu.value_or(0) < *right_->mtu) {
      add("nic-mtu", "port.0.mtu", nic_.mtu ? fmt::format("MTU {}", *nic_.mtu) : "no MTU is given",
          fmt::format("MTU {} or more, as the plan has it", *right_->mtu), nic_.mtu ? small_mtu(*nic_.mtu) : Mistake{});
      findings_.back().cost_only = nic_.mtu ? kPathMtuFits : "";
    } else if (leads_here_ && leads_here_->mtu && nic_.mtu && *nic_.mtu > *leads_here_->mtu) {
      add("nic-mtu", "port.0.mtu", fmt::format("MTU {}", *nic_.mtu),
          fmt::format("MTU {} at most, as {} has it", *leads_here_->mtu, leads_here_->name), {});
      findings_.back().no_cost = "a switch drops what is longer, of TCP too; the simulation has no such packets";
    }
  }

  /// Of ETS, and the length of the cable.
  void shares() {
    std::uint64_t sum = 0;
    bool any = false;
    for (const std::optional<std::uint64_t>& weight : nic_.weight) {
      sum += weight.value_or(0);
      any = any || weight.value_or(0) > 0;
    }
    if (any && sum != 100) {
      add("scheduler", "weight", fmt::format("the shares of its classes sum to {} %", sum),
          "100 %; tools refuse others", {});
    }
    if (right_ == nullptr) {
      return;
    }
    for (std::size_t i = 0; i < kClasses; ++i) {
      if (nic_.weight[i] != right_->weight[i]) {
        const auto text = [](const std::optional<std::uint64_t>& weight) {
          return !weight        ? std::string("no share is given")
                 : *weight == 0 ? std::string("strict priority")
                                : fmt::format("{} %", *weight);
        };
        const PortMistake mistake{.values = {{"weight", fmt::format("{}", nic_.weight[i].value_or(0))}}};
        add("scheduler", "weight", fmt::format("class {}: {}", i, text(nic_.weight[i])),
            text(right_->weight[i]) + ", as the plan has it",
            nic_.weight[i] ? at_name(device_.name, i, mistake) : Mistake{});
      }
    }
    if (nic_.metres != right_->metres) {
      add("cable-length", "port.0.metres",
          nic_.metres ? fmt::format("a cable of {} m", *nic_.metres) : "no length of the cable is given",
          fmt::format("{} m by the plan", right_->metres.value_or(0)), {});
      findings_.back().no_cost = "the device computes headroom from it";
    }
  }

  /// Data and CNPs must have code points that switches know.
  void code_points() {
    if (!nic_.data_dscp && right_ != nullptr && right_->data_dscp) {
      add("nic-dscp", "data_dscp", "no line gives data their DSCP", fmt::format("DSCP {}", *right_->data_dscp), {});
    } else if (nic_.data_dscp && right_ != nullptr && right_->data_dscp != nic_.data_dscp) {
      const std::uint64_t found = class_at(*terms_->dscp_class, *nic_.data_dscp);
      const std::uint64_t wanted = class_at(*terms_->dscp_class, right_->data_dscp.value_or(0));
      add("nic-dscp", "data_dscp", fmt::format("data have DSCP {}, which is class {}", *nic_.data_dscp, found),
          fmt::format("DSCP {}, class {}", right_->data_dscp.value_or(0), wanted),
          wrong_class(device_.name, wanted, found));
    } else if (nic_.data_dscp && right_ == nullptr) {
      const std::uint64_t found = class_at(*terms_->dscp_class, *nic_.data_dscp);
      const bool lossless = found < kClasses && terms_->pfc[found];
      const bool any = std::ranges::find(nic_.pfc, true) != nic_.pfc.end();
      if (any && !lossless) {
        add("nic-dscp", "data_dscp",
            fmt::format("data have DSCP {}, which is class {} at {}, without PFC", *nic_.data_dscp, found,
                        terms_->name),
            "a code point of a class with PFC", {});
      }
    }
  }

  void against_plan() {
    if (right_ == nullptr) {
      return;
    }
    for (const auto& [key, wanted] : right_->congestion) {
      const auto own = nic_.congestion.find(key);
      const bool is_missing = own == nic_.congestion.end();
      if (is_missing ? !nic_.congestion.empty() : own->second != wanted) {
        add("nic-dcqcn", "congestion." + key,
            is_missing ? fmt::format("{} is not given", key) : fmt::format("{} is {}", key, own->second),
            fmt::format("{}, as the plan has it", wanted), {});
      }
    }
    for (std::size_t i = 0; i < kClasses; ++i) {
      if ((nic_.reaction[i] && !right_->reaction[i]) || (nic_.notification[i] && !right_->notification[i])) {
        add("nic-dcqcn", nic_.reaction[i] ? fmt::format("roce_rp.{}", i) : fmt::format("roce_np.{}", i),
            fmt::format("class {}: DCQCN is on", i), "off, as the plan has it", {});
      }
      if (right_->reaction[i] && !(nic_.reaction[i] && nic_.notification[i])) {
        const std::string name = device_.name;
        add("nic-dcqcn-off", nic_.reaction[i] ? fmt::format("roce_np.{}", i) : fmt::format("roce_rp.{}", i),
            fmt::format("class {}: DCQCN is off", i), "on, as the plan has it", [name](scenario::Scenario& made) {
              made.overrides.push_back(
                  {.select = name.substr(0, name.find('/')),
                   .place = "lint",
                   .assignments = {{.path = "nic.congestion_control", .text = "false", .place = "lint"}}});
            });
      }
    }
  }

  const DeviceConfig& device_;
  const NicSetting& nic_;
  const Reference& reference_;
  std::vector<Finding>& findings_;
  std::optional<NicTerms> leads_here_;  // the switch port that says so
  std::optional<NicTerms> terms_;
  const NicSetting* right_ = nullptr;  // by the plan
};

/// Lists of lanes or weights of a configuration, made in the plan's scenario.
Mistake lanes_mistake(const std::string& key, const std::string& value) {
  if (key == "qos_sl2vl") {
    return [value](scenario::Scenario& made) {
      std::vector<std::int64_t> lanes;
      std::size_t begin = 0;
      while (begin < value.size()) {
        lanes.push_back(std::atol(value.c_str() + begin));
        const std::size_t end = value.find(',', begin);
        begin = end == std::string::npos ? value.size() : end + 1;
      }
      made.devices.infiniband.sl2vl = std::move(lanes);
    };
  }
  if (key == "qos_high_limit") {
    return [value](scenario::Scenario& made) { made.devices.infiniband.vl_high_limit = std::atol(value.c_str()); };
  }
  return {};
}

bool is_secret(const std::string& key) { return key == "m_key" || key == "sa_key" || key == "cc_key"; }

/// As OpenSM reads it: what is no number is 0, which is no key.
std::uint64_t key_of(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 0); }

/// What an option that is not the plan's lays open.
const char* exposed_without(const std::string& key) {
  struct Row {
    std::string_view key;
    const char* text;
  };
  static constexpr std::array kRows = {
      Row{"m_key", ": without it every host can set routes and ports of switches"},
      Row{"m_key_protection_level",
          ": at 0 every host can read the key and use it, at 1 every host can read what else "
          "the manager sets"},
      Row{"m_key_lease_period", ": after a lease that nobody renews, ports are without the key"},
      Row{"sa_key", ": with OpenSM's default, 1, subnet administration tells every host the M_Key"},
      Row{"cc_key", ": without it every host can set the congestion control of others"},
      Row{"congestion_control", ": without it OpenSM gives agents no CC_Key"},
      Row{"part_enforce", ": without it switches pass packets of any partition, and NICs alone discard them"},
  };
  const auto row = std::ranges::find(kRows, key, &Row::key);
  return row == kRows.end() ? "" : row->text;
}

void compare_options(const DeviceConfig& device, const DeviceConfig& right, const Reference& reference,
                     std::vector<Finding>& findings) {
  static const std::set<std::string> kOwn = {"sm_priority", "guid", "log_file", "dump_files_dir"};  // each has its own
  for (const auto& [key, wanted] : right.manager.options) {
    const auto own = device.manager.options.find(key);
    const std::string found = own == device.manager.options.end() ? "" : own->second;
    const bool is_planned = reference.has_plan() && right.file == "plan";
    const bool is_own_secret = is_planned && is_secret(key) && key_of(found) != 0;
    if (found == wanted || kOwn.contains(key) || is_own_secret) {
      continue;
    }
    Finding finding{
        .rule = key == "m_key" ? "m-key" : "manager-option",
        .device = device.name,
        .place = device.where("option." + key),
        .what = found.empty() ? fmt::format("{} is not given", key) : fmt::format("{} is {}", key, found),
        .right = fmt::format("{}, as {} has it", is_planned && is_secret(key) ? "a key of your own" : wanted,
                             is_planned ? "the plan" : right.file)};
    if (is_planned) {
      finding.right += exposed_without(key);
    }
    finding.mistake = reference.has_plan() && !found.empty() ? lanes_mistake(key, found) : Mistake{};
    finding.no_cost = key == "m_key" && !is_planned ? "managers with different keys cannot take over from each other"
                                                    : "it acts on the manager, which a run does not have";
    findings.push_back(std::move(finding));
  }
  if (device.syntax == Syntax::kOpensm && right.file != "plan") {
    for (const auto& [key, value] : device.manager.options) {
      if (!right.manager.options.contains(key) && !kOwn.contains(key)) {
        findings.push_back({.rule = key == "m_key" ? "m-key" : "manager-option",
                            .device = device.name,
                            .place = device.where("option." + key),
                            .what = fmt::format("{} is {}", key, value),
                            .right = fmt::format("the same in {}, which does not give it", right.file),
                            .no_cost = "it acts on the manager, which a run does not have"});
      }
    }
  }
}

void compare_lines(const DeviceConfig& device, const DeviceConfig& right, std::vector<Finding>& findings) {
  const auto words = [](const std::string& line) {
    std::string made;
    std::ranges::copy_if(line, std::back_inserter(made), [](char c) { return c != ' '; });
    return made;
  };
  const std::size_t lines = std::max(device.manager.lines.size(), right.manager.lines.size());
  for (std::size_t i = 0; i < lines; ++i) {
    const std::string own = i < device.manager.lines.size() ? device.manager.lines[i] : "";
    const std::string wanted = i < right.manager.lines.size() ? right.manager.lines[i] : "";
    if (words(own) != words(wanted)) {
      findings.push_back({.rule = device.syntax == Syntax::kPartitions ? "partitions" : "qos-policy",
                          .device = device.name,
                          .place = device.where(fmt::format("line.{}", i)),
                          .what = own.empty() ? "a rule is missing" : fmt::format("'{}'", own),
                          .right = wanted.empty() ? fmt::format("nothing, as in {}", right.file)
                                                  : fmt::format("'{}', as in {}", wanted, right.file),
                          .no_cost = "who may talk to whom takes no time: a run has one partition"});
      return;  // what follows may only be shifted
    }
  }
}

}  // namespace

void lint_sessions(const std::vector<DeviceConfig>& devices, const Reference& reference,
                   std::vector<Finding>& findings) {
  for (const DeviceConfig& device : devices) {
    if (is_switch(device.syntax) && !(reference.has_plan() && reference.device(device) == nullptr)) {
      SessionLint(device, devices, reference, findings).all();
    }
  }
}

void lint_nics(const std::vector<DeviceConfig>& devices, const Reference& reference, std::vector<Finding>& findings) {
  for (const DeviceConfig& device : devices) {
    if (device.syntax == Syntax::kNic) {
      NicLint(device, devices, reference, findings).all();
    }
  }
}

void lint_managers(const std::vector<DeviceConfig>& devices, const Reference& reference,
                   std::vector<Finding>& findings) {
  for (const DeviceConfig& device : devices) {
    if (!is_manager(device.syntax)) {
      continue;
    }
    const DeviceConfig* right = reference.device(device);
    if (right == nullptr) {
      const auto first = std::ranges::find(devices, device.syntax, &DeviceConfig::syntax);
      right = &*first;
    }
    if (right == &device) {
      continue;
    }
    compare_options(device, *right, reference, findings);
    if (reference.has_plan() && device.syntax == Syntax::kPartitions && has_job_partitions(*right)) {
      lint_partitions(device, *right, findings);
    } else {
      compare_lines(device, *right, findings);
    }
  }
}

}  // namespace weft::study::devices
