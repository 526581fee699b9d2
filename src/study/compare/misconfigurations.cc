#include "study/compare/misconfigurations.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "fabric/ethernet/options.h"
#include "study/assembly/base_round_trip.h"
#include "study/assembly/build_topology.h"
#include "study/results/summary_text.h"
#include "study/scenario/data_class.h"

namespace weft::study::compare {
namespace {

constexpr std::int64_t kFactor = 10;  // by which thresholds and timers are off
/// A rate that thresholds are often copied from: of the generation before or after.
constexpr Rate kOlderRate = 100_gbps;
constexpr Rate kNewerRate = 400_gbps;
/// What headroom was computed for, where cables are longer.
constexpr Duration kShortCable = Duration::nanoseconds(5);  // 1 m
/// At the edge of what forward error correction mends.
constexpr Probability kPoorCable = Probability::from_ratio({.numerator = 1, .denominator = 100'000'000});

/// A switch, and a cable between two switches, that a mistake is made at: the first of each by name.
struct Places {
  std::string leaf;
  std::string uplink;  // port of a switch towards another
  Rate uplink_rate;
  std::string host_port;  // port of a switch towards a NIC
  Rate host_rate;
  std::string host;  // of that NIC
};

Places places_of(const fabric::Graph& graph) {
  Places places;
  for (const fabric::Link& link : graph.links) {
    const bool a_switch = graph[link.a.node].kind == fabric::NodeKind::kSwitch;
    const bool b_switch = graph[link.b.node].kind == fabric::NodeKind::kSwitch;
    const fabric::LinkEnd& lower =
        a_switch && (!b_switch || graph[link.a.node].tier <= graph[link.b.node].tier) ? link.a : link.b;
    const std::string port = fmt::format("{}/port{}", graph[lower.node].name, lower.port);
    if (a_switch && b_switch && places.uplink.empty()) {
      places.uplink = port;
      places.uplink_rate = link.rate;
    } else if (a_switch != b_switch && places.host_port.empty()) {
      places.host_port = port;
      places.host_rate = link.rate;
      places.leaf = graph[lower.node].name;
      const std::string& nic = graph[(a_switch ? link.b : link.a).node].name;
      places.host = nic.substr(0, nic.find('/'));
    }
  }
  return places;
}

/// Settings with more than one mistake; of all others the mistake is the setting's name.
std::string setting_of(const std::string& mistake) {
  struct Alternatives {
    std::string_view setting;
    std::vector<std::string_view> mistakes;
  };
  static const std::vector<Alternatives> all = {
      {"headroom", {"headroom too small", "headroom for a shorter cable"}},
      {"PFC", {"PFC on the wrong priority", "PFC missing on one hop"}},
      {"ECN thresholds", {"ECN thresholds too high", "ECN thresholds too low", "ECN thresholds of another rate"}},
      {"increase timer", {"DCQCN recovers slowly", "DCQCN recovers too fast"}},
      {"target delay", {"target delay too long", "target delay too short"}},
      {"credit", {"credit for half of the line", "credit window too short"}}};
  const auto found = std::ranges::find_if(
      all, [&](const Alternatives& own) { return std::ranges::find(own.mistakes, mistake) != own.mistakes.end(); });
  return found == all.end() ? mistake : std::string(found->setting);
}

class Mistakes {
 public:
  Mistakes(const scenario::Scenario& scenario, const fabric::Graph& graph)
      : scenario_(scenario),
        places_(places_of(graph)),
        longest_(*std::ranges::max_element(graph.links, {}, &fabric::Link::propagation)),
        round_trip_(assembly::base_round_trip(scenario, graph).time) {}

  std::vector<Misconfiguration> all() {
    if (scenario::is_infiniband(scenario_.fabric.family)) {
      credits();
    } else {
      pauses();
      marks();
    }
    ultra_ethernet();
    uncontrolled_host();
    hashes();
    streams();
    add("small packets", fmt::format("MTU 1024 instead of {}", scenario_.fabric.mtu),
        [](scenario::Scenario& made) { made.fabric.mtu = std::min<std::int64_t>(made.fabric.mtu, 1024); });
    degraded_link("a link between switches degraded", places_.uplink, places_.uplink_rate);
    degraded_link("a link to a NIC degraded", places_.host_port, places_.host_rate);
    pairs();
    return std::move(made_);
  }

 private:
  /// `apply` is kept for the pairs and outlives the call that adds it: it must own what it uses.
  void add(std::string name, std::string change, std::function<void(scenario::Scenario&)> apply) {
    std::string of = setting_of(name);
    Misconfiguration mistake{
        .name = std::move(name), .change = std::move(change), .of = std::move(of), .scenario = scenario_};
    apply(mistake.scenario);
    made_.push_back(std::move(mistake));
    changes_.push_back(std::move(apply));
  }

