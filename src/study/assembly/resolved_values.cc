#include "study/assembly/resolved_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "base/format_quantity.h"
#include "fabric/topology/graph_query.h"
#include "study/assembly/base_round_trip.h"
#include "study/assembly/build_failures.h"
#include "study/assembly/build_hosts.h"
#include "study/assembly/build_streams.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/build_uet.h"
#include "study/assembly/congestion/nscc.h"
#include "study/assembly/congestion/rccc.h"
#include "study/assembly/port_needs.h"
#include "study/assembly/topology_table.h"
#include "study/scenario/packet_sizes.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::assembly {
namespace {

constexpr std::string_view kMeasured = "the longest idle round trip";
constexpr std::string_view kNothing = "-";

std::string_view yes_or_no(bool value) { return value ? "true" : "false"; }

template <class Quantity>
std::string spread_text(const Spread<Quantity>& spread) {
  return spread.least == spread.most ? to_string(spread.least)
                                     : fmt::format("{} to {}", to_string(spread.least), to_string(spread.most));
}

class Resolver {
 public:
  Resolver(const scenario::Scenario& scenario, const fabric::Graph& graph)
      : scenario_(scenario), graph_(graph), round_trip_(base_round_trip(scenario, graph).time) {
    const std::vector<Rate> rates = fabric::endpoint_rates(graph);
    line_ = rates.empty() ? scenario.devices.link(scenario::LinkTier::kHost).rate : rates.front();
  }

  std::vector<ResolvedValue> all() {
    topology();
    routing();
    ports();
    congestion();
    loss_recovery();
    ultra_ethernet();
    tcp();
    algorithms();
    failures();
    attacks();
    for (std::size_t i = 0; i < scenario_.jobs.size(); ++i) {
      job(scenario_.jobs[i], fmt::format("job[{}].", i));
    }
    return std::move(values_);
  }

 private:
  void add(std::string path, std::string value, std::string how) {
    values_.push_back({.path = std::move(path), .value = std::move(value), .how = std::move(how)});
  }
  void algorithms() {
    const workload::CollectiveAlgorithm named = scenario_.collectives.algorithm;
    const bool is_open = named == workload::CollectiveAlgorithm::kAutomatic;
    const std::string fastest = "what a cost model finds when an operation begins; results name it";
    if (is_open) {
      add("collectives.algorithm", "fastest", fastest);
    }
    for (std::size_t i = 0; i < scenario_.traffic.size(); ++i) {
      if (scenario_.traffic[i].algorithm == workload::CollectiveAlgorithm::kAutomatic) {
        add(fmt::format("traffic[{}].algorithm", i), is_open ? "fastest" : std::string(to_string(named)),
            is_open ? fastest : "collectives.algorithm, where the ranks can use it");
      }
    }
  }
  /// Where the scenario leaves the count open.
  void count(std::string_view key, std::int64_t given, std::int64_t resolved, std::string_view how) {
    if (given == 0) {
      add(fmt::format("topology.{}", key), fmt::format("{}", resolved), std::string(how));
    }
  }

  [[nodiscard]] std::int64_t switches_of_tier(std::uint8_t tier) const {
    return std::count_if(graph_.nodes.begin() + graph_.endpoints, graph_.nodes.end(),
                         [tier](const fabric::Node& node) { return node.tier == tier; });
  }
  [[nodiscard]] std::int64_t hosts() const {
    std::set<std::string> names;
    for (std::uint32_t i = 0; i < graph_.host_endpoints(); ++i) {
      names.insert(host_of(graph_, EndpointId(i)));
    }
    return static_cast<std::int64_t>(names.size());
  }
  [[nodiscard]] std::string oversubscribed() const {
    return fmt::format("as few as an oversubscription of {} allows", to_string(scenario_.topology.oversubscription));
  }

