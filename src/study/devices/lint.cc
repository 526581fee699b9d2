#include "study/devices/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/format_quantity.h"
#include "fabric/ethernet/options.h"
#include "study/devices/lint_cables.h"
#include "study/devices/lint_interfaces.h"
#include "study/devices/lint_mistakes.h"
#include "study/devices/lint_native.h"
#include "study/devices/lint_peers.h"
#include "study/devices/reference.h"
#include "study/tuning/tuning_formulas.h"

namespace weft::study::devices {
namespace {

std::string size_text(std::uint64_t bytes) { return to_string(Bytes(static_cast<std::int64_t>(bytes))); }

std::string mark_text(const MarkSetting& mark) {
  return fmt::format("{} to {} at {} %", size_text(mark.kmin), size_text(mark.kmax), mark.percent);
}

/// The same mistake at several ports of a device is one finding.
struct AtPorts {
  Finding finding;
  std::string first;  // port
  std::vector<std::uint64_t> ports;
  std::size_t number = 0;  // of the class
  PortMistake mistake;
};

class SwitchLint {
 public:
  SwitchLint(const DeviceConfig& device, const Reference& reference, std::vector<Finding>& findings)
      : device_(device), own_(device.bridge), reference_(reference), findings_(findings) {}

  void all() {
    code_points();
    for (const PortSetting& port : own_.ports) {
      of_port(port);
    }
    for (AtPorts& one : at_ports_) {
      const std::size_t more = one.ports.size() - 1;
      one.finding.what =
          fmt::format("{}{}: {}", one.first, more > 0 ? fmt::format(" and {} more", more) : "", one.finding.what);
      if (reference_.has_plan()) {
        one.finding.mistake = at_ports(device_.name, one.ports, one.number, one.mistake);
      }
      findings_.push_back(std::move(one.finding));
    }
    pool();
    whole_device();
    watchdog();
    missing_ports();
  }

 private:
  void add(const PortSetting& port, std::size_t number, Finding finding, PortMistake mistake) {
    finding.device = device_.name;
    const auto same = std::ranges::find_if(at_ports_, [&](const AtPorts& one) {
      return one.finding.rule == finding.rule && one.number == number && one.finding.what == finding.what &&
             one.finding.right == finding.right;
    });
    if (same != at_ports_.end()) {
      same->ports.push_back(port.number);
      return;
    }
    at_ports_.push_back({.finding = std::move(finding),
                         .first = port.name,
                         .ports = {port.number},
                         .number = number,
                         .mistake = std::move(mistake)});
  }

  void code_points() {
    if (device_.places.contains("dscp.mixed")) {
      findings_.push_back({.rule = "dscp-map",
                           .device = device_.name,
                           .place = device_.where("dscp.mixed"),
                           .what = "ports of this device have different DSCP maps",
                           .right = "one map for all ports",
                           .no_cost = "which traffic meets which map is not known"});
    }
    const auto* right = reference_.dscp_class(device_);
    if (right == nullptr || own_.ports.empty()) {
      return;
    }
    for (std::uint64_t dscp = 0; dscp < kCodePoints; ++dscp) {
      const std::uint64_t found = class_at(own_.dscp_class, dscp);
      const std::uint64_t wanted = class_at(*right, dscp);
      const bool is_missing = right->contains(dscp) && !own_.dscp_class.contains(dscp);
      if (found != wanted || is_missing) {
        Finding finding{.rule = "dscp-map",
                        .device = device_.name,
                        .place = device_.where("dscp"),
                        .what = is_missing ? fmt::format("DSCP {} has no line", dscp)
                                           : fmt::format("DSCP {} goes to class {}", dscp, found),
                        .right = fmt::format("class {}, {}", wanted, reference_.has_it())};
        if (reference_.has_plan() && found != wanted) {
          finding.mistake = wrong_class(device_.name, wanted, found);
        }
        findings_.push_back(std::move(finding));
      }
    }
  }