  /// Both of them, if the fabric has both.
  void pair(std::string_view first, std::string_view second) {
    const auto a = std::ranges::find(made_, first, &Misconfiguration::name);
    const auto b = std::ranges::find(made_, second, &Misconfiguration::name);
    if (a == made_.end() || b == made_.end()) {
      return;
    }
    Misconfiguration both{.name = fmt::format("{}, and {}", a->name, b->name),
                          .change = fmt::format("{}; {}", a->change, b->change),
                          .fault = a->fault || b->fault,
                          .scenario = a->scenario};
    changes_[static_cast<std::size_t>(b - made_.begin())](both.scenario);
    made_.push_back(std::move(both));
  }

  // Two mistakes of which each takes away what limits the damage of the other: marks that come late or not at all where
  // pauses lose packets, slow senders on few paths, one path less where all choose alike.
  void pairs() {
    pair("ECN thresholds too high", "headroom for a shorter cable");
    pair("ECN thresholds of another rate", "PFC on the wrong priority");
    pair("ECN thresholds too low", "DCQCN recovers slowly");
    pair("ECMP polarised", "a link between switches degraded");
    pair("adaptive routing off", "a link between switches degraded");
    pair("credits short for the cable", "a link between switches degraded");
  }

  [[nodiscard]] std::size_t priority() const {
    return static_cast<std::size_t>(scenario::data_priority_of(scenario_.qos, scenario_.fabric.family));
  }
  [[nodiscard]] const scenario::PrioritySettings& data() const { return scenario::data_class_of(scenario_); }

  [[nodiscard]] static scenario::DeviceOverride override_of(std::string device,
                                                            std::vector<std::pair<std::string, std::string>> values) {
    scenario::DeviceOverride made{.select = std::move(device), .place = "misconfiguration", .assignments = {}};
    for (auto& [path, text] : values) {
      made.assignments.push_back({.path = std::move(path), .text = std::move(text), .place = "misconfiguration"});
    }
    return made;
  }

  void credits() {
    const Bytes few(2 * (scenario_.fabric.mtu + 64));
    add("credits short for the cable",
        fmt::format("buffers of {} per VL instead of {}", results::short_text(few),
                    results::short_text(scenario_.devices.infiniband.vl_buffer)),
        [few](scenario::Scenario& made) { made.devices.infiniband.vl_buffer = few; });
    add("packets expire too soon", "head-of-queue lifetime of 16 us",
        [](scenario::Scenario& made) { made.devices.infiniband.head_of_queue_lifetime = Duration::microseconds(16); });
  }

  void pauses() {
    if (!data().lossless) {
      return;
    }
    const std::string group = fmt::format("ethernet.priority.{}.", priority());
    add("headroom too small", "room for two packets after a pause", [this](scenario::Scenario& made) {
      made.devices.ethernet.priorities[priority()].headroom = Bytes(2 * (scenario_.fabric.mtu + 100));
    });
    const Bytes headroom = fabric::headroom_bytes({.rate = longest_.rate,
                                                   .propagation = kShortCable,
                                                   .pipeline = scenario_.devices.switch_.latency,
                                                   .response = Duration::zero(),
                                                   .peer_frame = Bytes(scenario_.fabric.mtu + 100),
                                                   .local_frame = Bytes(scenario_.fabric.mtu + 100)});
    if (longest_.propagation > kShortCable) {
      add("headroom for a shorter cable",
          fmt::format("{} of headroom, for a cable of 1 m ({}) and a NIC with no pause response time, where one "
                      "has a delay of {}",
                      results::short_text(headroom), results::short_text(kShortCable),
                      results::short_text(longest_.propagation)),
          [this, headroom](scenario::Scenario& made) {
            made.devices.ethernet.priorities[priority()].headroom = headroom;
          });
    }
    const std::size_t wrong = priority() == 4 ? 5 : 4;
    add("PFC on the wrong priority",
        fmt::format("priority {} lossless instead of {}, on all devices", wrong, priority()),
        [this, wrong](scenario::Scenario& made) {
          made.devices.ethernet.priorities[wrong].lossless = true;
          made.devices.ethernet.priorities[priority()].lossless = false;
        });
    add("PFC missing on one hop", fmt::format("priority {} not lossless on {}", priority(), places_.leaf),
        [this, group](scenario::Scenario& made) {
          made.overrides.push_back(override_of(places_.leaf, {{group + "lossless", "false"}}));
        });
    // On another class's terms: its thresholds, no pauses, no marks, and its weight.
    const scenario::PrioritySettings& best_effort = scenario_.devices.ethernet.priorities[priority() == 0 ? 1 : 0];
    add("wrong DSCP map on one switch",
        fmt::format("{} classifies the data as best effort: no PFC and no ECN there", places_.leaf),
        [=, this](scenario::Scenario& made) {
          made.overrides.push_back(override_of(places_.leaf, {{group + "lossless", "false"},
                                                              {group + "ecn", "false"},
                                                              {group + "weight", std::to_string(best_effort.weight)}}));
        });
  }