  void topology() {
    const scenario::TopologySettings& own = scenario_.topology;
    count("hosts", own.hosts, hosts(), "as many as the topology has places");
    const auto options = row_of(own.kind).options(scenario_);
    if (own.spines > 0) {
      without_effect("topology.oversubscription", "topology.spines says how many there are");
    }
    if (!options) {
      return;  // the graph was built all the same: nothing more is known
    }
    if (const auto* leaf_spine = std::get_if<fabric::LeafSpineOptions>(&*options)) {
      count("leaves", own.leaves, leaf_spine->leaves, "hosts over hosts_per_leaf");
      count("spines", own.spines, leaf_spine->spines, oversubscribed());
      count("hosts_per_leaf", own.hosts_per_leaf, leaf_spine->hosts_per_leaf, "hosts over leaves");
    } else if (const auto* rails = std::get_if<fabric::RailOptimisedOptions>(&*options)) {
      count("leaves", own.leaves, switches_of_tier(1), "a leaf for each rail of each group, in all planes");
      count("spines", own.spines, rails->spines,
            rails->groups == 1 ? "the rails of one group need none" : oversubscribed());
      count("hosts_per_leaf", own.hosts_per_leaf, rails->hosts_per_group, "all hosts are one group");
    } else if (const auto* dragonfly = std::get_if<fabric::DragonflyPlusOptions>(&*options)) {
      count("groups", own.groups, dragonfly->groups, "as many as the hosts need");
      count("leaves", own.leaves, dragonfly->leaves, "of a group, as many as its hosts need");
      count("spines", own.spines, dragonfly->spines, "of a group, " + oversubscribed());
      count("hosts_per_leaf", own.hosts_per_leaf, dragonfly->hosts_per_leaf, "hosts over leaves");
      count("global_links", own.global_links, dragonfly->global_links, "one for each spine of a group");
    } else if (const auto* torus = std::get_if<fabric::TorusOptions>(&*options)) {
      count("hosts_per_leaf", own.hosts_per_leaf, torus->hosts_per_switch, "hosts over switches, or 1");
    } else if (const auto* tree = std::get_if<fabric::FatTreeOptions>(&*options)) {
      count("radix", own.radix, tree->radix, "switch.ports that oversubscription can split");
    }
  }

  /// What the value is for does not happen.
  void without_effect(std::string path, std::string_view why) {
    add(std::move(path), std::string(kNothing), fmt::format("no effect: {}", why));
  }

  void routing() {
    const scenario::RoutingSettings& own = scenario_.routing;
    if (own.notification_hold && own.notification_interval) {
      return;
    }
    std::optional<Spread<Duration>> drain;
    for (const fabric::Link& link : graph_.links) {
      const bool between_switches = link.a.node.value() >= graph_.endpoints && link.b.node.value() >= graph_.endpoints;
      if (between_switches && own.notification_threshold && own.policy == scenario::RoutingPolicy::kAdaptive) {
        add_to(drain, link.rate.transmit_time(*own.notification_threshold));
      }
    }
    const Spread<Duration> hold = own.notification_hold
                                      ? Spread<Duration>{*own.notification_hold, *own.notification_hold}
                                      : drain.value_or(Spread<Duration>{});
    if (!own.notification_hold) {
      open("routing.notification_hold", drain, "as long as notification_threshold takes to drain", kNoNotifications);
    }
    if (!own.notification_interval) {
      const Spread<Duration> quarter{hold.least / 4, hold.most / 4};
      open("routing.notification_interval", drain ? std::optional(quarter) : std::nullopt, "a quarter of the hold",
           kNoNotifications);
    }
  }

  /// A value that ports, or switches, find for themselves; none: it has no effect, and why.
  template <class Quantity>
  void open(std::string path, const std::optional<Spread<Quantity>>& spread, std::string_view how,
            std::string_view otherwise) {
    if (spread) {
      add(std::move(path), spread_text(*spread), std::string(how));
    } else {
      without_effect(std::move(path), otherwise);
    }
  }