  void of_port(const PortSetting& port) {
    for (std::size_t i = 0; i < kClasses; ++i) {
      headroom(port, i);
      marks_after_pauses(port, i);
    }
    const PortSetting* right = reference_.port(device_, port);
    if (right == nullptr) {
      if (reference_.has_plan() && reference_.device(device_) != nullptr) {
        add(port, 0,
            {.rule = "port-unplanned",
             .place = place(port, ""),
             .what = "the plan has no such port",
             .right = "no configuration",
             .no_cost = "nothing is connected to it"},
            {});
      }
      return;
    }
    // A larger one is none: frames are not longer for it.
    if (right->mtu && port.mtu.value_or(0) < *right->mtu) {
      add(port, 0,
          {.rule = "mtu",
           .place = place(port, ".mtu"),
           .what = port.mtu ? fmt::format("MTU {}", *port.mtu) : "no MTU is given",
           .right = fmt::format("MTU {} or more, {}", *right->mtu, reference_.has_it()),
           .cost_only = kPathMtuFits},
          {.mtu = port.mtu});
    }
    cabling(port, *right);
    for (std::size_t i = 0; i < kClasses; ++i) {
      of_class(port, *right, i);
    }
  }

  [[nodiscard]] std::string place(const PortSetting& port, const char* what) const {
    return device_.where(fmt::format("port.{}{}", port.number, what));
  }

  void cabling(const PortSetting& port, const PortSetting& right) {
    if (!reference_.has_plan()) {
      return;
    }
    const auto report = [&](const char* rule, const char* item, std::string what, const std::string& should,
                            const char* no_cost) {
      add(port, 0,
          {.rule = rule,
           .place = place(port, item),
           .what = std::move(what),
           .right = should + " by the plan",
           .no_cost = no_cost},
          {});
    };
    const bool other_port = !port.peer_port.empty() && port.peer_port != right.peer_port;
    if (!port.peer.empty() && (port.peer != right.peer || other_port)) {
      report("cable", ".peer", fmt::format("leads to {} {} here", port.peer, port.peer_port),
             fmt::format("{} {}", right.peer, right.peer_port), "which cable is meant is not known");
    }
    if (right.metres && port.metres != right.metres) {
      report("cable-length", ".metres",
             port.metres ? fmt::format("a cable of {} m", *port.metres) : "no length of the cable is given",
             fmt::format("{} m", *right.metres), "devices compute headroom from it, and see headroom-short");
    }
    if (!right.address.empty() && port.address != right.address) {
      report("address", ".address", port.address.empty() ? "no address" : "address " + port.address, right.address,
             "sessions over addresses that do not match do not come up; a scenario has no addresses");
    }
    if (port.speed == 0 && right.speed > 0) {
      report("speed", "", "no speed is given", rate_text(right.speed), "what is negotiated is not known");
    } else if (port.speed != right.speed) {
      add(port, 0,
          {.rule = "speed",
           .place = place(port, ""),
           .what = rate_text(port.speed),
           .right = rate_text(right.speed) + " by the plan"},
          {.speed = port.speed});
    }
  }

