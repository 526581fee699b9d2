#include "study/assembly/resolved_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <variant>

#include "base/format_quantity.h"
#include "study/assembly/base_round_trip.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/topology_table.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::assembly {
namespace {

class Resolver {
 public:
  Resolver(const scenario::Scenario& scenario, const fabric::Graph& graph) : scenario_(scenario), graph_(graph) {}

  std::vector<ResolvedValue> all() {
    topology();
    congestion();
    if (!scenario_.tcp.mss) {
      add("tcp.mss", fmt::format("{}", scenario_.fabric.mtu), "fabric.mtu");
    }
    for (std::size_t i = 0; i < scenario_.jobs.size(); ++i) {
      job(scenario_.jobs[i], fmt::format("job[{}].", i));
    }
    return std::move(values_);
  }

 private:
  void add(std::string path, std::string value, std::string how) {
    values_.push_back({.path = std::move(path), .value = std::move(value), .how = std::move(how)});
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
    } else if (const auto* tree = std::get_if<fabric::FatTreeOptions>(&*options)) {
      count("radix", own.radix, tree->radix, "switch.ports");
    }
  }

  void congestion() {
    const Duration round_trip = base_round_trip(scenario_, graph_).time;
    const auto& window = scenario_.congestion.window;
    if (window && window->bdp_millis > 0) {
      const Rate line = scenario_.devices.link(scenario::LinkTier::kHost).rate;
      add("congestion_control.window", to_string(window_bytes(scenario_, *window, line, round_trip)),
          fmt::format("{:g} BDP of {} and {}", static_cast<double>(window->bdp_millis) / 1'000, line, round_trip));
    }
    constexpr std::string_view kMeasured = "the longest idle round trip";
    if (!scenario_.timely.base_round_trip) {
      add("timely.base_round_trip", to_string(round_trip), std::string(kMeasured));
    }
  }

  void job(const scenario::JobSettings& own, const std::string& path) {
    const scenario::TrainingSettings& training = own.training;
    if (training.model.empty()) {
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

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  std::vector<ResolvedValue> values_;
};

}  // namespace

std::vector<ResolvedValue> resolved_values(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  return Resolver(scenario, graph).all();
}

}  // namespace weft::study::assembly