  void ports() {
    const Result<PortNeeds> needs = port_needs(scenario_, graph_);
    if (!needs) {
      return;  // a run says so
    }
    const scenario::DeviceSettings& own = scenario_.devices;
    if (!own.infiniband.credit_update_threshold) {
      open("infiniband.credit_update_threshold", needs->credit_threshold, "as the round trip of the link allows",
           "no InfiniBand");
    }
    if (!own.ethernet.pause_response) {
      open("ethernet.pause_response", needs->pause_response, "the limit of 802.3 for the port's rate", "no Ethernet");
    }
    receive_buffers(own.host, *needs);
    if (!own.ethernet.llr.buffer) {
      open("ethernet.llr.buffer", needs->replay_buffer, "rate, cable and frame", "ethernet.llr.enabled is false");
    }
    for (std::size_t p = 0; p < own.ethernet.priorities.size(); ++p) {
      priority(own.ethernet.priorities[p], fmt::format("ethernet.priority.{}.", p), *needs);
    }
    // What priorities that agree are folded to.
    priority(own.ethernet.priorities.front(), "ethernet.priority.*.", *needs);
  }
  void receive_buffers(const scenario::HostSettings& own, const PortNeeds& needs) {
    constexpr std::string_view kNoPauses = "no pauses of NICs: nothing is lossless, or hosts have no stages";
    const bool pauses = own.model == scenario::HostModel::kStages &&
                        scenario::engine_of(scenario_.fabric.family) != scenario::FamilyEngine::kTcp &&
                        scenario_.routing.policy != scenario::RoutingPolicy::kScheduled;
    if (!own.receive_headroom) {
      open("host.receive_headroom", pauses ? needs.receive_headroom : std::nullopt,
           "as a switch's, and two frames of the NIC", kNoPauses);
    }
    if (!own.receive_xon_offset) {
      open("host.receive_xon_offset", pauses ? needs.xon_offset : std::nullopt, "the largest frame", kNoPauses);
    }
  }
  void priority(const scenario::PrioritySettings& own, const std::string& path, const PortNeeds& needs) {
    const bool all = path.find('*') != std::string::npos;
    if (all || !own.headroom) {
      open(path + "headroom", all || own.lossless ? needs.headroom : std::nullopt, "rate, cable and MTU of the port",
           "not lossless");
    }
    if (all || !own.credit_buffer) {
      open(path + "credit_buffer", all || own.credits ? needs.credit_buffer : std::nullopt,
           "rate, cable and MTU of the port", "credits is false");
    }
  }

  void loss_recovery() {
    const scenario::TransportSettings& own = scenario_.transport;
    std::optional<transport::SelectiveRepeatOptions> selective;
    if (own.loss_recovery != scenario::LossRecoveryKind::kGoBackN && graph_.host_endpoints() > 0) {
      selective = HostBuilder(scenario_, graph_).nic(EndpointId(0)).selective_repeat;
    }
    const auto add_open = [&](const char* path, bool is_open, std::string value, std::string_view how) {
      if (is_open && selective) {
        add(path, std::move(value), std::string(how));
      } else if (is_open) {
        without_effect(path, "transport.loss_recovery is go-back-n");
      }
    };
    const transport::SelectiveRepeatOptions options = selective.value_or(transport::SelectiveRepeatOptions{});
    add_open("transport.loss_detection", own.loss_detection == scenario::LossDetectionKind::kAuto,
             options.loss_detection == transport::LossDetection::kByTime ? "time" : "count",
             "out_of_order_placement asks for time");
    add_open("transport.flight_packets", !own.flight_packets, fmt::format("{}", options.flight_packets),
             "from line, round trip and what NICs track");
    add_open("nic.tracked_packets", !scenario_.devices.nic.tracked_packets, fmt::format("{}", options.tracked_packets),
             "transport.flight_packets");
  }