  void of_class(const PortSetting& port, const PortSetting& right, std::size_t i) {
    const ClassSetting& own = port.classes[i];
    const ClassSetting& wanted = right.classes[i];
    const auto report = [&](const char* rule, const char* item, std::string what, std::string should,
                            PortMistake mistake) {
      add(port, i,
          {.rule = rule,
           .place = device_.where(item_of(port, i, item)),
           .what = fmt::format("class {}: {}", i, what),
           .right = fmt::format("{}, {}", should, reference_.has_it())},
          std::move(mistake));
    };
    if (wanted.pfc != own.pfc) {
      report(wanted.pfc ? "pfc-missing" : "pfc-extra", "pfc", own.pfc ? "PFC is on" : "PFC is off",
             wanted.pfc ? "PFC on" : "PFC off", {.values = {{"lossless", own.pfc ? "true" : "false"}}});
    }
    if (wanted.mark && !own.mark) {
      report("wred-off", "mark", "no ECN marking", mark_text(*wanted.mark), {.values = {{"ecn", "false"}}});
    } else if (own.mark && !wanted.mark) {
      report("wred-extra", "mark", "ECN marking " + mark_text(*own.mark), "none", marks_mistake(*own.mark));
    } else if (own.mark && *own.mark != *wanted.mark) {
      report("wred-differs", "mark", "ECN marking " + mark_text(*own.mark), mark_text(*wanted.mark),
             marks_mistake(*own.mark));
    }
    if (own.weight != wanted.weight) {
      const auto text = [](std::optional<std::uint64_t> weight) {
        return !weight        ? std::string("no weight is given")
               : *weight == 0 ? std::string("strict priority")
                              : fmt::format("weight {}", *weight);
      };
      report("scheduler", "weight", text(own.weight), wanted.weight ? text(wanted.weight) : "none",
             own.weight ? PortMistake{.values = {{"weight", fmt::format("{}", *own.weight)}}} : PortMistake{});
    }
    if (reference_.has_plan() && own.pfc && wanted.watchdog && !own.watchdog) {
      report("watchdog-off", "pfc", "no PFC watchdog", "a watchdog", {.values = {}, .no_watchdog = true});
    }
    if (reference_.has_plan() && own.buffer && wanted.buffer) {
      buffers(port, *own.buffer, *wanted.buffer, i);
      other_headroom(port, *own.buffer, *wanted.buffer, i);
    } else if (own.buffer && !wanted.buffer && reference_.has_plan()) {
      report("buffer-differs", "buffer", "a buffer profile", "none", {});
    }
  }

  void buffers(const PortSetting& port, const BufferSetting& own, const BufferSetting& wanted, std::size_t i) {
    const auto text = [](const BufferSetting& one) {
      return fmt::format("{}, reserve {}, XON {} below",
                         one.limit ? "threshold " + size_text(*one.limit) : fmt::format("alpha 2^{}", one.exponent),
                         size_text(one.reserve), size_text(one.xon_offset));
    };
    if (text(own) == text(wanted)) {
      return;
    }
    add(port, i,
        {.rule = "buffer-differs",
         .place = device_.where(item_of(port, i, "buffer")),
         .what = fmt::format("class {}: {}", i, text(own)),
         .right = fmt::format("{}, {}", text(wanted), reference_.has_it())},
        buffer_mistake(own));
  }

  /// Enough for what arrives after XOFF, and not the plan's: the pool has the rest.
  void other_headroom(const PortSetting& port, const BufferSetting& own, const BufferSetting& wanted, std::size_t i) {
    const std::optional<std::uint64_t> needed = headroom_needed(port, i);
    const bool is_short = own.headroom && needed && *own.headroom < *needed;
    if (!own.headroom || !wanted.headroom || is_short || *own.headroom == *wanted.headroom) {
      return;
    }
    add(port, i,
        {.rule = "buffer-differs",
         .place = device_.where(item_of(port, i, "headroom")),
         .what = fmt::format("class {}: headroom of {}", i, size_text(*own.headroom)),
         .right = fmt::format("{}, {}{}", size_text(*wanted.headroom), reference_.has_it(),
                              *own.headroom > *wanted.headroom ? ": the shared buffer lacks what is more" : "")},
        {.values = {{"headroom", fmt::format("{} B", *own.headroom)}}});
  }

  /// What can still arrive after a pause, by the plan, or by speed, cable and MTU that the configuration names.
  [[nodiscard]] std::optional<std::uint64_t> headroom_needed(const PortSetting& port, std::size_t i) const {
    if (const DeviceConfig* needs = reference_.needs(device_)) {
      const auto at = std::ranges::find(needs->bridge.ports, port.number, &PortSetting::number);
      if (at == needs->bridge.ports.end() || !at->classes[i].buffer) {
        return std::nullopt;
      }
      return at->classes[i].buffer->headroom;
    }
    return headroom_of_cable(port);
  }

  static Rate rate_of(std::uint64_t mbps) { return Rate::bits_per_second(static_cast<std::int64_t>(mbps) * 1'000'000); }
  static std::string rate_text(std::uint64_t mbps) {
    return mbps % 1'000 == 0 ? fmt::format("{} Gb/s", mbps / 1'000) : fmt::format("{} Mb/s", mbps);
  }