  void marks() {
    const bool dcqcn = scenario_.congestion.algorithm == scenario::CongestionAlgorithm::kDcqcn;
    if (!data().ecn || (!dcqcn && !scenario::uses_nscc(scenario_))) {
      return;
    }
    const auto thresholds = [this](scenario::Scenario& made, std::int64_t times, std::int64_t per) {
      scenario::PrioritySettings& own = made.devices.ethernet.priorities[priority()];
      own.kmin = Bytes(own.kmin.count() * times / per);
      own.kmax = Bytes(own.kmax.count() * times / per);
    };
    add("ECN thresholds too high", fmt::format("kmin and kmax x {}", kFactor),
        [thresholds](scenario::Scenario& made) { thresholds(made, kFactor, 1); });
    add("ECN thresholds too low", fmt::format("kmin and kmax / {}", kFactor),
        [thresholds](scenario::Scenario& made) { thresholds(made, 1, kFactor); });
    const Rate copied = longest_.rate > kOlderRate ? kOlderRate : kNewerRate;
    add("ECN thresholds of another rate",
        fmt::format("kmin and kmax of {} on links of {}", results::short_text(copied),
                    results::short_text(longest_.rate)),
        [this, thresholds, copied](scenario::Scenario& made) {
          constexpr std::int64_t kUnit = 1'000'000'000;
          thresholds(made, copied.bits_per_second() / kUnit,
                     std::max<std::int64_t>(longest_.rate.bits_per_second() / kUnit, 1));
        });
    if (!dcqcn) {
      return;
    }
    add("DCQCN recovers slowly", fmt::format("increase timer x {}", kFactor),
        [](scenario::Scenario& made) { made.dcqcn.increase_timer = made.dcqcn.increase_timer * kFactor; });
    add("DCQCN recovers too fast", fmt::format("increase timer / {}", kFactor),
        [](scenario::Scenario& made) { made.dcqcn.increase_timer = made.dcqcn.increase_timer / kFactor; });
  }

  void ultra_ethernet() {
    if (scenario::engine_of(scenario_.fabric.family) != scenario::FamilyEngine::kUet) {
      return;
    }
    if (scenario::uses_nscc(scenario_)) {
      const Duration target = scenario_.nscc.target.value_or(round_trip_);
      add("target delay too long",
          fmt::format("{} of queueing delay, {} times the round trip or what is set",
                      results::short_text(target * kFactor), kFactor),
          [target](scenario::Scenario& made) { made.nscc.target = target * kFactor; });
      add("target delay too short", fmt::format("{} of queueing delay", results::short_text(target / kFactor)),
          [target](scenario::Scenario& made) { made.nscc.target = target / kFactor; });
    }
    if (scenario::uses_rccc(scenario_)) {
      credit();
    }
    constexpr std::int64_t kFewPaths = 4;
    if (scenario_.uet.path_selector != scenario::PathRule::kSingle && scenario_.uet.paths > kFewPaths) {
      add("few paths", fmt::format("{} entropy values per context instead of {}", kFewPaths, scenario_.uet.paths),
          [](scenario::Scenario& made) { made.uet.paths = kFewPaths; });
    }
    if (scenario_.devices.ethernet.trimming.enabled && !places_.leaf.empty()) {
      add("one switch without trimming", fmt::format("{} drops what it has no room for", places_.leaf),
          [this](scenario::Scenario& made) {
            made.overrides.push_back(override_of(places_.leaf, {{"ethernet.trimming.enabled", "false"}}));
          });
    }
    link_without_retry();
  }

  void credit() {
    add("credit for half of the line", "receivers grant as NICs of half the rate do", [](scenario::Scenario& made) {
      made.rccc.part_of_line = made.rccc.part_of_line * Probability::from_ratio({.numerator = 1, .denominator = 2});
    });
    add("credit window too short", fmt::format("what a sender may hold / {}", kFactor), [](scenario::Scenario& made) {
      made.rccc.window_percent = std::max<std::int64_t>(made.rccc.window_percent / kFactor, 1);
    });
    if (scenario_.rccc.with_nscc && data().ecn && !scenario_.rccc.mark_last_hop) {
      add("marks at the last hop beside credit", "NSCC slows down for what credit limits already",
          [](scenario::Scenario& made) { made.rccc.mark_last_hop = true; });
    }
  }