  void ultra_ethernet() {
    if (scenario::engine_of(scenario_.fabric.family) != scenario::FamilyEngine::kUet) {
      return;
    }
    const scenario::UetSettings& own = scenario_.uet;
    const transport::UetOptions options = uet_options(scenario_, {.line = line_, .round_trip = round_trip_});
    const auto add_open = [&](const char* path, bool is_open, std::string value, std::string_view how) {
      if (is_open) {
        add(path, std::move(value), std::string(how));
      }
    };
    add_open("uet.trimming", !own.trimming, std::string(yes_or_no(options.trimming)), "ethernet.trimming.enabled");
    add_open("uet.loss_by_count", !own.loss_by_count, std::string(yes_or_no(options.loss_by_count)),
             "where nothing is trimmed");
    add_open("uet.window", !own.window, fmt::format("{}", options.psn_window),
             "eight bandwidth-delay products, a power of two");
    add_open("uet.timeout", !own.timeout, to_string(options.timeout), "15 us and six of the longest idle round trips");
    add_open("uet.probe_after", !own.probe_after, to_string(options.probe_after),
             options.trimming ? "never, where packets are trimmed" : "three of the longest idle round trips");
    const Bytes payload(scenario_.fabric.mtu);
    add_open("uet.header_bytes", !own.header_bytes,
             fmt::format("{}", (scenario::data_packet(scenario_, payload).frame - payload).count()), "as on the wire");
    add_open("uet.control_bytes", !own.control_bytes,
             fmt::format("{}", scenario::acknowledgement(scenario_).frame.count()), "an acknowledgement on the wire");
  }

  void tcp() {
    if (!scenario_.tcp.mss) {
      add("tcp.mss", fmt::format("{}", scenario_.fabric.mtu), "fabric.mtu");
    }
    if (!scenario_.tcp.ecn) {
      add("tcp.ecn", std::string(scenario::word_of(scenario::tcp_ecn(scenario_.tcp))),
          "what tcp.congestion_control needs");
    }
  }