  /// What cable and frames alone need: pipelines and response times are the devices' own. Lengths are rounded up to
  /// whole metres.
  static std::optional<std::uint64_t> headroom_of_cable(const PortSetting& port) {
    if (port.speed == 0 || !port.metres || !port.mtu) {
      return std::nullopt;
    }
    const Bytes frame(static_cast<std::int64_t>(*port.mtu) + 18);
    const auto metres = static_cast<std::int64_t>(*port.metres > 0 ? *port.metres - 1 : 0);
    return static_cast<std::uint64_t>(fabric::headroom_bytes({.rate = rate_of(port.speed),
                                                              .propagation = Duration::nanoseconds(5 * metres),
                                                              .pipeline = Duration::zero(),
                                                              .response = Duration::zero(),
                                                              .peer_frame = frame,
                                                              .local_frame = frame})
                                          .count());
  }

  /// "at least 42.8 kB after XOFF at 100 Gb/s: 8.7 kB ..., 34 kB ...".
  [[nodiscard]] std::string headroom_text(const PortSetting& port, std::uint64_t needed) const {
    const DeviceConfig* plan = reference_.needs(device_);
    const PortSetting* right = plan == nullptr ? &port : reference_.port(device_, port);
    PortSetting terms = right == nullptr ? port : *right;
    if (const DeviceConfig* needs = plan) {
      const auto at = std::ranges::find(needs->bridge.ports, port.number, &PortSetting::number);
      terms = at == needs->bridge.ports.end() ? terms : *at;
    }
    const std::uint64_t cable = std::min(headroom_of_cable(terms).value_or(0), needed);
    const std::string parts =
        fmt::format("{} for {} m of cable both ways at {} and two frames with an MTU of {}", size_text(cable),
                    terms.metres.value_or(0), rate_text(terms.speed), terms.mtu.value_or(0));
    return plan == nullptr ? fmt::format("at least, without the devices' own delays, {}", parts)
                           : fmt::format("at least {}: {}, {} for the devices' pipelines and their response to a pause",
                                         size_text(needed), parts, size_text(needed - cable));
  }

  /// EOS has no buffers in a form that is read.
  void headroom(const PortSetting& port, std::size_t i) {
    const ClassSetting& own = port.classes[i];
    const bool has_none = !own.buffer || !own.buffer->headroom;
    if (!own.pfc || (has_none && device_.syntax == Syntax::kEos)) {
      return;
    }
    const std::optional<std::uint64_t> needed = headroom_needed(port, i);
    if (!has_none && (!needed || *own.buffer->headroom >= *needed)) {
      return;
    }
    add(port, i,
        {.rule = "headroom-short",
         .place = device_.where(item_of(port, i, "headroom")),
         .what = !own.buffer ? fmt::format("class {}: PFC without a buffer", i)
                 : has_none  ? fmt::format("class {}: PFC without headroom", i)
                             : fmt::format("class {}: headroom of {}", i, size_text(*own.buffer->headroom)),
         .right = needed ? headroom_text(port, *needed) : "a buffer with headroom for what arrives after XOFF"},
        {.values = {{"headroom", fmt::format("{} B", has_none ? 0 : *own.buffer->headroom)}}});
  }

  void marks_after_pauses(const PortSetting& port, std::size_t i) {
    const ClassSetting& own = port.classes[i];
    if (!own.pfc || !own.mark || !own.buffer || !own_.pool) {
      return;
    }
    std::uint64_t reserves = 0;
    for (const PortSetting& each : own_.ports) {
      for (const ClassSetting& one : each.classes) {
        reserves += one.buffer ? one.buffer->reserve : 0;
      }
    }
    const std::uint64_t pool = *own_.pool > reserves ? *own_.pool - reserves : 0;
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40U;
    const Bytes pause =
        tuning::pause_threshold({.pool = Bytes(static_cast<std::int64_t>(std::min(pool, kMostBytes))),
                                 .reserve = Bytes(static_cast<std::int64_t>(std::min(own.buffer->reserve, kMostBytes))),
                                 .alpha_shift = static_cast<std::int8_t>(own.buffer->exponent)},
                                tuning::CrowdedPorts{1});
    const std::uint64_t xoff = own.buffer->limit.value_or(static_cast<std::uint64_t>(pause.count()));
    if (own.mark->kmin < xoff) {
      return;
    }
    add(port, i,
        {.rule = "ecn-after-pfc",
         .place = device_.where(item_of(port, i, "mark")),
         .what = fmt::format("class {}: marks from {} on, pauses from {} on", i, size_text(own.mark->kmin),
                             size_text(xoff)),
         .right = "marks before pauses: a lower minimum threshold, or a larger alpha"},
        marks_mistake(*own.mark));
  }