  // A cable at the edge of what FEC mends, in a network whose links retry, and one of them does not.
  void link_without_retry() {
    if (!scenario_.devices.ethernet.llr.enabled || places_.uplink.empty()) {
      return;
    }
    add("LLR off at a port with bit errors",
        fmt::format("{} loses what its cable damages, with a bit error rate of 1e-8", places_.uplink),
        [this](scenario::Scenario& made) {
          made.overrides.push_back(override_of(places_.uplink, {{"ethernet.llr.enabled", "false"}}));
          for (scenario::LinkSettings& link : made.devices.links) {
            link.bit_error_rate = kPoorCable;
          }
        });
  }

  void uncontrolled_host() {
    if (scenario::is_over_tcp(scenario_.fabric.family) ||
        !scenario::reacts_to_congestion(scenario_.congestion.algorithm)) {
      return;
    }
    add("one host with congestion control off",
        fmt::format("NICs of {} neither reduce their rate nor send CNPs", places_.host),
        [this](scenario::Scenario& made) {
          made.overrides.push_back(override_of(places_.host, {{"nic.congestion_control", "false"}}));
        });
  }

  void hashes() {
    if (places_.uplink.empty()) {
      return;  // one switch has nothing to choose
    }
    switch (scenario_.routing.policy) {
      case scenario::RoutingPolicy::kEcmp:
      case scenario::RoutingPolicy::kEnhancedEcmp:
        add("ECMP polarised", "same hash seed on every switch",
            [](scenario::Scenario& made) { made.routing.polarised = true; });
        return;
      case scenario::RoutingPolicy::kSpray:
      case scenario::RoutingPolicy::kAdaptive:
      case scenario::RoutingPolicy::kLetFlow:
      case scenario::RoutingPolicy::kDrill:
      case scenario::RoutingPolicy::kConga:
      case scenario::RoutingPolicy::kConWeave:
      case scenario::RoutingPolicy::kValiant:
      case scenario::RoutingPolicy::kUgal:
      case scenario::RoutingPolicy::kPinned:
      case scenario::RoutingPolicy::kCentral:
        add("adaptive routing off", "one path per flow", [](scenario::Scenario& made) {
          made.routing.policy = scenario::is_infiniband(made.fabric.family) ? scenario::RoutingPolicy::kLft
                                                                            : scenario::RoutingPolicy::kEcmp;
        });
        return;
      case scenario::RoutingPolicy::kLft:
      case scenario::RoutingPolicy::kScheduled:
      case scenario::RoutingPolicy::kDimensionOrder:
        return;
    }
  }

  void streams() {
    if (!scenario::is_over_tcp(scenario_.fabric.family)) {
      return;
    }
    add("socket buffers too small", fmt::format("send and receive buffers / {}", kFactor),
        [](scenario::Scenario& made) {
          made.tcp.receive_buffer = Bytes(std::max<std::int64_t>(made.tcp.receive_buffer.count() / kFactor, 65'536));
          made.tcp.send_buffer = Bytes(std::max<std::int64_t>(made.tcp.send_buffer.count() / kFactor, 65'536));
        });
  }

  void degraded_link(const std::string& name, const std::string& port, Rate full) {
    if (port.empty()) {
      return;
    }
    const Rate rate = full / 4;
    add(name, fmt::format("{} at {}", port, results::short_text(rate)), [port, rate](scenario::Scenario& made) {
      made.events.push_back(
          {.at = Duration::zero(), .select = port, .action = scenario::EventAction::kDegrade, .rate = rate});
    });
    made_.back().fault = true;
    made_.back().of.clear();
  }

  const scenario::Scenario& scenario_;
  Places places_;
  fabric::Link longest_;  // of the cables at switches
  Duration round_trip_;   // of the idle network
  std::vector<Misconfiguration> made_;
  std::vector<std::function<void(scenario::Scenario&)>> changes_;  // of each of them
};

}  // namespace

Result<std::vector<Misconfiguration>> misconfigurations_of(const scenario::Scenario& scenario) {
  Result<fabric::Graph> graph = assembly::build_topology(scenario);
  if (!graph) {
    return pass_on(graph);
  }
  return Mistakes(scenario, *graph).all();
}

}  // namespace weft::study::compare