  void congestion() {
    const Duration round_trip = round_trip_;
    const auto& window = scenario_.congestion.window;
    if (window && window->bdp_millis > 0) {
      const Rate line = scenario_.devices.link(scenario::LinkTier::kHost).rate;
      add("congestion_control.window", to_string(window_bytes(scenario_, *window, line, round_trip)),
          fmt::format("{:g} BDP of {} and {}", static_cast<double>(window->bdp_millis) / 1'000, line, round_trip));
    }
    if (!scenario_.timely.base_round_trip) {
      add("timely.base_round_trip", to_string(round_trip), std::string(kMeasured));
    }
    if (!scenario_.hpcc.base_round_trip) {
      add("hpcc.base_round_trip", to_string(round_trip), std::string(kMeasured));
    }
    if (!scenario_.nscc.round_trip) {
      add("nscc.round_trip", to_string(round_trip), std::string(kMeasured));
    }
    if (!scenario_.rccc.round_trip) {
      add("rccc.round_trip", to_string(round_trip), std::string(kMeasured));
    }
    if (!scenario_.rccc.follow_core) {
      add("rccc.follow_core", std::string(yes_or_no(follows_core(scenario_, graph_))),
          "where a switch has less rate upwards than downwards, without NSCC");
    }
    if (!scenario_.rccc.core_least) {
      add("rccc.core_least", to_string(least_of_core(scenario_, graph_)),
          "nine tenths of what the core leaves each host, at least 1%");
    }
    nscc(round_trip);
  }

  void nscc(Duration round_trip) {
    if (scenario::engine_of(scenario_.fabric.family) != scenario::FamilyEngine::kUet) {
      return;
    }
    const auto parameters =
        nscc_parameters_of({.scenario = scenario_, .line = line_, .window = std::nullopt, .round_trip = round_trip});
    if (!scenario_.nscc.target) {
      add("nscc.target", to_string(parameters.target),
          allows_trimming(scenario_) ? "0.75 round trips, as packets are trimmed" : "a round trip");
    }
    if (!scenario_.nscc.first_window) {
      const std::int64_t product = line_.bytes_in(scenario_.nscc.round_trip.value_or(round_trip)).count();
      add("nscc.first_window", to_string(Bytes(product * parameters.largest_percent / 100)),
          fmt::format("the largest: {} % of {} over {}", parameters.largest_percent, line_,
                      scenario_.nscc.round_trip.value_or(round_trip)));
    }
  }

  void attacks() {
    for (std::size_t i = 0; i < scenario_.attacks.size(); ++i) {
      const scenario::AttackSettings& attack = scenario_.attacks[i];
      if (attack.knows) {
        continue;
      }
      const host::Knowledge known = scenario::knowledge_of(attack);
      std::vector<std::string_view> names;
      for (const auto& [is_known, name] :
           {std::pair(known.qpn, "qpn"), std::pair(known.psn, "psn"), std::pair(known.r_key, "r-key"),
            std::pair(known.p_key, "p-key"), std::pair(known.q_key, "q-key"), std::pair(known.sm_key, "sm-key")}) {
        if (is_known) {
          names.push_back(name);
        }
      }
      // Of kinds that forge no fields the key says nothing; one that guesses the key of subnet administration knows
      // none.
      if (!names.empty() || attack.kind == host::AttackKind::kForgedSmKey) {
        add(fmt::format("attack[{}].knows", i),
            names.empty() ? "[]" : fmt::format("[\"{}\"]", fmt::join(names, "\", \"")),
            "everything but what the kind is about");
      }
    }
  }

  void failures() {
    for (std::size_t i = 0; i < scenario_.failures.size(); ++i) {
      if (!scenario_.failures[i].duration) {
        add(fmt::format("failure[{}].duration", i), "until the run ends", "a failure with `at`");
      }
    }
    if (!scenario_.checkpoint.time) {
      const bool trains = std::ranges::any_of(scenario_.jobs, &scenario::JobSettings::trains);
      add("checkpoint.time", fmt::format("{:g} s", checkpoint_seconds(scenario_)),
          trains ? std::string("a GPU's share of weights and optimiser states at checkpoint.rate")
                 : fmt::format("no job trains a model: {} GB of a GPU at checkpoint.rate",
                               kUsualShard.count() / 1'000'000'000));
    }
  }

  void job(const scenario::JobSettings& own, const std::string& path) {
    const scenario::TrainingSettings& training = own.training;
    if (training.model.empty()) {
      if (!training.efficiency) {
        without_effect(path + "efficiency", "the job computes nothing");
      }
      return;
    }
    const auto of_model = [&](std::string_view key, std::int64_t given, std::int64_t resolved) {
      if (given == 0) {
        add(path + std::string(key), fmt::format("{}", resolved), fmt::format("catalogue model/{}", training.model));
      }
    };
    of_model("layers", training.layers, training.shape.layers);
    of_model("sequence", training.sequence, training.shape.sequence);
    if (!training.efficiency) {
      add(path + "efficiency", fmt::format("{:g}%", 100 * training.gpu_model.gemm_peak_share),
          fmt::format("catalogue gpu/{}, gemm_peak_share", training.gpu));
    }
  }

  static constexpr std::string_view kNoNotifications = "routing.notification_threshold is none, or not adaptive";

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  Duration round_trip_;  // the longest of the idle network
  Rate line_;            // of the first NIC
  std::vector<ResolvedValue> values_;
};

}  // namespace

std::vector<ResolvedValue> resolved_values(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  return Resolver(scenario, graph).all();
}

std::vector<scenario::ListedValue> resolved_listing(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const std::vector<ResolvedValue> resolved = resolved_values(scenario, graph);
  std::vector<scenario::ListedValue> rows = scenario::list_values(scenario, scenario::Listing::kRelevant);
  for (scenario::ListedValue& row : rows) {
    if (const auto value = std::ranges::find(resolved, row.path, &ResolvedValue::path); value != resolved.end()) {
      row.source.text =
          fmt::format("derived: {} ({} {})", value->how, row.source.text, row.value.empty() ? "-" : row.value);
      row.value = value->value;
    }
  }
  return rows;
}

}  // namespace weft::study::assembly