  void pool() {
    if (!own_.pool) {
      const DeviceConfig* plan = reference_.device(device_);
      if (plan != nullptr && plan->bridge.pool) {
        findings_.push_back({.rule = "pool-small",
                             .device = device_.name,
                             .place = device_.where("pool"),
                             .what = "no pool of lossless classes, or none with a size",
                             .right = size_text(*plan->bridge.pool) + ", as the plan has it",
                             .no_cost = "what a device does without one is not known"});
      }
      return;
    }
    std::uint64_t reserves = 0;
    std::uint64_t headroom = 0;
    for (const PortSetting& port : own_.ports) {
      for (const ClassSetting& one : port.classes) {
        reserves += one.buffer ? std::min<std::uint64_t>(one.buffer->reserve, UINT32_MAX) : 0;
        headroom += one.buffer ? std::min<std::uint64_t>(one.buffer->headroom.value_or(0), UINT32_MAX) : 0;
      }
    }
    const std::uint64_t have = own_.pool_headroom ? *own_.pool_headroom : *own_.pool;
    const std::uint64_t want = own_.pool_headroom ? headroom : headroom + reserves;
    const bool shared_short = own_.pool_headroom && reserves > *own_.pool;
    const DeviceConfig* right = reference_.device(device_);
    const bool differs = right != nullptr && right->bridge.pool && *own_.pool < *right->bridge.pool;
    if (want <= have && !shared_short && !differs) {
      return;
    }
    Finding finding{.rule = "pool-small", .device = device_.name, .place = device_.where("pool")};
    if (shared_short) {
      finding.what = fmt::format("a pool of {}", size_text(*own_.pool));
      finding.right = fmt::format("at least {}: the reserves of its profiles", size_text(reserves));
    } else if (want > have) {
      finding.what = fmt::format("{} of {}", own_.pool_headroom ? "headroom" : "a pool", size_text(have));
      finding.right = fmt::format("at least {}: what its profiles take together", size_text(want));
    } else {
      finding.what = fmt::format("a pool of {}", size_text(*own_.pool));
      finding.right = fmt::format("{}, as the plan has it", size_text(*right->bridge.pool));
    }
    if (reference_.has_plan()) {
      finding.mistake = small_buffer(device_.name, *own_.pool + own_.pool_headroom.value_or(0));
    }
    findings_.push_back(std::move(finding));
  }

  /// What a device has once, against the plan.
  void whole_device() {
    const DeviceConfig* right = reference_.device(device_);
    if (right == nullptr) {
      return;
    }
    const auto report = [&](const char* rule, const char* item, std::string what, std::string should) {
      findings_.push_back({.rule = rule,
                           .device = device_.name,
                           .place = device_.where(item),
                           .what = std::move(what),
                           .right = should + ", as the plan has it",
                           .no_cost = "a scenario has it for all switches alike"});
    };
    const SwitchSetting& wanted = right->bridge;
    if (own_.pool && wanted.pool && (*own_.pool > *wanted.pool || own_.pool_headroom != wanted.pool_headroom)) {
      const auto text = [](const SwitchSetting& one) {
        return fmt::format("a pool of {}, headroom {}", size_text(*one.pool),
                           one.pool_headroom ? size_text(*one.pool_headroom) : "not given");
      };
      report("pool-differs", "pool", text(own_), text(wanted));
    }
    if (own_.trimming != wanted.trimming) {
      const auto text = [](const std::optional<TrimSetting>& one) {
        return one ? fmt::format("trimming to {}, DSCP {}, queue {}", size_text(one->size), one->dscp, one->queue)
                   : std::string("no trimming");
      };
      report("trimming", "trimming", text(own_.trimming), text(wanted.trimming));
    }
    if (own_.as_number > 0 && own_.router_id != wanted.router_id) {
      report("router-id", "as", fmt::format("router identifier {}", own_.router_id.empty() ? "none" : own_.router_id),
             wanted.router_id.empty() ? "none" : wanted.router_id);
    }
    if (own_.as_number > 0 && own_.paths != wanted.paths) {
      report("bgp-setting", "as", fmt::format("{} paths of equal cost", own_.paths), fmt::format("{}", wanted.paths));
    }
    if (own_.watchdog.has_value() != wanted.watchdog.has_value()) {
      report(own_.watchdog ? "watchdog-differs" : "watchdog-off", "watchdog",
             own_.watchdog ? "PFC watchdog on" : "no PFC watchdog", own_.watchdog ? "none" : "a PFC watchdog");
    }
  }

  void watchdog() {
    const DeviceConfig* right = reference_.device(device_);
    if (right == nullptr || !right->bridge.watchdog || !own_.watchdog || *own_.watchdog == *right->bridge.watchdog) {
      return;
    }
    const auto text = [](const WatchdogSetting& one) {
      return fmt::format("{} ms, back after {} ms, {}", one.detect, one.restore, one.drops ? "drops" : "forwards");
    };
    findings_.push_back({.rule = "watchdog-differs",
                         .device = device_.name,
                         .place = device_.where("watchdog"),
                         .what = "PFC watchdog: " + text(*own_.watchdog),
                         .right = text(*right->bridge.watchdog) + ", as the plan has it",
                         .mistake = watchdog_mistake(device_.name, *own_.watchdog)});
  }

  void missing_ports() {
    const DeviceConfig* right = reference_.device(device_);
    for (const PortSetting& port : right == nullptr ? std::vector<PortSetting>{} : right->bridge.ports) {
      if (std::ranges::find(own_.ports, port.number, &PortSetting::number) == own_.ports.end()) {
        findings_.push_back({.rule = "port-missing",
                             .device = device_.name,
                             .place = device_.where(""),
                             .what = fmt::format("there is no port {}", port.name),
                             .right = fmt::format("its cable to {}, by the plan", port.peer),
                             .mistake = link_down(device_.name, port.number)});
      }
    }
  }

  const DeviceConfig& device_;
  const SwitchSetting& own_;
  const Reference& reference_;
  std::vector<Finding>& findings_;
  std::vector<AtPorts> at_ports_;
};

}  // namespace

Result<std::vector<Finding>> lint(const std::vector<DeviceConfig>& devices, const LintPlan* plan) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (devices[i].name == devices[k].name && !is_manager(devices[i].syntax)) {
        return fail("{}: {} is also configured by {}", devices[i].file, devices[i].name, devices[k].file);
      }
    }
  }
  Result<Reference> reference =
      plan == nullptr ? Result<Reference>(Reference::of_majority(devices)) : Reference::of_plan(*plan, devices);
  if (!reference) {
    return pass_on(reference);
  }
  return lint_against(*reference, devices);
}

std::vector<Finding> lint_against(const Reference& reference, const std::vector<DeviceConfig>& devices) {
  std::vector<Finding> findings;
  for (const DeviceConfig& device : devices) {
    if (reference.has_plan() && !is_manager(device.syntax) && reference.device(device) == nullptr) {
      findings.push_back({.rule = "device-unplanned",
                          .device = device.name,
                          .place = device.where(""),
                          .what = fmt::format("the plan has no {} '{}'",
                                              is_switch(device.syntax) ? "switch" : "port of a NIC", device.name),
                          .right = "a name of the plan's topology, as weft emit gives it",
                          .no_cost = "the plan does not have it"});
    } else if (is_switch(device.syntax)) {
      SwitchLint(device, reference, findings).all();
    }
  }
  lint_interfaces(devices, reference, findings);
  lint_native(devices, reference, findings);
  lint_sessions(devices, reference, findings);
  if (!reference.has_plan()) {
    lint_cables(devices, findings);
  }
  lint_nics(devices, reference, findings);
  lint_managers(devices, reference, findings);
  return findings;
}

}  // namespace weft::study::devices
